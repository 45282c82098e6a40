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

export const settingsContract = {
  about: oc.input(z.object({})).output(aboutSchema),
  get: oc.input(z.object({})).output(settingsSchema),
  /** Replaces the members given; slots are changed through `slots`. */
  update: oc
    .input(settingsSchema.omit({ version: true, slots: true }).partial())
    .output(settingsSchema),
};
