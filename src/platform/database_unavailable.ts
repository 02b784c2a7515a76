/** By its name it is known where it was copied, as the queue of jobs does. */
export const DATABASE_UNAVAILABLE = 'DatabaseUnavailable';

/**
 * The database does not answer, or takes no more connections. There is no `code` on it: Prisma would wrap it in an error of
 * its own, which hides it from those who look for this one.
 */
export class DatabaseUnavailable extends Error {
  override name = DATABASE_UNAVAILABLE;
  /** Whether the statement may have reached the database, which then may have done it. */
  readonly sent: boolean;

  constructor(message: string, { cause, sent }: { cause?: unknown; sent: boolean }) {
    super(message, { cause });
    this.sent = sent;
  }
}

/** Codes of the operating system for a connection that cannot be made, or is lost. */
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** SQLSTATE of connections that are broken off (08…, 57P01 to 57P05), and of a database that takes none just now. */
const STATES = /^(08...|57P0[1-5])$/;

/** What pg says, without a code, of connections that ended, of those that are used afterwards, and of those not made in time. */
const ENDED = /^Connection terminated|^timeout expired$/;
const UNUSABLE = /not queryable$/;

/** The error as DatabaseUnavailable if it says that the connection is lost or could not be made; null for any other. */
export function lostConnection(error: unknown): DatabaseUnavailable | null {
  if (error instanceof DatabaseUnavailable) return error;
  if (!(error instanceof Error)) return null;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const message = `The database is away: ${error.message || code}`;
  if (UNUSABLE.test(error.message)) return new DatabaseUnavailable(message, { cause: error, sent: false });
  // A socket that is not there yet, or no more, belongs to a database on this machine.
  const isSocket = SOCKET.has(code) || (syscall === 'connect' && code === 'ENOENT');
  const unmade = isSocket && (syscall === 'connect' || syscall === 'getaddrinfo');
  if (!isSocket && !STATES.test(code) && !ENDED.test(error.message)) return null;
  return new DatabaseUnavailable(message, { cause: error, sent: !unmade });
}

/**
 * Whether a transaction that ended with this error may have been committed all the same: files that it records must stay then. Clean-up
 * removes those without a record.
 */
export function mayBeCommitted(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.sent;
}

/** Whether the database answers, but refuses connections: it has too many, or its administrator does not allow any. */
export function isFull(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return code === '53300' || (code === '55000' && /not currently accepting connections/.test(String(message)));
}
