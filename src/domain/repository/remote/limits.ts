/** What clients of git may take, by whatever protocol. */
export interface RemoteLimits {
  /** Milliseconds that one request, or one command, may take in all. */
  total: number;
  /** Milliseconds in which each next `bytes` have to come, where they are waited for, and have to be taken. */
  window: number;
  bytes: number;
}

export const REMOTE_LIMITS: RemoteLimits = { total: 2 * 60 * 60_000, window: 20_000, bytes: 4096 };

/** The most that a client says of what it wants to fetch, in bytes: some 150,000 refs. */
export const LONGEST_FETCH = 8 * 1024 * 1024;

/** What precedes the pack of a push, at most; in bytes. */
export const LONGEST_COMMANDS = 32 * 1024 * 1024;
