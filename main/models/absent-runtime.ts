import { TypedError } from '../../contracts/failure.ts';
import type { RouterRuntime } from './runtime-port.ts';

export class RuntimeAbsentError extends TypedError<'runtime_absent'> {}

/** A program without a model runtime: everything but routing works, and routing says so. */
export const absentRuntime: RouterRuntime = {
  list: () => Promise.resolve([]),
  profiles: () => Promise.resolve([]),
  open: () =>
    Promise.reject(
      new RuntimeAbsentError('runtime_absent', 'This program was built without a model runtime.'),
    ),
};
