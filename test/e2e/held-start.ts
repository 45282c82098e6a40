/**
 * Starts the program as `npm start` does, and ends it when its standard input does: a pipe whose other end is
 * held by the test that started it. A test process that is killed leaves no host behind.
 */
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume();
// The pipe alone keeps no program running.
process.stdin.unref();

await import('../../scripts/start.ts');

export {};
