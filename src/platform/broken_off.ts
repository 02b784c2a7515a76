/** What a stream fails with whose client has gone away. */
const CODES = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

/** Whether an error says that a client went away before all that it sends had come, which is no fault of the server. */
export function isBrokenOff(error: unknown): boolean {
  return CODES.has(String((error as { code?: unknown } | null)?.code));
}
