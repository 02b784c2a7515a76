import { goneRefusal } from '#src/domain/repository/refusals.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import { InvalidRequest } from '#src/git/incoming/invalid_request.ts';
import { DomainError, type ErrorCode } from '#src/platform/errors.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** Thrown if a connection was closed before its response was complete: the client is gone, or too slow. */
export class Gone extends Error {}

/** The failure of a git request. */
export interface RemoteFailure {
  /** The original error, or the one to report. */
  error: unknown;
  /** Whether it is the server's fault, and must be reported. */
  isOurs: boolean;
}

/** Errors that are not the server's fault. */
const EXPECTED = new Set<ErrorCode>([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'INSUFFICIENT_SCOPE',
  'NOT_FOUND',
  'RATE_LIMITED',
  'UNAVAILABLE',
]);

/** The failure for an error that ended a git request. */
export function failureOf(thrown: unknown): RemoteFailure {
  const gone = goneRefusal(thrown);
  const passes = gone || thrown instanceof DomainError ? undefined : transientFailure(thrown)?.refusal;
  const error = gone ?? passes ?? thrown;
  return { error, isOurs: passes !== undefined || !isExpected(error) };
}

/** Whether an error is not the server's fault. */
export function isExpected(error: unknown): boolean {
  if (error instanceof DomainError) return EXPECTED.has(error.code);
  return error instanceof InvalidRequest || error instanceof Gone || isBroken(error) || isGibberish(error);
}

function isBroken(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ECONNRESET', 'ABORT_ERR', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE'].includes(code) || /^Z_/.test(code);
}

/** Whether git could not parse the request. */
function isGibberish(error: unknown): boolean {
  return error instanceof ProgramFailed && /protocol error|hung up unexpectedly/.test(error.message);
}
