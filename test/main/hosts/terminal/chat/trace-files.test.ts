import { describe, expect, it } from 'vitest';
import { TraceFiles } from '../../../../../main/hosts/terminal/chat/trace-files.ts';

describe('the trace files of a chat', () => {
  it('are the named one for the first run and numbered ones for the runs after it', () => {
    const traces = new TraceFiles('/tmp/my.trace.jsonl');
    expect(traces.describe()).toContain('/tmp/my.trace.jsonl');
    expect([traces.next(), traces.next(), traces.next()]).toEqual([
      '/tmp/my.trace.jsonl',
      '/tmp/my.trace-2.jsonl',
      '/tmp/my.trace-3.jsonl',
    ]);
    traces.use('/tmp/other');
    expect([traces.next(), traces.next()]).toEqual(['/tmp/other', '/tmp/other-2']);
  });

  it('are none, or the settings’ own, where nobody named one', () => {
    expect(new TraceFiles(null).next()).toBe(null);
    expect(new TraceFiles(undefined).next()).toBe(undefined);
  });
});
