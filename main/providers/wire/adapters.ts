import type { WireFormat } from '../../../contracts/slots.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { googleGemini } from './google-gemini.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiResponses } from './openai-responses.ts';
import type { WireAdapter } from './port.ts';

/** The adapter of a wire format; null for rehearsal, which speaks to nobody. */
export function adapterOf(format: WireFormat): WireAdapter | null {
  switch (format) {
    case 'openai-chat':
      return openAiChat;
    case 'openai-responses':
      return openAiResponses;
    case 'anthropic-messages':
      return anthropicMessages;
    case 'google-gemini':
      return googleGemini;
    case 'rehearsal':
      return null;
  }
}
