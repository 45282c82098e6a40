import type { IpcMain, IpcMainEvent, MessageChannelMain, MessagePortMain } from 'electron';
import type { AnyRouter } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { portOffer, portRequest } from '../../../contracts/app/page-port.ts';
import { pageOrigin } from './page-scheme.ts';

export interface PagePortParts {
  readonly ipc: Pick<IpcMain, 'on'>;
  readonly router: AnyRouter;
  readonly createChannel: () => MessageChannelMain;
  /** True for the contents of a window that this host opened. */
  readonly isOurs: (contentsId: number) => boolean;
}

/**
 * Gives a page of ours a port that speaks the app's contract when it asks for one. Anyone else is not answered:
 * another frame, another window, another origin. A page that was reloaded asks again, and its earlier port is
 * closed, which ends the streams of the earlier page.
 */
export function offerPagePorts(parts: PagePortParts): void {
  const handler = new RPCHandler(parts.router);
  const ports = new Map<number, MessagePortMain>();
  parts.ipc.on(portRequest, (event) => {
    if (!isPage(event, parts.isOurs)) return;
    const id = event.sender.id;
    ports.get(id)?.close();
    const { port1, port2 } = parts.createChannel();
    ports.set(id, port1);
    event.sender.once('destroyed', () => port1.close());
    handler.upgrade(port1, { context: {} });
    port1.start();
    event.senderFrame?.postMessage(portOffer, null, [port2]);
  });
}

function isPage(event: IpcMainEvent, isOurs: (contentsId: number) => boolean): boolean {
  const frame = event.senderFrame;
  return (
    frame !== null &&
    isOurs(event.sender.id) &&
    frame === event.sender.mainFrame &&
    frame.origin === pageOrigin
  );
}
