/** A node of a Markdown tree (mdast), with the members that its plain text is made of. */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly alt?: string | null | undefined;
  readonly ordered?: boolean | null | undefined;
  readonly start?: number | null | undefined;
  readonly checked?: boolean | null | undefined;
  readonly children?: readonly MarkdownNode[];
}

/**
 * What a Markdown text says without its marks, for where no marks can be drawn: read aloud, or shown on one
 * line. Paragraphs, items and table rows stand on lines of their own, cells are separated by commas, numbered
 * items keep their numbers. Addresses of links are left out. Raw HTML is text, as it is in the transcript.
 */
export function plainText(node: MarkdownNode): string {
  const children = node.children ?? [];
  switch (node.type) {
    case 'image':
    case 'imageReference':
      return node.alt ?? '';
    case 'break':
      return '\n';
    case 'root':
    case 'blockquote':
    case 'footnoteDefinition':
    case 'table':
      return joined(children.map(plainText), '\n');
    case 'list':
      return joined(
        children.map((item, at) =>
          node.ordered === true ? `${(node.start ?? 1) + at}. ${plainText(item)}` : plainText(item),
        ),
        '\n',
      );
    case 'listItem':
      return `${taskState(node)}${joined(children.map(plainText), '\n')}`;
    case 'tableRow':
      return joined(children.map(plainText), ', ');
    default:
      return node.value ?? children.map(plainText).join('');
  }
}

function joined(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator);
}

function taskState({ checked }: MarkdownNode): string {
  if (typeof checked !== 'boolean') return '';
  return checked ? 'Done: ' : 'Not done: ';
}
