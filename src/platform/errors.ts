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

/** An expected error of the domain. Its `extensions` are returned to GraphQL clients unchanged. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly extensions: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.extensions = { code, ...details };
  }
}

/** Default messages; REST has its own wording for them. */
export const USUAL = {
  UNAUTHENTICATED: 'The credentials are missing or invalid.',
  FORBIDDEN: 'You are not allowed to do this.',
} as const;

/** Messages for which v4 has its own wording, which only REST uses. */
export const PLAIN = {
  NO_LABEL_FOR_LIST: 'The label is not one of the project',
  NO_POSITION_OF_BOARD: 'The position must be one of a list of the board',
  UNPLAYABLE_JOB: 'Only a manual job that has not started can be played',
  INVALID_HOOK_URL: 'The URL of a webhook must begin with http:// or https:// and name a host',
  PRIVATE_HOOK_URL:
    'The URL of a webhook leads to a private address; administrators allow hosts by the setting GANTRY_WEBHOOK_HOSTS',
  UNTESTABLE_HOOK: 'There is nothing in the project that such an event could be about',
  HALF_AN_IDENTITY: 'An identity provider and the ID of the user there must be given together',
} as const;

/** Refusals that v4 has as 422. */
export const UNPROCESSABLE = {
  SAME_BRANCH: 'You can not use same project/branch for source and target',
  NO_FORK: 'Source project is not a fork of the target project',
} as const;

/** Why a merge request cannot be merged; v4 has a status for each. */
export const UNMERGEABLE = {
  NO_RIGHT: 'You are not allowed to merge into this branch',
  NOT_NOW:
    'The merge request cannot be merged: it is not open, is a work in progress, has nothing to merge, or does not meet the requirements of the project',
  CONFLICTS: 'Branch cannot be merged',
  NOT_AWAITED: 'The merge request is not waiting for its pipeline',
} as const;

/** No usable credential; if the password was right, `reason` says what else prevents signing in. */
export class Unauthenticated extends DomainError {
  readonly reason: string | null;

  constructor(reason?: string) {
    super('UNAUTHENTICATED', reason ?? USUAL.UNAUTHENTICATED);
    this.reason = reason ?? null;
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
  constructor(reason?: string) {
    super('FORBIDDEN', reason ?? USUAL.FORBIDDEN);
  }
}

/**
 * There is nothing that the actor can see. `resource` is the kind that was looked for ("Project"), `movedTo` the current full path
 * of a record that had the given path before.
 */
export class NotFound extends DomainError {
  constructor(resource: string, message = missing(resource), movedTo?: string) {
    super('NOT_FOUND', message, { resource, ...(movedTo === undefined ? {} : { movedTo }) });
  }
}

/** The default message for something that was not found. */
export function missing(resource: string): string {
  return `${resource} not found`;
}

/**
 * Invalid values, with messages by field (behaviour.md 1.6). `about` has the messages of all fields if v4 only reports some of
 * them.
 */
export class ValidationFailed extends DomainError {
  readonly fields: FieldErrors;

  constructor(fields: FieldErrors, about?: FieldErrors) {
    const text = Object.entries(fields).flatMap(([field, messages]) => messages.map((m) => `${field} ${m}`));
    super('VALIDATION_FAILED', text.join(', '), { fields, ...(about && { about }) });
    this.fields = fields;
  }
}

/** An invalid request; the message says why, and `about` names the field if there is one. */
export class BadRequest extends DomainError {
  constructor(message: string, about?: string) {
    super('BAD_REQUEST', message, about === undefined ? {} : { about });
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

/** The content is too large for this endpoint; `reason` names the limit, and an alternative if there is one. */
export class ContentTooLarge extends DomainError {
  constructor(reason: string) {
    super('CONTENT_TOO_LARGE', `${TOO_LARGE}${reason}`);
  }
}

/** How messages of ContentTooLarge begin. */
export const TOO_LARGE = 'Too large: ';

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

/** The request exceeds a limit, which the message names. */
export class TooExpensive extends DomainError {
  constructor(message: string) {
    super('QUERY_TOO_LARGE', message);
  }
}

/** Temporarily not possible; `retryAfter` is the number of seconds to wait. */
export class Unavailable extends DomainError {
  constructor(message: string, retryAfter = 5) {
    super('UNAVAILABLE', message, { retryAfter });
  }
}
