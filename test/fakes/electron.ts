import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/**
 * A stand-in for `electron` with only what main/hosts/electron uses, so that the real host files run in plain
 * Node. Tests reach what the host did through `electronState()`; `resetElectron()` starts afresh.
 */
class FakeApp extends EventEmitter {
  isPackaged = false;
  paths = new Map<string, string>();
  isSandboxed = false;
  exitCode: number | null = null;
  isQuitting = false;
  appPath = '';
  readonly ready = Promise.withResolvers<void>();

  whenReady(): Promise<void> {
    return this.ready.promise;
  }
  enableSandbox(): void {
    this.isSandboxed = true;
  }
  setPath(name: string, path: string): void {
    this.paths.set(name, path);
  }
  getAppPath(): string {
    return this.appPath;
  }
  exit(code: number): void {
    this.exitCode = code;
  }
  quit(): void {
    this.isQuitting = true;
    this.emit('before-quit', { preventDefault: () => undefined });
  }
}

export class FakeFrame {
  readonly posted: { channel: string; ports: unknown[] }[] = [];
  origin: string;
  constructor(origin: string) {
    this.origin = origin;
  }
  postMessage(channel: string, _message: unknown, ports: unknown[] = []): void {
    this.posted.push({ channel, ports });
  }
}

export class FakeContents extends EventEmitter {
  readonly id: number;
  readonly mainFrame = new FakeFrame('app://bundle');
  reloads = 0;
  windowOpenHandler: ((details: { url: string }) => { action: string }) | null = null;
  constructor(id: number) {
    super();
    this.id = id;
  }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.windowOpenHandler = handler;
  }
  reload(): void {
    this.reloads += 1;
  }
}

class FakeWindow extends EventEmitter {
  readonly webContents: FakeContents;
  readonly options: Record<string, unknown>;
  url: string | null = null;
  shown = 0;
  focused = 0;
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    this.webContents = new FakeContents(state.windows.length + 1);
    state.windows.push(this);
    state.app.emit('web-contents-created', {}, this.webContents);
  }
  static getAllWindows(): FakeWindow[] {
    return state.windows;
  }
  loadURL(url: string): Promise<void> {
    this.url = url;
    return Promise.resolve();
  }
  isDestroyed(): boolean {
    return false;
  }
  isMinimized(): boolean {
    return false;
  }
  restore(): void {}
  show(): void {
    this.shown += 1;
  }
  focus(): void {
    this.focused += 1;
  }
}

type Handler = (...args: never[]) => unknown;

/** Remembers the handlers that a session was given. */
export class FakeSession {
  readonly handlers: Record<string, Handler> = {};
  readonly partition: string;
  constructor(partition: string) {
    this.partition = partition;
  }
  setPermissionRequestHandler(handler: Handler): void {
    this.handlers['permission-request'] = handler;
  }
  setPermissionCheckHandler(handler: Handler): void {
    this.handlers['permission-check'] = handler;
  }
  setDevicePermissionHandler(handler: Handler): void {
    this.handlers['device'] = handler;
  }
  setDisplayMediaRequestHandler(handler: Handler): void {
    this.handlers['display-media'] = handler;
  }
  readonly webRequest = {
    onBeforeRequest: (handler: Handler): void => {
      this.handlers['before-request'] = handler;
    },
  };
}

/** MessagePortMain over a port of Node: `message` events carry `data`. */
class FakePort extends EventEmitter {
  isClosed = false;
  private readonly port: MessagePort;
  constructor(port: MessagePort) {
    super();
    this.port = port;
    port.on('message', (data) => this.emit('message', { data, ports: [] }));
    port.on('close', () => this.emit('close'));
  }
  start(): void {
    this.port.start();
  }
  postMessage(message: unknown): void {
    this.port.postMessage(message);
  }
  close(): void {
    this.isClosed = true;
    this.port.close();
  }
}

export class FakeUtilityProcess extends EventEmitter {
  pid: number | undefined;
  readonly stderr = new PassThrough();
  readonly received: unknown[] = [];
  kills = 0;
  readonly path: string;
  readonly args: string[];
  readonly options: { serviceName: string };
  constructor(path: string, args: string[], options: { serviceName: string }) {
    super();
    this.path = path;
    this.args = args;
    this.options = options;
  }
  postMessage(message: unknown): void {
    this.received.push(message);
  }
  kill(): boolean {
    this.kills += 1;
    return true;
  }
}

