import { createApp } from '../app.ts';
import { dataLayout } from './data-layout.ts';
import type { HostedApp, HostParts } from './hosted-app.ts';

/** Opens the app for a long-lived host, and begins to load its router, so that the first message finds it ready. */
export async function openApp(parts: HostParts): Promise<HostedApp> {
  const { baseFolders } = dataLayout(parts.dataDirectory, process.env);
  const app = await createApp({ ...parts, baseFolders });
  app.models.warm();
  return app;
}
