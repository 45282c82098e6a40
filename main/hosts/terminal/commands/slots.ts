import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { SlotBinding } from '../../../../contracts/slots.ts';
import type { GlobalOptions } from '../active-router.ts';
import { CommandFailed, UsageError, type TerminalContext } from '../context.ts';
import { plainLine } from '../evals/plain-line.ts';
import { readLayout } from '../slots/read-layout.ts';
import { withSlots, type SlotClient } from '../slots/open-slots.ts';
import { readSecret } from '../slots/read-secret.ts';
import { addSetOptions, bindingFrom, type SetOptions } from '../slots/slot-options.ts';
import { presetLines, slotLines, testLine } from '../slots/slot-text.ts';
import { styleOf } from '../style.ts';

type JsonOption = GlobalOptions & { readonly json?: boolean };

/** `trinity slots`: what the router's slots call, and with which keys. */
export function slotsCommand(context: TerminalContext): Command {
  return new Command('slots')
    .description('List, bind, test, import and export the slots.')
    .addCommand(listCommand(context))
    .addCommand(presetsCommand(context))
    .addCommand(setCommand(context))
    .addCommand(clearCommand(context))
    .addCommand(testCommand(context))
    .addCommand(modelsCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(importCommand(context))
    .addCommand(contactsCommand(context));
}

function listCommand(context: TerminalContext): Command {
  return new Command('list')
    .description('List the slots: binding, key, health, price.')
    .option('--json', 'print one JSON list')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<JsonOption>();
      return withSlots(context, options, async (slots) => {
        const list = await slots.list({});
        const style = styleOf(context.stdout, context.env);
        print(context, options.json, list, () => slotLines(list, style));
      });
    });
}

function presetsCommand(context: TerminalContext): Command {
  return new Command('presets')
    .description('List the providers that a slot can name.')
    .option('--json', 'print one JSON list')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<JsonOption>();
      return withSlots(context, options, async (slots) => {
        const presets = await slots.presets({});
        print(context, options.json, presets, () => presetLines(presets));
      });
    });
}

function setCommand(context: TerminalContext): Command {
  const command = new Command('set')
    .description('Bind a slot, or all of them to one provider. What is not named stays as it is.')
    .argument('<slot>', 'number of a slot, or `all`', readSlot);
  return addSetOptions(command).action(
    (target: number | 'all', _options: unknown, self: Command) => {
      const options = self.optsWithGlobals<SetOptions>();
      return withSlots(context, options, async (slots) => {
        const [presets, list] = await Promise.all([slots.presets({}), slots.list({})]);
        const before = list.find(({ index }) => index === (target === 'all' ? 0 : target));
        const bound = bindingFrom(
          target === 'all' ? 0 : target,
          before?.binding ?? null,
          options,
          presets,
        );
        const preset = presets.find(({ id }) => id === bound.provider);
        const baseUrl = bound.baseUrl ?? preset?.baseUrl ?? undefined;
        const binding = await withSecret(context, slots, bound, baseUrl, options);
        const { index: _index, name: _name, ...shared } = binding;
        const views = target === 'all' ? await slots.setAll(shared) : [await slots.set(binding)];
        context.stdout.write(slotLines(views, styleOf(context.stdout, context.env)));
      });
    },
  );
}

/** The binding with the key or header that standard input holds, stored for its server alone. */
async function withSecret(
  context: TerminalContext,
  slots: SlotClient,
  binding: SlotBinding,
  baseUrl: string | undefined,
  { keyStdin, headerStdin }: SetOptions,
): Promise<SlotBinding> {
  if (keyStdin !== true && headerStdin === undefined) return binding;
  if (keyStdin === true && headerStdin !== undefined) {
    throw new UsageError('standard input holds one secret: give --key-stdin or --header-stdin');
  }
  if (baseUrl === undefined)
    throw new UsageError('--base-url is needed: a key is kept for one server');
  const [best] = await slots.schemes({});
  if (best === undefined) throw new CommandFailed('this program cannot store keys here');
  const secret = await readSecret(context, headerStdin ?? 'key');
  const item = await slots.putKey({
    secret,
    baseUrl,
    scheme: best.scheme,
    kind: headerStdin === undefined ? 'key' : 'header',
  });
  context.stderr.write(`${best.explanation}\n`);
  return headerStdin === undefined
    ? { ...binding, keyRef: item.id }
    : { ...binding, headers: { ...binding.headers, [headerStdin]: item.id } };
}

