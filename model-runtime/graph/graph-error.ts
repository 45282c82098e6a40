import { TypedError } from '../../contracts/failure.ts';

/** Why a router's graph could not be built. */
export type GraphErrorCode = 'wrong_shape' | 'bad_head' | 'missing_tensor' | 'several_folders';

/** The error of the room that writes ONNX graphs. */
export class GraphError extends TypedError<GraphErrorCode> {}
