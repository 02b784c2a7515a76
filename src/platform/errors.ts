/** What went wrong. GraphQL returns it as `extensions.code`; REST maps it to a status. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'INSUFFICIENT_SCOPE'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'VALIDATION_FAILED'
  | 'BAD_REQUEST'
  | 'CONFLICT'
  | 'CONTENT_TOO_LARGE'
  | 'NOT_MODIFIED'
  | 'LIMIT_REACHED'
  | 'RATE_LIMITED'
  | 'QUERY_TOO_LARGE'
  | 'UNAVAILABLE';

/** The status of each error code of the domain, for every entrance that answers over HTTP. */
export const HTTP_STATUS: Record<ErrorCode, number> = {
  UNAUTHENTICATED: 401,
  INSUFFICIENT_SCOPE: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  VALIDATION_FAILED: 400,
  BAD_REQUEST: 400,
  CONFLICT: 409,
  CONTENT_TOO_LARGE: 413,
  NOT_MODIFIED: 304,
  LIMIT_REACHED: 403,
  RATE_LIMITED: 429,
  QUERY_TOO_LARGE: 400,
  UNAVAILABLE: 503,
};

/** Messages by field, in the API's snake_case names. */
export type FieldErrors = Record<string, string[]>;

/**
 * Tells errors of one code apart where v4 has a status or a wording of its own (rest/engine/errors.ts). GraphQL clients do not
 * get it.
 */
export type ErrorReason =
  /** The message says more than that the credentials are unusable, the action is not allowed, or the record was not found. */
  | 'explained'
  /** Required values are missing, and nothing else is wrong. */
  | 'valuesMissing'
  | 'incompleteIdentity'
  | 'labelOfOtherProject'
  | 'listPositionOutOfRange'
  | 'lineMissing'
  | 'notAnswerable'
  | 'nothingToChange'
  | 'jobNotPlayable'
  | 'hookFilterInvalid'
  | 'hookUrlInvalid'
  | 'hookUrlPrivate'
  | 'hookWithoutExample'
  | 'notBesideIssue'
  | 'changeConflicts'
  | 'changeEmpty'
  | 'tagProtected'
  | 'sameBranch'
  | 'ruleInvalid'
  | 'rangeInvalid'
  | 'notAFork'
  | 'mergeForbidden'
  | 'notApprovable'
  | 'notMergeable'
  | 'withoutPipeline'
  | 'mergeConflict'
  | 'notWaitingForPipeline'
  | 'milestonesMissing'
  | 'valueInvalid'
  | 'packageRefused'
  | 'artifactPathInvalid'
  | 'changelogFailed'
  | 'tokenNotOwn'
  | 'accessTokenRefused'
  /** Neither addresses nor users are named. */
  | 'nobodyInvited'
  /** The state of a user does not allow it. */
  | 'userStateRefused';

/** An expected error of the domain. Its `extensions` are returned to GraphQL clients unchanged. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly extensions: Record<string, unknown>;
  readonly reason: ErrorReason | null;

  constructor(
    code: ErrorCode,
    message: string,
    details: Record<string, unknown> = {},
    reason: ErrorReason | null = null,
  ) {
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.extensions = { code, ...details };
    this.reason = reason;
  }
}

/** The error of the domain that an error of GraphQL comes from, or that it is; null for any other error. */
export function domainErrorOf(error: Error & { originalError?: Error | undefined }): DomainError | null {
  const cause = error.originalError ?? error;
  return cause instanceof DomainError ? cause : null;
}

/** No usable credential; a message says what prevents signing in although the password was right. */
export class Unauthenticated extends DomainError {
  constructor(message?: string) {
    super('UNAUTHENTICATED', message ?? 'The credentials are missing or invalid.', {}, message ? 'explained' : null);
  }
}

/** A token that was sent and is good for nothing, whatever the request could do without it. */
export class UnknownToken extends DomainError {
  constructor() {
    super('UNAUTHENTICATED', 'The token is unknown, expired or revoked, or its user is blocked.');
  }
}

/** An access token that has expired or was revoked; reported in the wording of RFC 6750. */
export class EndedToken extends DomainError {
  constructor(how: 'expired' | 'revoked') {
    const message =
      how === 'expired'
        ? 'Token is expired. You can either do re-authorization or token refresh.'
        : 'Token was revoked. You have to re-authorize from the user.';
    super('UNAUTHENTICATED', message, { error: 'invalid_token' });
  }
}

