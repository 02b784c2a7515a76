import { ThreadLate } from '#src/base/thread.ts';
import { RefLocked } from '#src/git/base/errors.ts';
import { DATABASE_UNAVAILABLE } from '#src/platform/database_unavailable.ts';
import { Unavailable } from '#src/platform/errors.ts';
import { UploadsUnavailable } from '#src/platform/uploads_unavailable.ts';

/** A failure outside of the program that is expected to pass. */
export interface TransientFailure {
  kind: 'database' | 'busy' | 'disk' | 'read-only' | 'descriptors' | 'memory' | 'uploads' | 'refs' | 'threads';
  /** For the caller. */
  refusal: Unavailable;
  /** For the log. */
  reason: string;
}

type Kind = TransientFailure['kind'];

/** The error for callers, and the seconds after which they may retry. */
const WORDS: Record<Kind, [string, number]> = {
  database: ['The database is not available. Try again soon.', 5],
  busy: ['The database is busy. Try again soon.', 5],
  disk: ['There is no space left on the server’s disk. Try again later.', 60],
  'read-only': ['The server’s storage is read-only at the moment. Try again later.', 60],
  descriptors: ['The server has too many files open. Try again soon.', 10],
  memory: ['The server has too little memory. Try again soon.', 10],
  refs: ['Another program is changing this branch or tag. Try again soon.', 10],
  threads: ['The server is busy. Try again later.', 5],
  uploads: ['The store of uploaded files is not available. Try again later.', 30],
};

/** By codes of the operating system, of PostgreSQL and of Prisma. */
const CODES: [RegExp, Kind][] = [
  [/^(08...|57P0[1-5]|25006|P1001|P1002|P1008|P1017)$/, 'database'],
  [/^(53300|53400|40P01|40001|P2024|P2028|P2034|P2037)$/, 'busy'],
  [/^(ENOSPC|EDQUOT|53100)$/, 'disk'],
  [/^EROFS$/, 'read-only'],
  [/^(EMFILE|ENFILE)$/, 'descriptors'],
  [/^(ENOMEM|EAGAIN|53200)$/, 'memory'],
];

/** What pg says, without any code, of a connection that ended. */
const PG = /^Connection terminated unexpectedly|^Connection terminated due to|is not queryable$/;

/** What git, or another program, says on its last lines. */
const SAID: [RegExp, Kind][] = [
  [/No space left on device|Disk quota exceeded/, 'disk'],
  [/Read-only file system/, 'read-only'],
  [/Too many open files|\b(EMFILE|ENFILE)$/, 'descriptors'],
  [/Cannot allocate memory|Resource temporarily unavailable|\b(EAGAIN|ENOMEM)$/, 'memory'],
];

/** The transient cause of an error, however it is wrapped; null if there is none. */
export function transientFailure(error: unknown): TransientFailure | null {
  const found = find(error, 0);
  if (!found) return null;
  const [message, retryAfter] = WORDS[found.kind];
  return { ...found, refusal: new Unavailable(message, retryAfter) };
}

/** How deep errors are wrapped in others, at most. */
const MAX_CAUSE_DEPTH = 6;

function find(error: unknown, depth: number): Omit<TransientFailure, 'refusal'> | null {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSE_DEPTH) return null;
  const { name, message = '', cause, originalError, errors, meta } = error as Wrapping;
  if (name === DATABASE_UNAVAILABLE) {
    return { kind: /in use|takes no more/.test(String(message)) ? 'busy' : 'database', reason: String(message) };
  }
  if (error instanceof RefLocked) return { kind: 'refs', reason: error.message };
  if (error instanceof ThreadLate) return { kind: 'threads', reason: error.message };
  if (error instanceof UploadsUnavailable) return { kind: 'uploads', reason: String(message) };
  const kind = kindOf(error) ?? saidBy(error);
  if (kind) return { kind, reason: String(message).trim().split('\n').at(-1) ?? kind };
  const inside = [cause, originalError, meta?.driverAdapterError, ...(Array.isArray(errors) ? errors : [])];
  for (const one of inside) {
    const found = find(one, depth + 1);
    if (found) return found;
  }
  return null;
}

interface Wrapping {
  name?: unknown;
  message?: unknown;
  cause?: unknown;
  originalError?: unknown;
  errors?: unknown;
  meta?: { driverAdapterError?: unknown } | null;
}

function kindOf(error: object): Kind | null {
  const { code, originalCode, path } = error as { code?: unknown; originalCode?: unknown; path?: unknown };
  for (const [pattern, kind] of CODES) {
    if ([code, originalCode].some((one) => typeof one === 'string' && pattern.test(one))) return kind;
  }
  // A file of the server's own that it may not touch was mounted, or handed over, wrongly.
  return (code === 'EACCES' || code === 'EPERM') && typeof path === 'string' ? 'read-only' : null;
}

function saidBy(error: object): Kind | null {
  const { name, message } = error as { name?: unknown; message?: unknown };
  if (PG.test(String(message))) return 'database';
  if (name !== 'ProgramFailed') return null;
  return SAID.find(([pattern]) => pattern.test(String(message)))?.[1] ?? null;
}
