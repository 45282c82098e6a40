import { z } from 'zod';

/** Roles a routed message may have. Anything else is refused at insert. */
export const messageRoles = ['system', 'user', 'assistant'] as const;

/** One message of a transcript. Content is kept as it is: neither trimmed nor escaped. */
export const messageSchema = z.strictObject({
  role: z.enum(messageRoles),
  content: z.string(),
});
export type Message = Readonly<z.infer<typeof messageSchema>>;

export const messagesSchema = z.array(messageSchema);

/**
 * The text the router reads: `role: content` lines joined by one `\n`, no trailing newline,
 * no chat template.
 *
 * Source: TRINITY's extractor. A content that contains a newline followed by `assistant:` reads like
 * another turn: the format has no escape.
 */
export function routedText(messages: readonly Message[]): string {
  return messages.map((message) => `${message.role}: ${message.content}`).join('\n');
}
