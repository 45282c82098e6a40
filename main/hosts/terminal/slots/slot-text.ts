import type { ProviderPreset, SlotTest, SlotView } from '../../../../contracts/app/slots.ts';
import { printable } from '../chat/printable.ts';
import { paint, type TerminalStyle } from '../style.ts';

/** The slots as lines: what each calls, with which key, how it is and what it costs. */
export function slotLines(slots: readonly SlotView[], style: TerminalStyle): string {
  return slots.map((slot) => `${slotLine(slot, style)}\n`).join('');
}

function slotLine(
  { index, checkpointLabel, binding, key, health, price }: SlotView,
  style: TerminalStyle,
): string {
  const label = paint(style, 'dim', `label ${printable(checkpointLabel)}`);
  if (binding === null) return `${index}  ${paint(style, 'dim', 'not bound')}  ${label}`;
  const parts = [
    `${index}  ${paint(style, 'bold', printable(binding.name))}`,
    `${binding.provider} ${printable(binding.model)}`,
    ...(binding.baseUrl === undefined ? [] : [binding.baseUrl]),
    keyText(key),
    ...(binding.enabled ? [] : [paint(style, 'yellow', 'off')]),
    healthText(health, style),
    price === null
      ? 'price unknown'
      : `$${price.inputUsdPerMillion}/$${price.outputUsdPerMillion} per million${price.asOf === null ? '' : ` (${price.asOf})`}`,
    label,
  ];
  return parts.join('  ');
}

function keyText(key: SlotView['key']): string {
  if (key === null) return 'no key';
  const end = key.last4 === null ? '' : ` …${key.last4}`;
  return key.scheme === 'env' ? `key from environment${end}` : `key ${key.scheme}${end}`;
}

function healthText(health: SlotView['health'], style: TerminalStyle): string {
  switch (health.state) {
    case 'untried':
      return 'untried';
    case 'healthy':
      return paint(style, 'green', 'healthy');
    case 'limited':
      return paint(style, 'yellow', `limited until ${new Date(health.until).toISOString()}`);
    case 'failing':
      return paint(style, 'red', `failing (${health.code})`);
  }
}

export function presetLines(presets: readonly ProviderPreset[]): string {
  const width = Math.max(...presets.map(({ id }) => id.length));
  return presets
    .map(({ id, name, wireFormat, baseUrl, keyVariable, modelExamples }) =>
      [
        id.padEnd(width),
        name,
        baseUrl ?? placeOf(wireFormat),
        keyVariable,
        modelExamples.join(', '),
      ]
        .filter((part) => part !== null && part !== '')
        .join('  '),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function placeOf(wireFormat: ProviderPreset['wireFormat']): string {
  return wireFormat === 'rehearsal' ? 'no network' : 'base URL needed';
}

export function testLine(index: number, result: SlotTest, style: TerminalStyle): string {
  const mark = result.ok ? paint(style, 'green', 'ok  ') : paint(style, 'red', 'FAIL');
  const code = result.code === null ? '' : ` (${result.code})`;
  return `${mark} slot ${index}: ${printable(result.message)}${code}, ${Math.round(result.latencyMs)} ms\n`;
}
