/** What went wrong. GraphQL returns that of the condition as `extensions.code`; REST maps it to a status. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'INSUFFICIENT_SCOPE'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'VALIDATION_FAILED'
  | 'BAD_REQUEST'
  | 'CONFLICT'
  | 'CONTENT_TOO_LARGE'
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
  LIMIT_REACHED: 403,
  RATE_LIMITED: 429,
  QUERY_TOO_LARGE: 400,
  UNAVAILABLE: 503,
};

/**
 * The one table of what can go wrong, with the code that GraphQL returns for it. Every error of the domain is made through one of these
 * conditions, by its class or by `as`.
 */
export const CONDITIONS = {
  notSignedIn: {
    code: 'UNAUTHENTICATED',
    meaning: 'A credential is needed, or the one that was sent is unknown, expired or revoked.',
  },
  scopeMissing: { code: 'INSUFFICIENT_SCOPE', meaning: 'The token lacks a scope.' },
  notAllowed: { code: 'FORBIDDEN', meaning: 'The caller may not do this, whatever the state of the record.' },
  notFound: { code: 'NOT_FOUND', meaning: 'There is no such record, or the caller may not see it.' },
  valuesInvalid: { code: 'VALIDATION_FAILED', meaning: 'Values of the input are wrong.' },
  requestInvalid: { code: 'BAD_REQUEST', meaning: 'The request as a whole makes no sense.' },
  alreadyExists: { code: 'CONFLICT', meaning: 'Something with that name, or that relation, exists already.' },
  wrongState: { code: 'CONFLICT', meaning: 'The state of a record does not allow the change.' },
  contentTooLarge: { code: 'CONTENT_TOO_LARGE', meaning: 'The content is too large.' },
  limitReached: { code: 'LIMIT_REACHED', meaning: 'A number or size that is limited would be exceeded.' },
  tooOften: { code: 'RATE_LIMITED', meaning: 'Too many requests or attempts.' },
  operationTooLarge: { code: 'QUERY_TOO_LARGE', meaning: 'The operation exceeds a limit.' },
  notNow: { code: 'UNAVAILABLE', meaning: 'Temporarily not possible.' },
} as const satisfies Record<string, { code: ErrorCode; meaning: string }>;

/** The name of a row of CONDITIONS. */
export type Condition = keyof typeof CONDITIONS;

/** Types in GraphQL whose rows errors name as what exists already. */
export const EXISTING_ROWS = [
  'AwardEmoji',
  'BoardList',
  'Email',
  'Environment',
  'GpgKey',
  'Group',
  'Issue',
  'IssueLink',
  'Label',
  'MergeRequest',
  'Milestone',
  'Project',
  'Runner',
  'User',
] as const;

/**
 * What exists already: a row, by its type in GraphQL and the condition that finds it, which GraphQL shows to callers who can see it;
 * or something that whoever may make it may know of, by its name.
 */
export type Existing =
  | { type: (typeof EXISTING_ROWS)[number]; where: Readonly<Record<string, unknown>> }
  | { type: string; name: string };

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
  | 'pushRuleExists'
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
  /** The code that decides the status over HTTP: that of the condition, unless v4 answers otherwise (`as`). */
  readonly code: ErrorCode;
  readonly extensions: Record<string, unknown>;
  readonly reason: ErrorReason | null;
  #condition: Condition;
  #existing: Existing | null = null;

  constructor(
    condition: Condition,
    message: string,
    details: Record<string, unknown> = {},
    reason: ErrorReason | null = null,
  ) {
    super(message);
    const { code } = CONDITIONS[condition];
    this.name = 'DomainError';
    this.#condition = condition;
    this.code = code;
    this.extensions = { code, ...details };
    this.reason = reason;
  }

  /** What went wrong, which decides the code in GraphQL. */
  get condition(): Condition {
    return this.#condition;
  }

  /** What exists already, where that is the condition and the command knows it. */
  get existing(): Existing | null {
    return this.#existing;
  }

  /** This error with another condition, and so another code in GraphQL; status and wording of v4 stay those of its class. */
  as(condition: Exclude<Condition, 'alreadyExists' | 'wrongState'>): this {
    return this.#as(condition);
  }

  /** This error as one about what exists already, where v4 does not answer it as a conflict. */
  asExisting(existing?: Existing | null): this {
    this.#existing = existing ?? null;
    return this.#as('alreadyExists');
  }

  /** This error as one about the state of a record, where v4 does not answer it as a conflict. */
  asWrongState(state?: string | null): this {
    if (state != null) this.extensions.state = state.toUpperCase();
    return this.#as('wrongState');
  }

  #as(condition: Condition): this {
    this.#condition = condition;
    this.extensions.code = CONDITIONS[condition].code;
    return this;
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
    super('notSignedIn', message ?? 'The credentials are missing or invalid.', {}, message ? 'explained' : null);
  }
}

