import { describe, expect, it } from 'vitest';
import { ageGroups } from '../../../renderer/shell/age-groups.ts';

const now = new Date(2026, 10, 30, 12).getTime();
const at = (when: Date) => ({
  id: String(when.getTime()),
  title: 'x',
  createdAt: 0,
  updatedAt: when.getTime(),
  liveRunId: null,
  snippet: null,
});

describe('ageGroups', () => {
  it('goes by the local calendar day, not by hours', () => {
    const groups = ageGroups(
      [
        at(new Date(2026, 10, 30, 0, 1)),
        at(new Date(2026, 10, 29, 23, 59)),
        at(new Date(2026, 10, 25)),
        at(new Date(2026, 9, 2)),
        at(new Date(2025, 9, 2)),
      ],
      now,
    );
    expect(groups.map(({ title, conversations }) => [title, conversations.length])).toEqual([
      ['Today', 1],
      ['Yesterday', 1],
      ['Last seven days', 1],
      ['October 2026', 1],
      ['October 2025', 1],
    ]);
  });
});
