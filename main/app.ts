import { join } from 'node:path';
import { implement } from '@orpc/server';
import { appContract } from '../contracts/app/contract.ts';
import { aboutProgram } from './app-about.ts';
import { failuresForPages } from './app-failures.ts';
import { knownValues } from './app-known-values.ts';
import { Notices } from './app-notices.ts';
import { assetsFolder, watchablePaceMs, type AppParts } from './app-parts.ts';
import { routerClientOf } from './app-router-client.ts';
import { ConversationService } from './conversations/conversation-service.ts';
import { coordinatorLoop } from './conversations/coordinator-loop.ts';
import { chatProcedures } from './conversations/procedures.ts';
import { EvalService } from './evals/eval-service.ts';
import { evalProcedures } from './evals/procedures.ts';
import { ModelService } from './models/model-service.ts';
import { modelProcedures } from './models/procedures.ts';
import { slotProcedures } from './providers/procedures.ts';
import { openProviders } from './providers/providers.ts';
import { settingsProcedures } from './settings/procedures.ts';
import { writeTextAtomically } from './settings/atomic-text.ts';
import { SettingsFile } from './settings/settings-file.ts';
import { SettingsService } from './settings/settings-service.ts';
import { tracesProcedures } from './traces/procedures.ts';
import { TraceService } from './traces/trace-service.ts';

/** The services behind one data directory, and the router that pages reach them through. */
export type App = Awaited<ReturnType<typeof createApp>>;

/**
 * Opens the services of a data directory and hands them to one another.
 *
 * @throws the typed error of the service that could not be opened
 */
export async function createApp(parts: AppParts) {
  const { host, dataDirectory, vault, clock, random } = parts;
  const notices = new Notices();
  const stored = await SettingsService.open(new SettingsFile({ dataDirectory, clock, random }));
  const settings = parts.overrides ? stored.forThisStart(parts.overrides) : stored;
  const client = routerClientOf(parts, () => evals);
  const evals = new EvalService({
    folder: join(dataDirectory, 'evals'),
    write: (path, text) => writeTextAtomically(path, text, random.id()),
    routers: client,
  });
  const models = await ModelService.open(client, await evals.usableDefault(settings.current));
  const providers = await openProviders({
    store: { read: () => settings.current.slots, update: (change) => settings.updateSlots(change) },
    vault,
    http: parts.httpClient,
    clock,
    random,
    agentLabels: () => models.agentLabels,
    countTokens: (texts, signal) => models.countTokens(texts, signal),
    folder: join(dataDirectory, 'providers'),
    pricesFile: join(parts.assets ?? assetsFolder, 'prices', 'prices.json'),
    rehearsalPaceMs: parts.rehearsal?.paceMs ?? watchablePaceMs,
    rehearsalScript: parts.rehearsal?.script ?? null,
    onProblem: (error) => notices.addProblem(error),
  });
  const traces = new TraceService({
    directory: join(dataDirectory, 'traces'),
    keyFile: join(dataDirectory, 'trace.key'),
    settings: () => settings.current.traces,
    known: () => knownValues(settings.current.slots, vault),
    onProblem: (problem) => notices.add(problem),
  });
  const opened: ConversationService[] = [];
  const openConversations = (directory: string | null): ConversationService => {
    const service = new ConversationService({
      dataDirectory: directory,
      loop: coordinatorLoop({
        settings: () => settings.current,
        router: models.router,
        agents: (kind) => providers.agents(kind),
        clock,
        random,
      }),
      openTrace: (run) => {
        const file = parts.traceFile?.();
        return file === undefined ? traces.open(run) : traces.openFile(file, run);
      },
      clock,
      random,
    });
    opened.push(service);
    return service;
  };
  const conversations = openConversations(parts.isEphemeral === true ? null : dataDirectory);
  notices.include(settings, evals, models, conversations);

  const os = implement(appContract).use(failuresForPages);
  const router = os.router({
    chat: chatProcedures(conversations),
    slots: slotProcedures({ ...providers, vault }),
    traces: tracesProcedures(traces),
    evals: evalProcedures(evals, (id) => conversations.runs.read(id)),
    models: modelProcedures(models, (choice) => settings.update(choice), evals.requireDefault),
    settings: settingsProcedures(
      settings,
      () => aboutProgram(host, dataDirectory),
      () => notices.list(),
      evals.requireDefault,
    ),
  });
  return {
    router,
    conversations,
    models,
    settings,
    notices: () => notices.list(),
    /** Conversations of another database, null for one in memory, with the same router and agents. */
    openConversations,
    /** Ends runs, keeping their partial text, and child processes. May be called twice. */
    close: async (): Promise<void> => {
      await Promise.all(opened.map((service) => service.close()));
      await models.close();
      await providers.close();
    },
  };
}
