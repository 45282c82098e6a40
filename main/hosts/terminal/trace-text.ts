import { stripVTControlCharacters } from 'node:util';
import { roleNames } from '../../../contracts/roles.ts';
import type { RouteDecision } from '../../../contracts/route.ts';
import type { ReplayedRoute } from '../../../coordinator/replay.ts';
import type { ReadLine } from '../../traces/reader.ts';
import type { TraceLine, TraceLineOf } from '../../traces/trace-line.ts';
import type { TraceReport } from '../../traces/verify.ts';
import { barRows, renderBars } from './bars.ts';
import { countText, unreadText } from './count-text.ts';
import { paint, type TerminalStyle } from './style.ts';

/** A line of a trace for a person; nothing for a line that says nothing by itself, such as a delta. */
export function traceText(read: ReadLine, style: TerminalStyle, showsBars: boolean): string[] {
  switch (read.kind) {
    case 'event':
      return eventText(read.line, style, showsBars);
    case 'unknown':
      return [paint(style, 'yellow', `${clean(read.head.type)}: unknown to this version`)];
    case 'broken':
      return [paint(style, 'red', `line ${read.number}: ${read.reason}`)];
    case 'torn':
      return [paint(style, 'yellow', 'the last line is torn: the program died while writing it')];
  }
}

function eventText(line: TraceLine, style: TerminalStyle, showsBars: boolean): string[] {
  switch (line.type) {
    case 'run_started': {
      const content = line.task === undefined ? 'hashes only' : 'with text';
      const head = `run ${clean(line.runId)}`;
      return [
        paint(style, 'bold', head),
        `  ${new Date(line.at).toISOString()}, ${line.agents}, ${countText(line.agentCount, 'slot')}, at most ${countText(line.maxTurns, 'turn')}, ${content}`,
        ...quoted(line.task),
      ];
    }
    case 'turn_started':
      return [paint(style, 'bold', `turn ${line.turn}`)];
    case 'routed':
      return decisionText(line.decision, style, showsBars);
    case 'dispatch_started':
      return [
        `  call ${line.call}: ${line.role} on slot ${line.slot}, ${clean(line.provider)} ${clean(line.model)}`,
      ];
    case 'delta':
      return [];
    case 'dispatch_finished':
      return [`  call ${line.call} ${finishText(line)}`];
    case 'dispatch_failed': {
      const status = line.httpStatus === null ? '' : `, HTTP ${line.httpStatus}`;
      const next = { retry: 'tried again', reselect: 'another slot', end: 'no further attempt' };
      const said = line.message === undefined ? '' : `: ${clean(line.message)}`;
      return [
        paint(
          style,
          'red',
          `  call ${line.call} failed (${clean(line.code)}${status})${said}, ${next[line.next]}`,
        ),
      ];
    }
    case 'turn_completed': {
      const state = line.complete ? '' : ', cut short';
      const verdict = line.verdict === null ? '' : `, ${line.verdict.status}`;
      const suggestion = line.suggestion === null ? '' : `, suggests ${line.suggestion.role}`;
      return [
        ...quoted(line.text),
        `  ${line.role}: ${countText(line.characters, 'character')}${state}${verdict}${suggestion}`,
      ];
    }
    case 'run_completed': {
      const budget = line.budget === null || line.status === 'max_turns' ? '' : ` (${line.budget})`;
      const answer = line.answerHash === null ? 'no answer' : 'with an answer';
      return [paint(style, 'bold', `ended: ${line.status}${budget}, ${answer}`)];
    }
    case 'run_failed': {
      const said = line.message === undefined ? '' : `: ${clean(line.message)}`;
      return [paint(style, 'red', `failed: ${clean(line.code)}${said}`)];
    }
  }
}

function decisionText(decision: RouteDecision, style: TerminalStyle, showsBars: boolean): string[] {
  const { slot, role, agentMargin, roleMargin, maskedMargin } = decision;
  const masked = maskedMargin === null ? '' : `, ${maskedMargin.toFixed(3)} of those left`;
  const lines = [
    `  slot ${slot.effective}${overruled(slot)} (${reasonText(slot.reason)}, margin ${inText(agentMargin)}${masked})`,
    `  ${role.effective}${overruled(role)} (${reasonText(role.reason)}, margin ${inText(roleMargin)})`,
    paint(
      style,
      'dim',
      `  ${countText(decision.tokenCount, 'token')}, ${unreadText(decision.window) ?? 'everything read'}, ` +
        `${decision.timings.totalMs.toFixed(0)} ms, ${decision.profile}, router ${decision.adapterRef.slice(0, 12)}`,
    ),
  ];
  if (!showsBars) return lines;
  const slots = decision.agentLogits.map((_, index) => `slot ${index}`);
  const roleIndex = roleNames.indexOf(role.effective);
  return [
    ...lines,
    ...renderBars(barRows(slots, decision.agentLogits, slot.effective), style),
    ...renderBars(barRows(roleNames, decision.roleLogits, roleIndex), style),
  ];
}

