/**
 * The runtime's public face: everything outside this folder comes through here. Nothing in it loads ONNX
 * Runtime: that lives in child processes.
 */
export {
  createRouterClient,
  type RouterClient,
  type SelectOptions,
} from './process/router-client.ts';
export type { CalibratedPrecision, RouterClientOptions } from './process/client-options.ts';
export { resolveRouter, demoName, type NamedRouter } from './artifact/naming.ts';
export { listRouters, summarise as summariseRouter } from './artifact/router-directory.ts';
export { cancelMs } from './process/route-supervisor.ts';
export { profileNames, profilePrecisions } from './session/profiles.ts';
export { uncappedCharacters } from './session/limits.ts';
export { RuntimeError, runtimeErrorCodes, type RuntimeErrorCode } from './runtime-error.ts';
export { runBuild, type BuildOptions } from './artifact/build-client.ts';
export { publishedAgentLabels } from './artifact/published-router.ts';
export { readManifest } from './artifact/router-directory.ts';
export { removeRouterDirectory, verifyRouter, type VerifiedItem } from './artifact/verify.ts';
