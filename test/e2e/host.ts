import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askInstance } from '../../main/hosts/instance-lock.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The browser host as a person starts it, on a free port, with a data directory of its own. */
export class Host {
  readonly dataDirectory = mkdtempSync(join(tmpdir(), 'trinity-e2e-'));
  origin = '';
  /** What the host printed. */
  output = '';
  /** Requests that would have left this computer: the host's proxy is ours, and answers none of them. */
  readonly escaped: string[] = [];
  private child: ChildProcess | null = null;
  private proxy: Server | null = null;

  async start(port = 0): Promise<void> {
    this.proxy ??= await this.startProxy();
    const { port: proxyPort } = this.proxy.address() as AddressInfo;
    const proxy = `http://127.0.0.1:${proxyPort}`;
    const child = spawn(
      process.execPath,
      [
        join(root, 'test', 'e2e', 'held-start.ts'),
        '--browser',
        '--no-open',
        `--port=${port}`,
        `--data-dir=${this.dataDirectory}`,
      ],
      {
        cwd: root,
        env: { ...process.env, http_proxy: proxy, https_proxy: proxy, no_proxy: '' },
        // That standard input stays open tells the host that we are there.
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    this.child = child;
    this.output = '';
    const read = (chunk: Buffer): void => void (this.output += chunk.toString('utf8'));
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    await this.whenReady(child);
    this.origin = new URL(await this.address()).origin;
  }

  /** A fresh one-time address, as `trinity url` gives it. */
  async address(): Promise<string> {
    const answer = await askInstance(this.dataDirectory, 'url');
    const url = answer?.url ?? null;
    if (url === null) throw new Error(`The host is not running. It said:\n${this.output}`);
    return url;
  }

  /** Bytes that the host's process holds on to in its heap and its buffers, without garbage. */
  async heldBytes(): Promise<number> {
    if (this.child === null) throw new Error('The host is not running.');
    const { stdin, stdout } = this.child;
    const from = this.output.length;
    stdin?.write('\n');
    for (;;) {
      const said = /held bytes: (\d+)\n/.exec(this.output.slice(from))?.[1];
      if (said !== undefined) return Number(said);
      if (stdout === null) throw new Error('The host has no standard output.');
      await once(stdout, 'data');
    }
  }

  /** Ends the host as Ctrl-C does, and waits for it. */
  async end(): Promise<void> {
    await this.endBy('SIGINT');
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    await this.endBy('SIGKILL');
  }

  async dispose(): Promise<void> {
    await this.end();
    this.proxy?.close();
    rmSync(this.dataDirectory, { recursive: true, force: true });
  }

  private async endBy(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  private whenReady(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      child.stdout?.on('data', () => {
        if (this.output.includes('End with Ctrl-C')) resolve();
      });
      child.once('exit', (code) =>
        reject(new Error(`The host ended with ${code} before it was ready:\n${this.output}`)),
      );
    });
  }

  private startProxy(): Promise<Server> {
    const server = createServer((request, response) => {
      this.escaped.push(request.url ?? '');
      response.writeHead(502).end();
    });
    server.on('connect', (request, socket) => {
      this.escaped.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
  }
}
