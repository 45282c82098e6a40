import { describe, expect, it } from 'vitest';
import { chatRouteDefaults } from '../../../contracts/route.ts';
import { ModelService } from '../../../main/models/model-service.ts';
import { logitsFor, ScriptedRouter } from '../../coordinator/scripted-run.ts';
import { ScriptedRuntime } from './scripted-runtime.ts';

const question = { ...chatRouteDefaults, messages: [{ role: 'user', content: 'hi' }] } as const;
const demo = { router: 'demo', profile: 'cpu-f32' } as const;

function open() {
  const logits = logitsFor(1, 'Worker');
  const runtime = new ScriptedRuntime(new ScriptedRouter([logits]));
  return { runtime, logits, models: new ModelService(runtime, demo) };
}

describe('the active router', () => {
  it('is opened by the first question, once', async () => {
    const { runtime, models, logits } = open();
    expect(runtime.events).toEqual([]);
    const answers = await Promise.all([
      models.router.route({ ...question, messages: [...question.messages] }),
      models.router.route({ ...question, messages: [...question.messages] }),
    ]);
    expect(answers).toEqual([logits, logits]);
    expect(runtime.events).toEqual(['open demo']);
    expect(models.state).toMatchObject({ isDemo: true, router: { id: 'demo' } });
  });

  it('is closed before another one is opened', async () => {
    const { runtime, models } = open();
    await models.warm();
    await models.select({ router: 'built-1', profile: 'cpu-8bit' });
    expect(runtime.events).toEqual(['open demo', 'close demo', 'open built-1']);
    expect(models.state).toMatchObject({ isDemo: false, profile: 'cpu-8bit' });
  });

  it('that does not open says why, and the next question tries again', async () => {
    const { runtime, models } = open();
    const broken = { router: 'broken-1', profile: 'cpu-f32' } as const;
    await expect(models.select(broken)).rejects.toThrow('broken-1 does not open');
    expect(models.state.phase).toMatchObject({ state: 'failed' });
    await expect(models.router.route({ ...question, messages: [] })).rejects.toThrow(
      'does not open',
    );
    expect(runtime.events).toEqual(['open broken-1', 'open broken-1']);
    await models.select(demo);
    expect(models.state).toMatchObject({ router: { id: 'demo' } });
  });

  it('is closed with the program, and answers nothing afterwards', async () => {
    const { runtime, models } = open();
    await models.warm();
    await models.close();
    await models.close();
    expect(runtime.events).toEqual(['open demo', 'close demo']);
    await expect(models.router.route({ ...question, messages: [] })).rejects.toMatchObject({
      code: 'router_closed',
    });
  });
});

describe('watching', () => {
  it('shows the state now and the newest one after that', async () => {
    const { models } = open();
    const states = models.watch();
    expect((await states.next()).value).toMatchObject({ phase: { state: 'idle' } });
    const next = states.next();
    await models.warm();
    expect((await next).done).toBe(false);
    expect((await states.next()).value).toMatchObject({ phase: { state: 'ready' } });
    await states.return();
  });

  it('ends when its watcher leaves, when its signal aborts, and with the program', async () => {
    const { models } = open();
    const leaving = new AbortController();
    const bySignal = models.watch(leaving.signal);
    const byClose = models.watch();
    const byReturn = models.watch();
    for (const states of [bySignal, byClose, byReturn]) await states.next();
    const waiting = [bySignal.next(), byClose.next()];
    leaving.abort();
    expect(await byReturn.return()).toEqual({ done: true, value: undefined });
    await models.close();
    for (const result of await Promise.all(waiting)) expect(result.done).toBe(true);
  });
});
