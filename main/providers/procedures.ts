import { implement } from '@orpc/server';
import { slotsContract } from '../../contracts/app/slots.ts';
import type { KeyVault } from '../../contracts/ports.ts';
import type { ContactLedger } from './ledger.ts';
import { publicPresets } from './presets.ts';
import type { SlotService } from './slot-service.ts';
import type { Spending } from './spending.ts';

/** The procedures of `slots`. */
export function slotProcedures(parts: {
  readonly slots: SlotService;
  readonly vault: KeyVault;
  readonly spending: Spending;
  readonly ledger: ContactLedger;
}) {
  const os = implement(slotsContract);
  const { slots, vault, spending, ledger } = parts;
  const never = new AbortController().signal;
  return {
    presets: os.presets.handler(() => publicPresets()),
    list: os.list.handler(() => slots.list()),
    set: os.set.handler(({ input }) => slots.set(input)),
    setAll: os.setAll.handler(({ input }) => slots.setAll(input)),
    clear: os.clear.handler(async ({ input }) => {
      await slots.clear(input.index);
      return {};
    }),
    schemes: os.schemes.handler(async () => [...(await vault.schemes())]),
    keys: os.keys.handler(async () => [...(await vault.list())]),
    putKey: os.putKey.handler(({ input }) =>
      slots.putKey(input.secret, input.baseUrl, input.scheme, input.kind),
    ),
    removeKey: os.removeKey.handler(async ({ input }) => {
      await slots.removeKey(input.id);
      return {};
    }),
    test: os.test.handler(({ input, signal }) =>
      slots.test(input.index, input.call, signal ?? never),
    ),
    models: os.models.handler(({ input, signal }) => slots.models(input.index, signal ?? never)),
    export: os.export.handler(() => slots.export()),
    import: os.import.handler(({ input }) => slots.import(input)),
    spending: os.spending.handler(() => spending.totals()),
    contacts: os.contacts.handler(() => ledger.contacts()),
  };
}
