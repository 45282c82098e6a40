import {
  exactProjections,
  type ProfileId,
  type ProjectionName,
} from '../../../../contracts/profiles.ts';
import { calibrateProfile } from '../../../evals/calibrate-profile.ts';
import { FloorsStore, type Calibration } from '../../../evals/floors-store.ts';
import { evalPlaces } from '../../../evals/places.ts';
import { inspectSuite } from '../../../evals/suite.ts';
import { createSystemClock } from '../../system-clock.ts';
import { openLayout, withRouter } from '../active-router.ts';
import { CommandFailed, type TerminalContext } from '../context.ts';
import { clearLine, paint, styleOf, type TerminalStyle } from '../style.ts';
import type { EvalCommandOptions } from './eval-options.ts';
import { identify, suitePathOf } from './machine.ts';
import { plainLine } from './plain-line.ts';
import { writeReport } from './report-file.ts';

/** `trinity eval --calibrate`: exit code 1 when the profile does not decide like `cpu-f32`. */
export async function calibrateCommandAction(
  context: TerminalContext,
  options: EvalCommandOptions,
): Promise<void> {
  const suitePath = suitePathOf(options.suite, openLayout(context, options), context.cwd);
  const { suiteHash } = await inspectSuite(suitePath);
  const calibration = await withRouter(context, options, async (router, layout) => {
    const { adapterRef } = await identify(router, context.signal);
    return calibrateProfile({
      suitePath,
      key: { adapterRef, profile: options.profile, suiteHash },
      store: new FloorsStore(evalPlaces(layout.evals).calibrations, writeReport),
      clock: createSystemClock(),
      signal: context.signal,
      mayKeepExact: router.state().router?.adapterRef === adapterRef,
      onCase: (profile, done, exact) => tellProgress(context, profile, done, exact),
      withProfile: async (profile, work, precision) => {
        await router.select(options.router, profile, {
          baseFolders: options.base === undefined ? [] : [options.base],
          ...precision,
        });
        const { fallback } = await router.load();
        // A fallback would measure another profile under this one's name.
        if (fallback) throw new CommandFailed(fallback.reason);
        return work(router);
      },
    });
  });
  const style = styleOf(context.stdout, context.env);
  context.stdout.write(
    options.json === true
      ? `${JSON.stringify(calibration)}\n`
      : `${describe(calibration, style).join('\n')}\n`,
  );
  if (calibration.refusals.length > 0) throw new CommandFailed('');
}

function tellProgress(
  context: TerminalContext,
  profile: ProfileId,
  done: number,
  exact: readonly ProjectionName[],
): void {
  const { canRedraw } = styleOf(context.stderr, context.env);
  const tried = exact.length === 0 ? '' : ` with ${exact.join(', ')} in f32`;
  if (canRedraw) context.stderr.write(`${clearLine}${profile}${tried}: ${done} cases`);
}

function describe(calibration: Calibration, style: TerminalStyle): string[] {
  const { profile, agent, role, cases, agreeing, rmsDrift, rmsLogit, refusals, precision } =
    calibration;
  const percent = rmsLogit === 0 ? 0 : (rmsDrift / rmsLogit) * 100;
  return [
    paint(style, 'bold', `${profile} against cpu-f32`),
    `decisions that agree  ${agreeing} of ${cases}`,
    `logit drift           rms ${rmsDrift.toPrecision(4)}, ${percent.toFixed(2)} % of the logits' rms`,
    `margin floors         slot ${agent.toFixed(4)}, role ${role.toFixed(4)}`,
    ...(precision === undefined
      ? []
      : [`projections in f32    ${exactProjections(precision).join(', ')}`]),
    ...(refusals.length === 0
      ? [paint(style, 'green', 'may be the default profile for this router')]
      : [
          paint(style, 'red', 'refused as the default profile:'),
          ...refusals.map((refusal) => `  ${plainLine(refusal)}`),
        ]),
  ];
}
