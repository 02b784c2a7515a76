import type { IncomingMessage } from 'node:http';

/** A body that cannot be read, with its status. */
export class BadBody extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The error for a body that exceeds a limit. */
export function tooLarge(limit: string): BadBody {
  return new BadBody(413, `413 Request Entity Too Large: a request may hold ${limit} at most`);
}

export interface BodyLimits {
  /** Bytes, without files; for spooled JSON and multipart those of the values, without escapes. */
  bytes: number;
  /** The parameters that may be files, and the maximum size of each in bytes. */
  files?: { names: readonly string[]; bytes: number } | undefined;
  /** Names of parameters that are lists. */
  lists?: ReadonlySet<string> | undefined;
  /** The parameter that a JSON text is. */
  text?: string | undefined;
}

/** Bytes of the largest body of a route without contents, or of an unidentified sender. */
export const SMALL_BODY = 1024 * 1024;
/** Bytes of the largest body of a route with contents that is held in memory. */
export const CONTENT_BODY = 8 * 1024 * 1024;

/**
 * Limits of a spooled body with files: the largest file that is accepted as JSON fits, in Base64 as well as in a text of nothing
 * but escapes (`\u0000`), with 1 MiB for everything else.
 *
 * @param file the bytes of that file
 */
export function spooledLimits(file: number): { sent: number; held: number } {
  return { sent: 6 * file + SMALL_BODY, held: 4 * Math.ceil(file / 3) + SMALL_BODY };
}

/** Bytes of the largest body that is parsed without queueing. */
const LIGHT_BODY = 64 * 1024;

/** Whether a request may have a larger body than is held in memory. */
export function isSpooled({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > CONTENT_BODY;
}

/** Whether a request may take more work to parse than is done without queueing. */
export function isLarge({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LIGHT_BODY;
}