/** The credential lacks a required scope; `accepted` lists those that are accepted. */
export class InsufficientScope extends DomainError {
  constructor(accepted: readonly string[]) {
    super('INSUFFICIENT_SCOPE', 'The request requires higher privileges than provided by the access token.', {
      scope: accepted.join(' '),
    });
  }
}

/** The actor is not allowed to do this. */
export class Forbidden extends DomainError {
  constructor(message?: string, reason: ErrorReason | null = message ? 'explained' : null) {
    super('FORBIDDEN', message ?? 'You are not allowed to do this.', {}, reason);
  }
}

/**
 * There is nothing that the actor can see. `resource` is the kind that was looked for ("Project"), `movedTo` the current full path
 * of a record that had the given path before.
 */
export class NotFound extends DomainError {
  readonly resource: string;

  constructor(resource: string, message?: string, movedTo?: string) {
    const details = { resource, ...(movedTo === undefined ? {} : { movedTo }) };
    super('NOT_FOUND', message ?? `${resource} not found`, details, message ? 'explained' : null);
    this.resource = resource;
  }
}

/** For `catch`: null in the place of a NotFound. Throws any other error. */
export function nullIfNotFound(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

/**
 * Invalid values, with messages by field (behaviour.md 1.6). `about` has the messages of all fields if v4 only reports some of
 * them, `details` messages by field that tell people more than the wording of v4.
 */
export class ValidationFailed extends DomainError {
  readonly fields: FieldErrors;
  readonly details: FieldErrors | undefined;

  constructor(fields: FieldErrors, about?: FieldErrors, reason?: ErrorReason, details?: FieldErrors) {
    const text = Object.entries(fields).flatMap(([field, messages]) => messages.map((m) => `${field} ${m}`));
    super(
      'VALIDATION_FAILED',
      text.join(', '),
      { fields, ...(about && { about }), ...(details && { details }) },
      reason,
    );
    this.fields = fields;
    this.details = details;
  }
}

/** An invalid request; the message says why, and `about` names the field if there is one. */
export class BadRequest extends DomainError {
  constructor(message: string, about?: string, reason?: ErrorReason) {
    super('BAD_REQUEST', message, about === undefined ? {} : { about }, reason);
  }
}

/**
 * It already exists. `fields` has messages by field if several values are taken. Otherwise
 * `about` is the field of the message, or has messages for all fields, of which the message is the first.
 */
export class Conflict extends DomainError {
  constructor(message: string, fields?: FieldErrors, about?: string | FieldErrors) {
    super('CONFLICT', message, { ...(fields && { fields }), ...(about !== undefined && { about }) });
  }
}

/** The content is too large for this endpoint; `limit` names the limit, and an alternative if there is one. */
export class ContentTooLarge extends DomainError {
  readonly limit: string;

  constructor(limit: string) {
    super('CONTENT_TOO_LARGE', `Too large: ${limit}`);
    this.limit = limit;
  }
}

/** Nothing changed, as the record already is in the requested state. */
export class NotModified extends DomainError {
  constructor() {
    super('NOT_MODIFIED', 'Not modified');
  }
}

/** The user has reached a limit. */
export class LimitReached extends DomainError {
  constructor(message: string) {
    super('LIMIT_REACHED', message);
  }
}

/** Too many attempts; `retryAfter` is the number of seconds to wait. */
export class RateLimited extends DomainError {
  constructor(retryAfter: number, message = 'Too many attempts. Try again later.') {
    super('RATE_LIMITED', message, { retryAfter });
  }
}

/** The request exceeds a limit, which the message names; `used` is what it has come to when it is refused. */
export class TooExpensive extends DomainError {
  constructor(message: string, exceeded: { kind: string; limit: number; used: number }) {
    super('QUERY_TOO_LARGE', message, exceeded);
  }
}

/** Temporarily not possible; `retryAfter` is the number of seconds to wait. */
export class Unavailable extends DomainError {
  constructor(message: string, retryAfter = 5) {
    super('UNAVAILABLE', message, { retryAfter });
  }
}
