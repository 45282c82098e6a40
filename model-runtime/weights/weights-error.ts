import { TypedError } from '../../contracts/failure.ts';

/** Why a weight file was refused or could not be written. */
export type WeightsErrorCode =
  | 'unreadable'
  | 'not_a_file'
  | 'too_large'
  | 'truncated'
  | 'malformed'
  | 'duplicate_key'
  | 'unknown_dtype'
  | 'bad_shape'
  | 'bad_offsets'
  | 'missing_tensor'
  | 'wrong_dtype'
  | 'wrong_shape'
  | 'out_of_range'
  | 'non_finite'
  | 'unsupported_config'
  | 'write_failed';

/** The error of everything that reads or writes weights. Its message names the file and the reason. */
export class WeightsError extends TypedError<WeightsErrorCode> {}

/** A fault of one file, as a sentence: `model.safetensors: the header is cut short`. */
export function fileFault(
  code: WeightsErrorCode,
  path: string,
  reason: string,
  cause?: unknown,
): WeightsError {
  return new WeightsError(code, `${path}: ${reason}`, { cause });
}
