/**
 * Entry of the route process: loads a router and routes. Started by the program under
 * `child_process.fork` or Electron's `utilityProcess`, never imported.
 */
import { parentChannel } from './process/parent-channel.ts';
import { serveRequests } from './process/process-server.ts';
import { toProcessSchema } from './process/protocol.ts';
import { RouteService } from './process/route-service.ts';

const channel = parentChannel();
const service = new RouteService();
channel.onClose(() => process.exit(0));
serveRequests(
  channel,
  (message) => toProcessSchema.parse(message),
  (message, context) => service.handle(message, context),
);
