import { TypedError } from '../../contracts/failure.ts';

export type HostErrorCode =
  /** The data directory cannot be used. */
  | 'data_directory'
  /** Another program holds the data directory and does not answer. */
  | 'instance_busy'
  /** The page has not been built, or its folder cannot be read. */
  | 'page_missing'
  /** The port asked for is taken, or may not be used. */
  | 'port'
  /** An argument that makes no sense. */
  | 'usage'
  /** A secret that this host cannot store or open. */
  | 'vault';

/** What goes wrong between the operating system and the app. */
export class HostError extends TypedError<HostErrorCode> {}
