import type { IncomingMessage } from 'node:http';

/** A body that cannot be read, with the status that says so. */
export class BadBody extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** For a body with more than it may hold. */
export function tooLarge(limit: string): BadBody {
  return new BadBody(413, `413 Request Entity Too Large: a request may hold ${limit} at most`);
}

/** What a body may hold. */
export interface BodyLimits {
  /** Bytes, without files; of JSON that was spooled and of multipart what they hold, without escapes. */
  bytes: number;
  /** The parameter that may be a file, and the bytes that it may have. */
  file?: { name: string; bytes: number } | undefined;
  /** Names of parameters that are lists. */
  lists?: ReadonlySet<string> | undefined;
}

/** Bytes of the largest body of a route that takes no contents, or whose sender is not known before it is read. */
export const SMALL_BODY = 1024 * 1024;
/** Bytes of the largest body of a route that takes contents, and that is in memory as it came. */
export const CONTENT_BODY = 8 * 1024 * 1024;

/**
 * What a body with files may have that is spooled: the largest file that is read as JSON fits, in Base64 as well as in a text of
 * nothing but escapes (`\u0000`), with 1 MiB of whatever is beside it.
 *
 * @param file the bytes of that file
 */
export function spooledLimits(file: number): { sent: number; held: number } {
  return { sent: 6 * file + SMALL_BODY, held: 4 * Math.ceil(file / 3) + SMALL_BODY };
}

/** Bytes of the largest body that is no work to read. */
const LIGHT_BODY = 64 * 1024;

/** Whether a request may have a larger body than is kept in memory as it came. */
export function isSpooled({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > CONTENT_BODY;
}

/** Whether a request may have more to read than is done in passing. */
export function isLarge({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LIGHT_BODY;
}
