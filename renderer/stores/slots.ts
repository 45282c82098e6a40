import type { SlotView } from '../../contracts/app/slots.ts';
import type { KeyScheme } from '../../contracts/keys.ts';
import type { SlotBindingInput } from '../../contracts/slots.ts';
import { failureOf } from './failure.ts';
import type { Session } from './session.ts';
import type { TestState } from './slot-state.ts';
import { report } from './view.ts';

export async function loadSlots(session: Session): Promise<void> {
  const { slots } = session.client;
  try {
    const [views, presets, schemes, keys, spending] = await Promise.all([
      slots.list({}),
      slots.presets({}),
      slots.schemes({}),
      slots.keys({}),
      slots.spending({}),
    ]);
    session.slots.setState({ slots: views, presets, schemes, keys, spending, phase: 'ready' });
  } catch (error) {
    report(session, 'The slots could not be read.', failureOf(error));
  }
}

/** Health and spending as the latest calls have left them. Called after runs: failing to ask is not news. */
export async function refreshHealth(session: Session): Promise<void> {
  const { slots } = session.client;
  const told = await Promise.all([slots.list({}), slots.spending({})]).catch(() => null);
  if (told !== null) session.slots.setState({ slots: told[0], spending: told[1] });
}

/** A secret on its way into the vault. It is held by no store. */
export interface NewKey {
  readonly secret: string;
  readonly baseUrl: string;
  readonly scheme: KeyScheme;
}

/** Binds one slot, with a fresh key where one was typed. */
export async function bindSlot(
  session: Session,
  binding: SlotBindingInput,
  key: NewKey | null,
): Promise<boolean> {
  return changing(session, 'The slot was not changed.', async () => {
    const keyRef = await storedKey(session, key);
    const view = await session.client.slots.set(keyRef === null ? binding : { ...binding, keyRef });
    replace(session, [view]);
  });
}

/** Binds every slot to one provider. */
export async function bindAllSlots(
  session: Session,
  binding: Omit<SlotBindingInput, 'index' | 'name'>,
  key: NewKey | null,
): Promise<boolean> {
  return changing(session, 'The slots were not changed.', async () => {
    const keyRef = await storedKey(session, key);
    const views = await session.client.slots.setAll(
      keyRef === null ? binding : { ...binding, keyRef },
    );
    replace(session, views);
  });
}

export async function clearSlot(session: Session, index: number): Promise<boolean> {
  return changing(session, 'The slot was not cleared.', async () => {
    await session.client.slots.clear({ index });
    await refreshHealth(session);
  });
}

/** Asks the slot's provider whether the binding works. A refusal is a result, not a failure. */
export async function testSlot(session: Session, index: number): Promise<void> {
  setTest(session, index, { phase: 'testing' });
  try {
    const result = await session.client.slots.test({ index });
    setTest(session, index, { phase: 'done', result });
  } catch (error) {
    const { code, message } = failureOf(error);
    const result = { ok: false, code, message, latencyMs: 0, models: [] };
    setTest(session, index, { phase: 'done', result });
  }
  await refreshHealth(session);
}

async function storedKey(session: Session, key: NewKey | null): Promise<string | null> {
  if (key === null) return null;
  const item = await session.client.slots.putKey(key);
  session.slots.setState(({ keys }) => ({
    keys: [...keys.filter(({ id }) => id !== item.id), item],
  }));
  return item.id;
}

function replace(session: Session, views: readonly SlotView[]): void {
  const fresh = new Map(views.map((view) => [view.index, view]));
  session.slots.setState(({ slots, tests }) => ({
    slots: slots.map((slot) => fresh.get(slot.index) ?? slot),
    tests: Object.fromEntries(Object.entries(tests).filter(([index]) => !fresh.has(Number(index)))),
  }));
}

function setTest(session: Session, index: number, test: TestState): void {
  session.slots.setState(({ tests }) => ({ tests: { ...tests, [index]: test } }));
}

async function changing(
  session: Session,
  whatFailed: string,
  change: () => Promise<void>,
): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    report(session, whatFailed, failureOf(error));
    return false;
  }
}
