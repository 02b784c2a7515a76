/** What went wrong, in a word that both entrances map: `extensions.code` in GraphQL, the status in REST. */
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

/** Messages by field, in the API's snake_case names. */
export type FieldErrors = Record<string, string[]>;

/** An expected refusal of the domain. Its `extensions` reach GraphQL clients as they are. */
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

/** What is said where there is no more to say; the entrances have words of their own for it. */
export const USUAL = {
  UNAUTHENTICATED: 'The credentials are missing or invalid.',
  FORBIDDEN: 'You are not allowed to do this.',
} as const;

/** What v4 has words of its own for, which only REST says. */
export const PLAIN = {
  UNPLAYABLE_JOB: 'Only a manual job that has not started can be played',
  HALF_AN_IDENTITY: 'An identity provider and the ID of the user there must be given together',
} as const;

/** No usable credential; if the password was right, `reason` says what else prevents signing in. */
export class Unauthenticated extends DomainError {
  readonly reason: string | null;

  constructor(reason?: string) {
    super('UNAUTHENTICATED', reason ?? USUAL.UNAUTHENTICATED);
    this.reason = reason ?? null;
  }
}

/** An access token that was good once; the entrances say so in the words of RFC 6750. */
export class EndedToken extends DomainError {
  constructor(how: 'expired' | 'revoked') {
    const message =
      how === 'expired'
        ? 'Token is expired. You can either do re-authorization or token refresh.'
        : 'Token was revoked. You have to re-authorize from the user.';
    super('UNAUTHENTICATED', message, { error: 'invalid_token' });
  }
}

/** The credential's scopes do not reach this far; `accepted` lists those that would. */
export class InsufficientScope extends DomainError {
  constructor(accepted: string[]) {
    super('INSUFFICIENT_SCOPE', 'The request requires higher privileges than provided by the access token.', {
      scope: accepted.join(' '),
    });
  }
}

/** The actor may not do this here. */
export class Forbidden extends DomainError {
  constructor(reason?: string) {
    super('FORBIDDEN', reason ?? USUAL.FORBIDDEN);
  }
}

/**
 * Nothing there that the actor may see; `resource` is the kind that was looked for ("Project"), `movedTo` the full path
 * under which the actor would find what had the given path before.
 */
export class NotFound extends DomainError {
  constructor(resource: string, message = missing(resource), movedTo?: string) {
    super('NOT_FOUND', message, { resource, ...(movedTo === undefined ? {} : { movedTo }) });
  }
}

/** What is said of something that is not there, where there is no more to say. */
export function missing(resource: string): string {
  return `${resource} not found`;
}

/**
 * Values that the domain refuses, with messages by field (behaviour.md 1.6); `about` has those of all fields that are wrong
 * where v4 tells some of them first.
 */
export class ValidationFailed extends DomainError {
  readonly fields: FieldErrors;

  constructor(fields: FieldErrors, about?: FieldErrors) {
    const text = Object.entries(fields).flatMap(([field, messages]) => messages.map((m) => `${field} ${m}`));
    super('VALIDATION_FAILED', text.join(', '), { fields, ...(about && { about }) });
    this.fields = fields;
  }
}

/** A request that makes no sense as a whole; the message says why, and `about` the field that is wrong where one is. */
export class BadRequest extends DomainError {
  constructor(message: string, about?: string) {
    super('BAD_REQUEST', message, about === undefined ? {} : { about });
  }
}

/**
 * It exists already; `fields` has messages by field where more than one thing is taken. Where the message says it all,
 * `about` is the field that it speaks of, or has messages for each that is taken, of which the message tells the first.
 */
export class Conflict extends DomainError {
  constructor(message: string, fields?: FieldErrors, about?: string | FieldErrors) {
    super('CONFLICT', message, { ...(fields && { fields }), ...(about !== undefined && { about }) });
  }
}

/** The content is too large for this way of reading it; `reason` names the limit, and another way where there is one. */
export class ContentTooLarge extends DomainError {
  constructor(reason: string) {
    super('CONTENT_TOO_LARGE', `${TOO_LARGE}${reason}`);
  }
}

/** How messages of ContentTooLarge begin. */
export const TOO_LARGE = 'Too large: ';

/** The wanted state holds already, so nothing was done. */
export class NotModified extends DomainError {
  constructor() {
    super('NOT_MODIFIED', 'Not modified');
  }
}

/** A limit of the user is used up. */
export class LimitReached extends DomainError {
  constructor(message: string) {
    super('LIMIT_REACHED', message);
  }
}

/** Too many attempts; `retryAfter` is the number of seconds after which another one may be made. */
export class RateLimited extends DomainError {
  constructor(retryAfter: number, message = 'Too many attempts. Try again later.') {
    super('RATE_LIMITED', message, { retryAfter });
  }
}

/** More is asked for at once than anybody may; the message names the limit. */
export class TooExpensive extends DomainError {
  constructor(message: string) {
    super('QUERY_TOO_LARGE', message);
  }
}

/** It cannot be done now; `retryAfter` is the number of seconds after which it may be tried again. */
export class Unavailable extends DomainError {
  constructor(message: string, retryAfter = 5) {
    super('UNAVAILABLE', message, { retryAfter });
  }
}