/** A token that was sent and is good for nothing, whatever the request could do without it. */
export class UnknownToken extends DomainError {
  constructor() {
    super('notSignedIn', 'The token is unknown, expired or revoked, or its user is blocked.');
  }
}

/** An access token that has expired or was revoked; reported in the wording of RFC 6750. */
export class EndedToken extends DomainError {
  constructor(how: 'expired' | 'revoked') {
    const message =
      how === 'expired'
        ? 'Token is expired. You can either do re-authorization or token refresh.'
        : 'Token was revoked. You have to re-authorize from the user.';
    super('notSignedIn', message, { error: 'invalid_token' });
  }
}

/** The credential lacks a required scope; `accepted` lists those that are accepted. */
export class InsufficientScope extends DomainError {
  constructor(accepted: readonly string[]) {
    super('scopeMissing', 'The request requires higher privileges than provided by the access token.', {
      scope: accepted.join(' '),
    });
  }
}

/** The actor is not allowed to do this. */
export class Forbidden extends DomainError {
  constructor(message?: string, reason: ErrorReason | null = message ? 'explained' : null) {
    super('notAllowed', message ?? 'You are not allowed to do this.', {}, reason);
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
    super('notFound', message ?? `${resource} not found`, details, message ? 'explained' : null);
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
    super('valuesInvalid', text.join(', '), { fields, ...(about && { about }), ...(details && { details }) }, reason);
    this.fields = fields;
    this.details = details;
  }
}

/** An invalid request; the message says why, and `about` names the field if there is one. */
export class BadRequest extends DomainError {
  constructor(message: string, about?: string, reason?: ErrorReason) {
    super('requestInvalid', message, about === undefined ? {} : { about }, reason);
  }
}

/** The request contradicts what there is: one of AlreadyExists and WrongState. */
export abstract class Conflict extends DomainError {}

/**
 * It exists already. `fields` has messages by field if several values are taken. Otherwise
 * `about` is the field of the message, or has messages for all fields, of which the message is the first.
 */
export class AlreadyExists extends Conflict {
  constructor(message: string, existing?: Existing | null, about?: string | FieldErrors, fields?: FieldErrors) {
    super('alreadyExists', message, { ...(fields && { fields }), ...(about !== undefined && { about }) });
    this.asExisting(existing);
  }
}

/** The state of a record does not allow the change; `state` is that state, where it is one of an enum of the schema. */
export class WrongState extends Conflict {
  constructor(message: string, state?: string | null) {
    super('wrongState', message);
    this.asWrongState(state);
  }
}

/** The content is too large for this endpoint; `limit` names the limit, and an alternative if there is one. */
export class ContentTooLarge extends DomainError {
  readonly limit: string;

  constructor(limit: string) {
    super('contentTooLarge', `Too large: ${limit}`);
    this.limit = limit;
  }
}

/** The user has reached a limit. */
export class LimitReached extends DomainError {
  constructor(message: string) {
    super('limitReached', message);
  }
}

/** Too many attempts; `retryAfter` is the number of seconds to wait. */
export class RateLimited extends DomainError {
  constructor(retryAfter: number, message = 'Too many attempts. Try again later.') {
    super('tooOften', message, { retryAfter });
  }
}

/** The request exceeds a limit, which the message names; `used` is what it has come to when it is refused. */
export class TooExpensive extends DomainError {
  constructor(message: string, exceeded: { kind: string; limit: number; used: number }) {
    super('operationTooLarge', message, exceeded);
  }
}

/** Temporarily not possible; `retryAfter` is the number of seconds to wait. */
export class Unavailable extends DomainError {
  constructor(message: string, retryAfter = 5) {
    super('notNow', message, { retryAfter });
  }
}