function overruled<T>({ raw, effective }: { readonly raw: T; readonly effective: T }): string {
  return raw === effective ? '' : ` instead of ${String(raw)}`;
}

function reasonText(reason: RouteDecision['slot' | 'role']['reason']): string {
  switch (reason.kind) {
    case 'router':
      return 'router';
    case 'pin':
      return 'pinned';
    case 'suggestion':
      return `suggested in turn ${reason.turn}`;
    case 'guard':
      return `guard over ${reason.over}: nothing to verify yet`;
    case 'mask':
      return `${reason.cause} over ${reason.over}`;
  }
}

function finishText(line: TraceLineOf<'dispatch_finished'>): string {
  const { usage, costUsd, firstTokenMs, latencyMs } = line;
  return [
    `${line.finishReason} after ${(latencyMs / 1000).toFixed(1)} s`,
    ...(firstTokenMs === null ? [] : [`first token ${firstTokenMs.toFixed(0)} ms`]),
    ...(usage === null
      ? []
      : [
          `${usage.inputTokens ?? '?'} in, ${usage.outputTokens ?? '?'} out${usage.estimated ? ' (estimated)' : ''}`,
        ]),
    costUsd === null ? 'price unknown' : `$${costUsd.toFixed(6)}`,
    ...(line.skippedChunks === 0 ? [] : [`${countText(line.skippedChunks, 'chunk')} passed over`]),
  ].join(', ');
}

/** The report of `trace verify` in words. */
export function reportText(report: TraceReport, style: TerminalStyle): string {
  const { problems } = report;
  const notes = [
    ...(report.isTorn ? ['the last line is torn: its writer died in it'] : []),
    ...(report.hasEnded
      ? []
      : ['the run has no end here: it is still going on, or its program died']),
    ...(report.unknown === 0
      ? []
      : [`${countText(report.unknown, 'line')} of a type unknown to this version`]),
  ];
  const found = problems.map(({ line, check, message }) =>
    paint(style, 'red', `line ${line}, ${check}: ${message}`),
  );
  const verdict =
    problems.length === 0
      ? paint(style, 'green', 'schema, order, chain and decisions agree')
      : paint(style, 'red', countText(problems.length, 'problem'));
  return [
    `run ${clean(report.runId)}: ${countText(report.lines, 'line')}, ${countText(report.turns, 'turn')}, ${countText(report.decisions, 'decision')}, ` +
      (report.content === 'full' ? 'with text' : 'hashes only'),
    ...notes.map((note) => paint(style, 'yellow', note)),
    ...found,
    verdict,
    '',
  ].join('\n');
}

/** One replayed turn in words. */
export function replayText(route: ReplayedRoute, style: TerminalStyle): string {
  const same = isSameDecision(route);
  const difference =
    route.logitDifference === null
      ? 'another number of logits'
      : `logits within ${route.logitDifference.toExponential(1)}`;
  const notes = [
    ...(route.sameTranscript ? [] : ['the text is not the one that was routed']),
    ...(route.sameRouter ? [] : ['another router or profile']),
  ];
  const words = same
    ? `the same: slot ${route.slot.now}, ${route.role.now}`
    : `slot ${route.slot.now} for ${route.slot.recorded}, ${route.role.now} for ${route.role.recorded}`;
  const line = `turn ${route.turn}: ${words}, ${difference}`;
  return [
    paint(style, same ? 'green' : 'red', line),
    ...notes.map((note) => paint(style, 'yellow', `  ${note}`)),
    '',
  ].join('\n');
}

export function isSameDecision({ slot, role }: ReplayedRoute): boolean {
  return slot.now === slot.recorded && role.now === role.recorded;
}

function quoted(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(/\r\n|\n|\r/).map((line) => `  | ${clean(line)}`);
}

/** Text of agents and files can hold control sequences; none reaches the terminal. */
function clean(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
}

function inText(margin: number | null): string {
  return margin === null ? 'none' : margin.toFixed(3);
}
