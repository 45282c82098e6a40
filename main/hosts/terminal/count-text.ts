/** `1 turn`, `0 turns`. @param noun the one of it; its plural takes an s */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** What the router did not read, in words: `39 messages left out, 1 cut short`; null where it read everything. */
export function unreadText(window: {
  readonly omitted: number;
  readonly cut: number;
}): string | null {
  const { omitted, cut } = window;
  const parts = [
    ...(omitted === 0 ? [] : [`${countText(omitted, 'message')} left out`]),
    ...(cut === 0
      ? []
      : [omitted === 0 ? `${countText(cut, 'message')} cut short` : `${cut} cut short`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
