import { z } from 'zod';
import { finishReasons } from '../../../contracts/events.ts';
import { roleNameSchema } from '../../../contracts/roles.ts';
import { ProviderError, providerCodes } from '../failure.ts';

/** When an entry of a rehearsal script applies: every member given must hold. */
const conditionSchema = z.strictObject({
  role: roleNameSchema.optional(),
  slot: z.number().int().min(0).max(255).optional(),
  turn: z.number().int().min(1).optional(),
  /** The last message contains this text. */
  contains: z.string().min(1).optional(),
});

const entrySchema = z.strictObject({
  when: conditionSchema.default({}),
  /** How many calls the entry serves; without it, every call it matches. */
  times: z.number().int().min(1).optional(),
  reasoning: z.string().default(''),
  /** The exact answer, whatever the role's grammar makes of it. */
  reply: z.string().default(''),
  finishReason: z.enum(finishReasons).default('stop'),
  skippedChunks: z.number().int().min(0).default(0),
  /** Waits for Stop or a deadline: before the first character, or after the reply. */
  stall: z.enum(['before', 'after']).optional(),
  /** Fails after the reply; with an empty reply it fails before any content. */
  error: z
    .strictObject({
      code: z.enum(providerCodes),
      httpStatus: z.number().int().optional(),
      retryAfterMs: z.number().min(0).optional(),
    })
    .optional(),
});
export type RehearsalEntry = z.output<typeof entrySchema>;

export const rehearsalScriptSchema = z.strictObject({
  version: z.literal(1),
  entries: z.array(entrySchema).max(10_000),
});
export type RehearsalScript = z.output<typeof rehearsalScriptSchema>;

const scriptCharacters = 16_000_000;

/**
 * A rehearsal script from its JSON text.
 *
 * @throws ProviderError `script_invalid` naming the first member that is wrong
 */
export function parseRehearsalScript(text: string): RehearsalScript {
  if (text.length > scriptCharacters) throw invalid('it is longer than 16 million characters');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid('it is not JSON', error);
  }
  const parsed = rehearsalScriptSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? 'root' : issue.path.join('.');
  throw invalid(`${where}: ${issue?.message ?? 'wrong shape'}`, parsed.error);
}

function invalid(reason: string, cause?: unknown): ProviderError {
  return new ProviderError('script_invalid', `The rehearsal script cannot be used: ${reason}.`, {
    cause,
  });
}
