import type { ReactNode } from 'react';
import type { RouteDecision } from '../../contracts/route.ts';
import type { TurnRecord } from '../../contracts/stored.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { costText, countText, durationText, logitText, shortHash } from './numbers.ts';

/** Numbers and identity of a decision. `turn` is absent in a preview, which called nobody. */
export function DecisionFacts({ decision, turn }: { decision: RouteDecision; turn?: TurnRecord }) {
  const { window, timings } = decision;
  return (
    <>
      <Facts title="What the router read">
        <Row name="Tokens" value={decision.tokenCount.toLocaleString('en')} />
        <Row name="Hidden state at" value={`token ${decision.hiddenIndex.toLocaleString('en')}`} />
        <Row name="Reused from cache" value={countText(decision.reusedTokens, 'token')} />
        <Row
          name="Window"
          value={
            window.limit === null ? 'everything' : `${window.limit.toLocaleString('en')} tokens`
          }
        />
        <Row
          name="Left out"
          value={
            window.omitted === 0 && window.cut === 0
              ? 'nothing'
              : `${countText(window.omitted, 'message')}, ${window.cut} cut short`
          }
        />
      </Facts>
      <Facts title="Margins">
        <Row name="Agent" value={logitText(decision.agentMargin)} />
        <Row name="Role" value={logitText(decision.roleMargin)} />
        <Row
          name="Agent, after masking"
          value={
            decision.maskedMargin === null ? 'nothing masked' : logitText(decision.maskedMargin)
          }
        />
        <Row name="Selection" value={selectionWords(decision)} />
      </Facts>
      <Facts title="Time">
        <Row name="Routing" value={durationText(timings.totalMs)} />
        <Row name="of it waiting" value={durationText(timings.queueMs)} />
        <Row name="of it tokenising" value={durationText(timings.tokenizeMs)} />
        <Row
          name="of it running"
          value={`${durationText(timings.runMs)} in ${countText(timings.chunks, 'chunk')}`}
        />
        {turn === undefined ? null : <CallRows turn={turn} />}
      </Facts>
      <Facts title="Identity">
        <Row name="Profile" value={decision.profile} />
        <Row name="Graph" value={`version ${decision.graphVersion}`} />
        <Row name="Tokenizer" value={decision.tokenizer} />
        <Hash name="Router" hash={decision.adapterRef} />
        <Hash name="Transcript" hash={decision.transcriptHash} />
        <Hash name="Read text" hash={decision.routedHash} />
      </Facts>
    </>
  );
}

function CallRows({ turn }: { turn: TurnRecord }) {
  const { usage } = turn;
  const tokens = (count: number | null) => count?.toLocaleString('en') ?? '?';
  return (
    <>
      <Row name="Agent’s first word" value={durationText(turn.firstTokenMs)} />
      <Row name="Agent’s answer" value={durationText(turn.latencyMs)} />
      {usage === null ? null : (
        <Row
          name="Agent’s tokens"
          value={`${tokens(usage.inputTokens)} in, ${tokens(usage.outputTokens)} out${usage.estimated ? ', estimated' : ''}`}
        />
      )}
      <Row name="Cost" value={costText(turn.costUsd)} />
    </>
  );
}

function selectionWords({ selection }: RouteDecision): string {
  const { mode, temperature, seed } = selection;
  if (mode === 'argmax') return 'highest logit';
  if (mode === 'softmax') return `highest logit, shares at T ${temperature}`;
  return `drawn at random by share, T ${temperature}${seed === null ? '' : `, seed ${seed}`}`;
}

function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="facts">
      <h3>{title}</h3>
      <dl>{children}</dl>
    </section>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div className="facts__row">
      <dt>{name}</dt>
      <dd className="numeric">{value}</dd>
    </div>
  );
}

function Hash({ name, hash }: { name: string; hash: string }) {
  return (
    <div className="facts__row">
      <dt>{name}</dt>
      <dd className="facts__hash">
        <span className="mono" title={hash}>
          {shortHash(hash)}
        </span>
        <CopyButton text={hash} label={`Copy the whole hash: ${name.toLowerCase()}`} />
      </dd>
    </div>
  );
}
