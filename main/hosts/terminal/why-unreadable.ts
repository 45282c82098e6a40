/**
 * Why a file that a person named cannot be read, as a sentence without its full stop that names the file.
 *
 * @param cause what the file system threw
 */
export function whyUnreadable(path: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `there is no file at ${path}`;
    case 'EISDIR':
      return `${path} is a folder; name a file`;
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be read: access to it is refused`;
    default:
      return `${path} cannot be read${code === '' ? '' : ` (${code})`}`;
  }
}
