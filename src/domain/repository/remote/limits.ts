/** Limits of git clients, over all protocols. */
export interface RemoteLimits {
  /** Milliseconds that one request or command may take in all. */
  total: number;
  /** Milliseconds within which each further `bytes` must arrive, where they are awaited, or be read. */
  window: number;
  bytes: number;
}

export const REMOTE_LIMITS: RemoteLimits = { total: 2 * 60 * 60_000, window: 20_000, bytes: 4096 };

/** Bytes of the longest fetch request: some 150,000 refs. */
export const MAX_FETCH_BYTES = 8 * 1024 * 1024;

/** Bytes of the longest part of a push before its pack. */
export const MAX_COMMAND_BYTES = 32 * 1024 * 1024;
