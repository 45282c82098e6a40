import { TypedError } from '../../contracts/failure.ts';

/** Why a router could not be built or imported. */
export type BuildErrorCode =
  /** The folder's unfinished or finished router was made from other inputs. */
  | 'inputs_changed'
  /** The folder holds a finished router that would be replaced. */
  | 'already_there'
  /** The folder holds something that is no router of ours. */
  | 'not_a_router'
  /** Another build is writing the folder. */
  | 'build_in_progress'
  | 'cancelled'
  /** The build process ended by itself. */
  | 'process_died'
  | 'unknown_tensor'
  | 'disk_full'
  | 'not_writable'
  | 'base_invalid'
  | 'bundle_invalid'
  | 'bundle_incomplete'
  | 'bundle_path'
  | 'bundle_damaged'
  | 'head_invalid';

/** The error of everything that makes router directories. */
export class BuildError extends TypedError<BuildErrorCode> {}

/** What the system says when a disk is full or a folder may not be written, as a sentence; others unchanged. */
export function explainWriteFault(error: unknown, folder: string): unknown {
  const code = systemCodeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BuildError(
      'disk_full',
      `The disk that holds ${folder} is full. What was built is kept: free some space and build again.`,
      { retryable: true, cause: error },
    );
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const text = `${folder} may not be written. Choose another --out, or change its permissions.`;
    return new BuildError('not_writable', text, { cause: error });
  }
  return error;
}

/**
 * Why a router directory could not be begun, as a sentence: its folder could not be made, or not locked.
 * Unlike later in a build, nothing but the place itself can be at fault.
 */
export function explainFolderFault(error: unknown, folder: string): unknown {
  const explained = explainWriteFault(error, folder);
  if (explained instanceof BuildError || !(error instanceof Error)) return explained;
  const code = systemCodeOf(error);
  const reason =
    code === 'EEXIST' || code === 'ENOTDIR'
      ? 'a file stands where a folder above it should be'
      : `no router can be made there (${code ?? error.message})`;
  return new BuildError('not_writable', `${folder}: ${reason}. Choose another --out.`, {
    cause: error,
  });
}

function systemCodeOf(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('syscall' in cause && 'code' in cause) return String(cause.code);
  }
  return null;
}
