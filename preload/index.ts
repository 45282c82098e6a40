import { ipcRenderer } from 'electron';
import { portOffer, portRequest } from '../contracts/app/page-port.ts';

/**
 * The bridge, nothing more: passes the page's request for a port to the main process, and the port to the
 * page. A MessagePort does not go through contextBridge, so both travel as window messages.
 */
window.addEventListener('message', (event: MessageEvent) => {
  if (event.source === window && event.data === portRequest) ipcRenderer.send(portRequest);
});
ipcRenderer.on(portOffer, (event) => {
  window.postMessage(portOffer, window.location.origin, [...event.ports]);
});
