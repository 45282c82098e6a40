import { oc } from '@orpc/contract';
import { z } from 'zod';
import { settingsSchema } from '../settings.ts';

/** What the window may know of the program it talks to. */
export const aboutSchema = z.object({
  name: z.string(),
  version: z.string(),
  host: z.enum(['electron', 'browser', 'terminal']),
  platform: z.string(),
  dataDirectory: z.string(),
  node: z.string(),
  onnxRuntime: z.string(),
});
export type About = z.infer<typeof aboutSchema>;

/** Something that a person should know of this start: settings set aside, runs that a crash ended. */
export const noticeSchema = z.object({
  code: z.string(),
  message: z.string(),
});
export type Notice = z.infer<typeof noticeSchema>;

const { shape } = settingsSchema;

/**
 * A change of settings: each member given replaces the stored one, an absent member stays.
 * Members are unwrapped from their defaults, because a default would fill an absent member in. Unknown
 * members are refused at every depth: what was asked for would otherwise be dropped without a word.
 */
export const settingsChangeSchema = z.strictObject({
  theme: shape.theme.unwrap().optional(),
  router: shape.router.unwrap().optional(),
  profile: shape.profile.unwrap().optional(),
  windowTokens: shape.windowTokens.unwrap().optional(),
  agents: shape.agents.unwrap().optional(),
  budgets: shape.budgets.unwrap().strict().optional(),
  selection: shape.selection.unwrap().strict().optional(),
  roleInstructions: shape.roleInstructions.unwrap().strict().optional(),
  coordinator: shape.coordinator.unwrap().strict().optional(),
  traces: shape.traces.unwrap().strict().optional(),
  checkForUpdates: shape.checkForUpdates.unwrap().optional(),
});
export type SettingsChange = z.output<typeof settingsChangeSchema>;

/** Settings of one start: of a group of settings, what is absent stays as it is stored. */
export type StartOverrides = {
  readonly [Member in keyof SettingsChange]?: Partial<SettingsChange[Member]>;
};

export const settingsContract = {
  about: oc.input(z.object({})).output(aboutSchema),
  /** What this start has to say, oldest first. */
  notices: oc.input(z.object({})).output(z.array(noticeSchema)),
  get: oc.input(z.object({})).output(settingsSchema),
  /** Replaces the members given; slots are changed through `slots`. */
  update: oc.input(settingsChangeSchema).output(settingsSchema),
};