/** A request of `net` that a test answers by hand. */
export class FakeClientRequest extends EventEmitter {
  written = '';
  isEnded = false;
  isAborted = false;
  readonly options: Record<string, unknown>;
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
  }
  write(chunk: string): void {
    this.written += chunk;
  }
  end(): void {
    this.isEnded = true;
  }
  abort(): void {
    this.isAborted = true;
    this.emit('close');
  }
  /** Answers with a status, headers and a body that streams. */
  answer(statusCode: number, headers: Record<string, string | string[]>, chunks: string[]): void {
    const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
    this.emit('response', Object.assign(body, { statusCode, statusMessage: 'fine', headers }));
  }
}

class FakeMessageChannel {
  readonly port1: FakePort;
  /** The page's end: a port of Node, which oRPC's client speaks to. */
  readonly port2: MessagePort;
  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = new FakePort(port1);
    this.port2 = port2;
    state.ports.push(this.port1);
  }
}

function freshState() {
  return {
    app: new FakeApp(),
    windows: [] as FakeWindow[],
    ports: [] as FakePort[],
    ipc: new EventEmitter(),
    schemes: [] as { scheme: string; privileges: Record<string, boolean> }[],
    protocols: new Map<string, (request: Request) => Response>(),
    sessions: new Map<string, FakeSession>(),
    opened: [] as string[],
    errors: [] as string[],
    children: [] as FakeUtilityProcess[],
    requests: [] as FakeClientRequest[],
    menu: null as unknown,
  };
}

let state = freshState();

export const electronState = (): ReturnType<typeof freshState> => state;
export const resetElectron = (): void => {
  state = freshState();
};

const sessionOf = (partition: string): FakeSession => {
  const known = state.sessions.get(partition) ?? new FakeSession(partition);
  state.sessions.set(partition, known);
  return known;
};

/** Delegates to the state of the moment, so that a reset reaches a module that has imported it. */
const current = <T extends object>(read: () => T): T =>
  new Proxy({} as T, {
    get(_target, name) {
      const target = read();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

export const app = current(() => state.app);
export const ipcMain = current(() => state.ipc);
export { FakeWindow as BrowserWindow, FakeMessageChannel as MessageChannelMain };
export const protocol = {
  registerSchemesAsPrivileged: (schemes: typeof state.schemes) => state.schemes.push(...schemes),
  handle: (scheme: string, handler: (request: Request) => Response) =>
    state.protocols.set(scheme, handler),
};
export const session = {
  get defaultSession(): FakeSession {
    return sessionOf('');
  },
  fromPartition: sessionOf,
};
export const shell = {
  openExternal: (url: string): Promise<void> => {
    state.opened.push(url);
    return Promise.resolve();
  },
};
export const dialog = {
  showErrorBox: (_title: string, text: string): void => void state.errors.push(text),
};
export const utilityProcess = {
  fork(path: string, args: string[], options: { serviceName: string }): FakeUtilityProcess {
    const child = new FakeUtilityProcess(path, args, options);
    state.children.push(child);
    return child;
  },
};
export const net = {
  request(options: Record<string, unknown>): FakeClientRequest {
    const request = new FakeClientRequest(options);
    state.requests.push(request);
    return request;
  },
};
export const Menu = {
  buildFromTemplate: (template: unknown): unknown => template,
  setApplicationMenu: (menu: unknown): void => {
    state.menu = menu;
  },
};
export const safeStorage = {
  isAsyncEncryptionAvailable: (): Promise<boolean> => Promise.resolve(true),
  encryptStringAsync: (text: string): Promise<Buffer> =>
    Promise.resolve(Buffer.concat([Buffer.from('v11'), Buffer.from(text).reverse()])),
  decryptStringAsync: (sealed: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> =>
    Promise.resolve({
      result: Buffer.from(sealed.subarray(3)).reverse().toString(),
      shouldReEncrypt: false,
    }),
};