function clearCommand(context: TerminalContext): Command {
  return new Command('clear')
    .description('Unbind a slot. Its key stays stored.')
    .argument('<slot>', 'number of a slot', readIndex)
    .action((index: number, _options: unknown, command: Command) =>
      withSlots(context, command.optsWithGlobals<GlobalOptions>(), async (slots) => {
        await slots.clear({ index });
      }),
    );
}

function testCommand(context: TerminalContext): Command {
  return new Command('test')
    .description('Try slots and say in plain words how it went.')
    .argument('[slot]', 'number of a slot; without it every bound one', readIndex)
    .option('--call', "make the smallest call with the slot's own parameters in any case")
    .option('--json', 'print one JSON list')
    .action((index: number | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<JsonOption & { readonly call?: boolean }>();
      return withSlots(context, options, async (slots) => {
        const bound = (await slots.list({})).filter(({ binding }) => binding !== null);
        const indices = index === undefined ? bound.map((slot) => slot.index) : [index];
        if (indices.length === 0) throw new CommandFailed('no slot is bound');
        const style = styleOf(context.stdout, context.env);
        const results = [];
        for (const slot of indices) {
          const result = await slots.test(
            { index: slot, call: options.call === true },
            { signal: context.signal },
          );
          results.push({ slot, ...result });
          if (options.json !== true) context.stdout.write(testLine(slot, result, style));
        }
        if (options.json === true) context.stdout.write(`${JSON.stringify(results)}\n`);
        if (results.some(({ ok }) => !ok)) throw new CommandFailed('');
      });
    });
}

function modelsCommand(context: TerminalContext): Command {
  return new Command('models')
    .description("List the models that a slot's provider offers.")
    .argument('<slot>', 'number of a slot', readIndex)
    .option('--json', 'print one JSON list')
    .action((index: number, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<JsonOption>();
      return withSlots(context, options, async (slots) => {
        const models = await slots.models({ index }, { signal: context.signal });
        print(context, options.json, models, () =>
          models.map((model) => `${shortened(plainLine(model))}\n`).join(''),
        );
      });
    });
}

/** A slot can name no longer model. */
const nameCharacters = 300;

function shortened(name: string): string {
  return name.length <= nameCharacters ? name : `${name.slice(0, nameCharacters)}…`;
}

function exportCommand(context: TerminalContext): Command {
  return new Command('export')
    .description('Print the layout, or write it to a file. Keys and header values are never in it.')
    .argument('[file]', 'a new file')
    .action((file: string | undefined, _options: unknown, command: Command) =>
      withSlots(context, command.optsWithGlobals<GlobalOptions>(), async (slots) => {
        const text = `${JSON.stringify(await slots.export({}), null, 2)}\n`;
        if (file === undefined) context.stdout.write(text);
        else writeFileSync(resolve(context.cwd, file), text, { flag: 'wx' });
      }),
    );
}

function importCommand(context: TerminalContext): Command {
  return new Command('import')
    .description('Replace all bindings. A slot keeps its key only if its server stays the same.')
    .argument('<file>', 'a file of `trinity slots export`')
    .action((file: string, _options: unknown, command: Command) =>
      withSlots(context, command.optsWithGlobals<GlobalOptions>(), async (slots) => {
        const views = await slots.import(readLayout(resolve(context.cwd, file)));
        context.stdout.write(slotLines(views, styleOf(context.stdout, context.env)));
      }),
    );
}

function contactsCommand(context: TerminalContext): Command {
  return new Command('contacts')
    .description('List the hosts contacted this month, what for, and how many bytes went each way.')
    .option('--json', 'print one JSON list')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<JsonOption>();
      return withSlots(context, options, async (slots) => {
        const contacts = await slots.contacts({});
        print(context, options.json, contacts, () =>
          contacts
            .map(
              ({ host, purpose, requests, bytesSent, bytesReceived }) =>
                `${host}  ${purpose}  ${requests} ${requests === 1 ? 'request' : 'requests'}  ${bytesSent} B out  ${bytesReceived} B in\n`,
            )
            .join(''),
        );
      });
    });
}

function print(
  context: TerminalContext,
  isJson: boolean | undefined,
  value: unknown,
  text: () => string,
): void {
  context.stdout.write(isJson === true ? `${JSON.stringify(value)}\n` : text());
}

function readSlot(text: string): number | 'all' {
  return text === 'all' ? text : readIndex(text);
}

function readIndex(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is the number of a slot, from 0.');
}
