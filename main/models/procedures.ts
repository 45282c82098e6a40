import { implement } from '@orpc/server';
import { modelsContract } from '../../contracts/app/models.ts';
import type { ModelService, RouterChoice } from './model-service.ts';

/**
 * The procedures of `models`.
 *
 * @param remember keeps a choice for the next start
 * @param require  refuses, by throwing, a choice that may not be kept
 */
export function modelProcedures(
  models: ModelService,
  remember: (choice: RouterChoice) => Promise<unknown>,
  require: (choice: RouterChoice) => Promise<void>,
) {
  const os = implement(modelsContract);
  return {
    list: os.list.handler(async () => [...(await models.list())]),
    profiles: os.profiles.handler(async () => [...(await models.profiles())]),
    state: os.state.handler(() => models.state),
    watch: os.watch.handler(({ signal }) => models.watch(signal)),
    select: os.select.handler(async ({ input }) => {
      await require(input);
      const state = await models.select(input);
      await remember(input);
      return state;
    }),
  };
}
