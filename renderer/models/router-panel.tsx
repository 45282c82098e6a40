import type { RouterSummary } from '../../contracts/manifest.ts';
import { profileIdSchema } from '../../contracts/profiles.ts';
import { FactChip } from '../controls/fact-chip.tsx';
import { Field } from '../controls/field.tsx';
import { bytesText, countText, shortHash } from '../routing/numbers.ts';
import type { RouterStoreState } from '../stores/router-state.ts';
import { selectRouter } from '../stores/router.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { phaseSentence } from './router-words.ts';

const kinds: Readonly<Record<RouterSummary['kind'], string>> = {
  demo: 'demo, untrained',
  built: 'built here',
  imported: 'imported',
  'base+head': 'base and head only',
};

/** Which router decides, and on what it runs. */
export function RouterPanel() {
  const session = useSession();
  const { router, available, profiles, isSelecting } = usePart('router', (state) => state);
  if (router === null) return <p className="muted">Asking for the router…</p>;
  const isBusy =
    isSelecting || router.phase.state === 'loading' || router.phase.state === 'building';
  return (
    <>
      <p
        className={
          router.phase.state === 'failed' ? 'router-state router-state--failed' : 'router-state'
        }
      >
        {phaseSentence(router)}
      </p>
      <fieldset className="routers" aria-label="Router" disabled={isBusy}>
        {available.map((one) => (
          <RouterOption
            key={one.id}
            router={one}
            isActive={one.id === router.router?.id}
            onSelect={() => void selectRouter(session, one.id, router.profile)}
          />
        ))}
      </fieldset>
      <Field label="Runs on">
        {(ids) => (
          <select
            {...ids}
            className="select"
            disabled={isBusy}
            value={router.profile}
            onChange={({ target }) => {
              const profile = profileIdSchema.parse(target.value);
              void selectRouter(session, router.router?.id ?? 'demo', profile);
            }}
          >
            {profiles.map(({ id, availability }) => (
              <option key={id} value={id} disabled={availability.state === 'unavailable'}>
                {id}
                {availability.state === 'unavailable' ? ' (not available here)' : ''}
                {availability.state === 'available' && !availability.tested ? ' (untested)' : ''}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Unavailable profiles={profiles} />
    </>
  );
}

function RouterOption(props: { router: RouterSummary; isActive: boolean; onSelect: () => void }) {
  const { router, isActive, onSelect } = props;
  const isUsable = router.status === 'complete';
  return (
    <label className="choice choice--card">
      <input
        type="radio"
        name="router"
        checked={isActive}
        disabled={!isUsable}
        onChange={onSelect}
      />
      <span>
        {router.id}{' '}
        <FactChip tone={router.kind === 'demo' ? 'caution' : 'neutral'}>
          {kinds[router.kind]}
        </FactChip>
        <span className="choice__hint">
          {countText(router.agentCount, 'agent')}, {bytesText(router.bytes)}
          {router.adapterRef === null ? '' : `, ${shortHash(router.adapterRef)}`}
          {router.problem === null ? '' : `. ${router.problem}`}
        </span>
      </span>
    </label>
  );
}

/** Why some profiles cannot be chosen here, folded: on most computers most of them cannot. */
function Unavailable({ profiles }: { profiles: RouterStoreState['profiles'] }) {
  const reasons = profiles.flatMap(({ id, availability }) =>
    availability.state === 'unavailable' ? [{ id, reason: availability.reason }] : [],
  );
  if (reasons.length === 0) return null;
  return (
    <details className="more">
      <summary>Why {countText(reasons.length, 'other')} cannot be chosen here</summary>
      <dl className="profiles">
        {reasons.map(({ id, reason }) => (
          <div key={id}>
            <dt className="mono">{id}</dt>
            <dd>{reason}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
