/** Shows the native runtime's own log lines, marked as such: what `--debug-native` asks for. */
export function nativeLogTo(stream: { write(text: string): unknown }): (line: string) => void {
  return (line) => void stream.write(`[native] ${line}\n`);
}
