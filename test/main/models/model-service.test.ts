import { describe, expect, it } from 'vitest';
import { ModelService } from '../../../main/models/model-service.ts';
import { logitsFor, ScriptedRouter } from '../../coordinator/scripted-run.ts';
import { ScriptedClient } from './scripted-client.ts';

const newClient = () => new ScriptedClient(new ScriptedRouter([logitsFor(1, 'Worker')]));

describe('the active router', () => {
  it('is the one of the settings, and is not loaded by opening', async () => {
    const client = newClient();
    const models = await ModelService.open(client, { router: 'mine', profile: 'cpu-8bit' });
    expect(client.calls).toEqual(['select mine cpu-8bit']);
    expect(models.state).toMatchObject({ router: { id: 'mine' }, isDemo: false });
    expect(models.notices).toEqual([]);
  });

  it('is the demo router where the one of the settings is gone, and a notice says so', async () => {
    const models = await ModelService.open(newClient(), { router: 'gone-1', profile: 'cpu-f32' });
    expect(models.state).toMatchObject({ isDemo: true });
    expect(models.notices).toEqual([
      {
        code: 'router_not_found',
        message: expect.stringMatching(/gone-1.*demo router.*untrained/),
      },
    ]);
  });

  it('stays when the one selected cannot be found', async () => {
    const models = await ModelService.open(newClient(), { router: 'mine', profile: 'cpu-f32' });
    const refused = models.select({ router: 'gone-1', profile: 'cpu-f32' });
    await expect(refused).rejects.toMatchObject({ code: 'router_not_found' });
    expect(models.state).toMatchObject({ router: { id: 'mine' } });
  });

  it('begins to load when it is selected', async () => {
    const client = newClient();
    const models = await ModelService.open(client, { router: 'demo', profile: 'cpu-f32' });
    await models.select({ router: 'mine', profile: 'cpu-f32' });
    expect(client.calls.at(-1)).toBe('load');
    expect(models.agentLabels).toHaveLength(7);
  });
});
