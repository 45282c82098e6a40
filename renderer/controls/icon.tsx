/** Line icons on a 16-unit grid, drawn for this page. */
const paths = {
  plus: 'M8 3v10M3 8h10',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.4 10.4 14 14',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5 6.5 12 13 4.5',
  copy: 'M6 5.5h6.5V13H6zM3.5 10.5V3H10',
  edit: 'M3 13h2.2L12.6 5.6 10.4 3.4 3 10.8zM9 4.8 11.2 7',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  send: 'M8 13.5v-11M3.5 7 8 2.5 12.5 7',
  stop: 'M4.5 4.5h7v7h-7z',
  chevronLeft: 'M10 3 5 8l5 5',
  chevronRight: 'M6 3l5 5-5 5',
  chevronDown: 'M3 6l5 5 5-5',
  panel: 'M2.5 3h11v10h-11zM10 3v10',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  slots: 'M2.5 3.5h11v3.5h-11zM2.5 9.5h11V13h-11zM5 5.25h.01M5 11.25h.01',
  settings:
    'M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M10.25 3.25a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5ZM5.75 9.25a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5Z',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.01M6.5 6.5h.01M9 6.5h.01M11.5 6.5h.01M4.5 9.5h7',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  pin: 'M6 2.5h4l-.5 4 2 2.5h-7l2-2.5zM8 9v4.5',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3M8 11.5h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5h.01',
  worker:
    'M9.8 2.2a3.6 3.6 0 0 0-3.3 4.9L2.3 11.3l2.4 2.4 4.2-4.2a3.6 3.6 0 0 0 4.8-4.3l-2.2 2.2-2.2-.6-.6-2.2 2.2-2.2a3.6 3.6 0 0 0-1.1-.2Z',
  thinker: 'M8 1.8a4.4 4.4 0 0 0-2.4 8.1v1.6h4.8V9.9A4.4 4.4 0 0 0 8 1.8ZM6.2 14h3.6',
  verifier: 'M8 1.8 3 3.8v4c0 3 2.1 5.2 5 6.4 2.9-1.2 5-3.4 5-6.4v-4zM5.6 8l1.8 1.8 3-3.4',
} as const;

export type IconName = keyof typeof paths;

/** A decoration: the control around it carries the name. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
