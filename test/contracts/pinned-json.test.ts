import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { budgetsSchema } from '../../contracts/budgets.ts';
import {
  evalCaseResultSchema,
  evalCaseSchema,
  evalHeaderSchema,
  evalSummarySchema,
  marginFloorsSchema,
} from '../../contracts/evals.ts';
import { runEventSchema } from '../../contracts/events.ts';
import { failureSchema } from '../../contracts/failure.ts';
import { vaultItemSchema } from '../../contracts/keys.ts';
import { routerManifestSchema, routerSummarySchema } from '../../contracts/manifest.ts';
import { availabilitySchema, precisionMapSchema } from '../../contracts/profiles.ts';
import {
  routeDecisionSchema,
  routeLogitsSchema,
  routeRequestSchema,
} from '../../contracts/route.ts';
import { settingsSchema } from '../../contracts/settings.ts';
import { slotBindingSchema, slotHealthSchema } from '../../contracts/slots.ts';
import { conversationSchema } from '../../contracts/stored.ts';
import { messagesSchema } from '../../contracts/transcript.ts';

const contracts = {
  availability: availabilitySchema,
  budgets: budgetsSchema,
  conversation: conversationSchema,
  evalCase: evalCaseSchema,
  evalCaseResult: evalCaseResultSchema,
  evalHeader: evalHeaderSchema,
  evalSummary: evalSummarySchema,
  failure: failureSchema,
  marginFloors: marginFloorsSchema,
  messages: messagesSchema,
  precisionMap: precisionMapSchema,
  routeDecision: routeDecisionSchema,
  routeLogits: routeLogitsSchema,
  routeRequest: routeRequestSchema,
  routerManifest: routerManifestSchema,
  routerSummary: routerSummarySchema,
  runEvent: runEventSchema,
  settings: settingsSchema,
  slotBinding: slotBindingSchema,
  slotHealth: slotHealthSchema,
  vaultItem: vaultItemSchema,
} as const;

/**
 * The JSON of every contract, pinned as JSON Schema. A difference is a change that files on disk, traces
 * and other programs will see: give its reason in docs/decisions before updating the file.
 */
describe('contracts', () => {
  for (const [name, schema] of Object.entries(contracts)) {
    it(`keep the JSON of ${name}`, async () => {
      const pinned = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }), null, 1);
      await expect(`${pinned}\n`).toMatchFileSnapshot(`pinned/${name}.json`);
    });
  }
});
