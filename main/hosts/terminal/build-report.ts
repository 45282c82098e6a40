import type { BuildEvent, BuildRequest } from '../../../contracts/build.ts';
import type { RouterManifest } from '../../../contracts/manifest.ts';
import { runBuild } from '../../../model-runtime/client.ts';
import { nativeLogTo } from '../native-log.ts';
import { createSystemClock } from '../system-clock.ts';
import type { GlobalOptions } from './active-router.ts';
import type { TerminalContext } from './context.ts';
import { clearLine, styleOf } from './style.ts';

/**
 * Runs a build, telling what it does: with `json` every event as one line of JSON on stdout, else a line a
 * tensor and, on a terminal, a line of progress with the time to go on stderr. Ctrl-C stops the build; what is
 * finished is kept.
 */
export async function reportBuild(
  context: TerminalContext,
  request: BuildRequest,
  options: GlobalOptions & { readonly json?: boolean },
): Promise<RouterManifest | null> {
  const show = options.json === true ? jsonLines(context) : readableLines(context);
  return runBuild(request, {
    launcher: context.launcher,
    clock: createSystemClock(),
    signal: context.signal,
    onEvent: show,
    ...(options.debugNative === true && { onLog: nativeLogTo(context.stderr) }),
  });
}

function jsonLines(context: TerminalContext): (event: BuildEvent) => void {
  return (event) => void context.stdout.write(`${JSON.stringify(event)}\n`);
}

function readableLines(context: TerminalContext): (event: BuildEvent) => void {
  const { columns, canRedraw: isLive } = styleOf(context.stderr, context.env);
  const clear = isLive ? clearLine : '';
  return (event) => {
    switch (event.type) {
      case 'planned':
        context.stdout.write(`${clear}${planText(event)}\n`);
        return;
      case 'progress':
        if (isLive) context.stderr.write(`${clear}${progressText(event).slice(0, columns - 1)}`);
        return;
      case 'tensor_finished': {
        const how = event.fromCache ? ', decomposition kept from before' : '';
        const c = event.c === null ? '' : `  c = ${event.c.toFixed(6)}`;
        const line = `${event.tensor}${c}  ${seconds(event.ms)}${how}`;
        if (isLive) context.stderr.write(clear);
        context.stdout.write(`${line}\n`);
        return;
      }
      case 'finished':
        if (isLive) context.stderr.write(clear);
        context.stdout.write(`${finishedText(event)}\n`);
        return;
    }
  };
}

function planText({ out, tensors, resumes }: Extract<BuildEvent, { type: 'planned' }>): string {
  const count = (action: string) => tensors.filter((tensor) => tensor.action === action).length;
  const kept = count('keep') > 0 ? `, ${count('keep')} kept` : '';
  const head = `${resumes ? 'going on with' : 'building'} ${out}: ${count('build')} tensors to build${kept}`;
  const lines = tensors.map(({ name, shape, offsets, offsetsL1, action }) => {
    const span = `${offsets[0]}-${offsets[1]}`.padStart(11);
    const l1 = (offsetsL1 ?? 0).toFixed(3).padStart(9);
    return `  ${action.padEnd(5)} ${span}  sum |d| ${l1}  [${shape.join(', ')}] ${name}`;
  });
  return [head, ...lines].join('\n');
}

function progressText(event: Extract<BuildEvent, { type: 'progress' }>): string {
  const percent = `${Math.floor(event.fraction * 100)} %`.padStart(5);
  const eta = event.etaMs === null ? '' : `, ${seconds(event.etaMs)} to go`;
  const stage = `${event.stage} ${Math.floor(event.stageFraction * 100)} %`;
  return `${percent}${eta}  ${event.tensor ?? 'the base'}: ${stage}`;
}

function finishedText({ ms, manifest }: Extract<BuildEvent, { type: 'finished' }>): string {
  if (manifest === null) return 'nothing was written (dry run)';
  if (manifest.status === 'partial') {
    return `stopped after the tensor asked for (${seconds(ms)}); build again to complete the router`;
  }
  return `finished in ${seconds(ms)}: router ${manifest.adapterRef.slice(0, 12)}`;
}

function seconds(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
