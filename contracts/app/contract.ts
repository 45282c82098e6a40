import { chatContract } from './chat.ts';
import { evalsContract } from './evals.ts';
import { modelsContract } from './models.ts';
import { settingsContract } from './settings.ts';
import { slotsContract } from './slots.ts';
import { tracesContract } from './traces.ts';

/** Everything a window can ask of the app. The browser host and Electron serve the same contract. */
export const appContract = {
  chat: chatContract,
  slots: slotsContract,
  models: modelsContract,
  evals: evalsContract,
  settings: settingsContract,
  traces: tracesContract,
};
export type AppContract = typeof appContract;
