import type { WireFormat } from '../../../contracts/slots.ts';
import { openAiChat } from './openai-chat.ts';
import type { WireAdapter } from './port.ts';

/** The adapter of a wire format; null for rehearsal, which speaks to nobody. */
export function adapterOf(format: WireFormat): WireAdapter | null {
  switch (format) {
    case 'openai-chat':
      return openAiChat;
    case 'openai-responses':
    case 'anthropic-messages':
    case 'google-gemini':
    case 'rehearsal':
      return null;
  }
}
