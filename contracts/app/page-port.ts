/**
 * How a page in Electron gets its port. The page posts `portRequest` to its own window; the preload passes it
 * on; the main process checks the sender and answers with a MessagePort, which arrives as a window message
 * `portOffer` with one port. A page asks again after it was reloaded; the earlier port is closed then.
 *
 * Apart from the browser host's handshake, because the preload is to hold these lines and no library.
 */
export const portRequest = 'trinity:port-request';
export const portOffer = 'trinity:port-offer';

/** Address of the page in Electron: `app://bundle/`. */
export const pageScheme = 'app';
export const pageHost = 'bundle';
