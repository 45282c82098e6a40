import {
  exactProjections,
  projectionNames,
  type Precision,
  type PrecisionMap,
  type ProfileId,
} from '../../contracts/profiles.ts';
import type { MatrixProduct } from '../graph/projection.ts';
import { chunkTokens } from './run-plan.ts';

/** How a profile runs the graph. */
export interface Profile {
  readonly id: ProfileId;
  readonly name: string;
  /** ONNX Runtime's name of the execution provider. */
  readonly provider: 'cpu' | 'webgpu' | 'cuda' | 'dml' | 'coreml';
  /** What every projection is read in, where no calibration chose otherwise. */
  readonly precision: PrecisionMap;
  /** GPU providers norm q and k inside the attention operator, which the CPU's cannot. */
  readonly headNorm: 'separate' | 'attention';
  /** How products are written: providers without the fused one would send each of them to the CPU. */
  readonly product: MatrixProduct;
  /** Tokens of one call at most, an even number. */
  readonly callTokens: number;
  /** Systems on which ONNX Runtime has the provider; null means all. */
  readonly platforms: readonly NodeJS.Platform[] | null;
  /** Whether its results are compared with the reference in our own tests. */
  readonly isTested: boolean;
}

/** All profiles; `cpu-f32` is the reference and what others fall back to. */
export const profiles: Readonly<Record<ProfileId, Profile>> = {
  'cpu-f32': {
    id: 'cpu-f32',
    name: 'CPU, exact (2.0 GB)',
    provider: 'cpu',
    precision: only('f32'),
    headNorm: 'separate',
    product: 'fused',
    callTokens: chunkTokens,
    platforms: null,
    isTested: true,
  },
  'cpu-8bit': {
    id: 'cpu-8bit',
    name: 'CPU, 8-bit weights (0.75 GB)',
    provider: 'cpu',
    precision: only('block8'),
    headNorm: 'separate',
    product: 'fused',
    callTokens: chunkTokens,
    platforms: null,
    isTested: true,
  },
  'cpu-int8': {
    id: 'cpu-int8',
    name: 'CPU, 8-bit arithmetic (1.0 GB)',
    provider: 'cpu',
    // down_proj sees the widest activations: it stays exact, and a calibration may keep others exact too.
    precision: { default: 'int8row', projections: { down_proj: 'f32' }, exceptions: {} },
    headNorm: 'separate',
    product: 'fused',
    callTokens: chunkTokens,
    platforms: null,
    isTested: true,
  },
  webgpu: {
    id: 'webgpu',
    name: 'GPU through WebGPU',
    provider: 'webgpu',
    precision: only('f32'),
    headNorm: 'attention',
    product: 'plain',
    // From 32 rows on ONNX Runtime 1.30 takes an attention kernel that is wrong on SwiftShader, whose
    // subgroups have 4 lanes: an error of 1e-2. Shorter calls are right (docs/decisions/0014).
    callTokens: 30,
    platforms: null,
    isTested: true,
  },
  cuda: {
    id: 'cuda',
    name: 'NVIDIA GPU through CUDA',
    provider: 'cuda',
    precision: only('f32'),
    headNorm: 'attention',
    product: 'fused',
    callTokens: chunkTokens,
    platforms: ['linux'],
    isTested: false,
  },
  directml: {
    id: 'directml',
    name: 'GPU through DirectML',
    provider: 'dml',
    precision: only('f32'),
    headNorm: 'separate',
    product: 'plain',
    callTokens: chunkTokens,
    platforms: ['win32'],
    isTested: false,
  },
  coreml: {
    id: 'coreml',
    name: 'Apple CoreML',
    provider: 'coreml',
    precision: only('f32'),
    headNorm: 'separate',
    product: 'plain',
    callTokens: chunkTokens,
    platforms: ['darwin'],
    isTested: false,
  },
};

/** True for profiles whose provider is native code of a driver: probed apart before they are used. */
export function needsProbe(profile: Profile): boolean {
  return profile.provider !== 'cpu';
}

/** True for precisions that read quantised weights, which have to be prepared once. */
export function isQuantised(precision: PrecisionMap): boolean {
  return exactProjections(precision).length < projectionNames.length;
}

/** What a person reads of each profile. */
export const profileNames: Readonly<Record<ProfileId, string>> = {
  'cpu-f32': profiles['cpu-f32'].name,
  'cpu-8bit': profiles['cpu-8bit'].name,
  'cpu-int8': profiles['cpu-int8'].name,
  webgpu: profiles.webgpu.name,
  cuda: profiles.cuda.name,
  directml: profiles.directml.name,
  coreml: profiles.coreml.name,
};

/** What each profile reads its projections in, without a calibration. */
export const profilePrecisions: Readonly<Record<ProfileId, PrecisionMap>> = {
  'cpu-f32': profiles['cpu-f32'].precision,
  'cpu-8bit': profiles['cpu-8bit'].precision,
  'cpu-int8': profiles['cpu-int8'].precision,
  webgpu: profiles.webgpu.precision,
  cuda: profiles.cuda.precision,
  directml: profiles.directml.precision,
  coreml: profiles.coreml.precision,
};

function only(precision: Precision): PrecisionMap {
  return { default: precision, projections: {}, exceptions: {} };
}
