import type { Route } from '#rest/engine/route.ts';
import {
  ContentTooLarge,
  domainErrorOf,
  type ErrorCode,
  type ErrorReason,
  type FieldErrors,
  HTTP_STATUS,
} from '#src/platform/errors.ts';

/** Codes of errors about given values. */
const BY_VALUE = new Set<ErrorCode>(['VALIDATION_FAILED', 'BAD_REQUEST', 'CONFLICT', 'NOT_FOUND']);

/** An error response of the REST API. */
export interface Refusal {
  status: number;
  /** Null if the status has no body. */
  body: Record<string, unknown> | null;
  headers?: Record<string, string>;
}

/** Resources whose lookups say `404 Not found` without a name (behaviour.md 1.3). */
const NAMELESS = new Set([
  'Issue',
  'MergeRequest',
  'MergeRequestVersion',
  'Milestone',
  'BoardList',
  'Todo',
  'MergeRequest',
  'Member',
  'AccessRequest',
  'Pipeline',
  'Environment',
  'Deployment',
  'Trigger',
  'Note',
  'Award',
  'LabelEvent',
  'MilestoneEvent',
  'StateEvent',
  'Hook',
  'Hook event',
  'MergeRequest',
]);

/** An error of the domain, or of GraphQL that comes from one. */
export type Refused = Error & {
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly originalError?: Error | undefined;
};

/** The response to an error of the domain; null for other errors. */
export function refusal(error: Refused, route?: Route): Refusal | null {
  const { message, extensions: details } = error;
  const cause = domainErrorOf(error);
  // v4 answers some conditions otherwise than GraphQL.
  const code = cause?.code ?? (details.code as ErrorCode);
  if (HTTP_STATUS[code] === undefined) return null;
  const status = statusOf(code, route);
  const reason = cause?.reason;
  const missing = route?.missing?.[String(details.resource)];
  if (reason && reason !== 'explained') return { status, ...BY_REASON[reason](message) };
  const explanation = reason === 'explained' ? message : null;
  switch (code) {
    case 'UNAUTHENTICATED':
      if (details.error === 'invalid_token') return endedToken(status, message);
      return { status, body: { message: explained('401 Unauthorized', '. ', explanation) } };
    case 'FORBIDDEN':
      if (route?.forbidden) return { status, body: { message: route.forbidden.message } };
      return { status, body: { message: explained('403 Forbidden', '  - ', explanation) } };
    case 'CONTENT_TOO_LARGE': {
      const limit = cause instanceof ContentTooLarge ? cause.limit : null;
      return { status, body: { message: explained('413 Request Entity Too Large', ': ', limit) } };
    }
    case 'INSUFFICIENT_SCOPE':
      return { status, body: { error: 'insufficient_scope', error_description: message, scope: details.scope } };
    case 'RATE_LIMITED':
    case 'UNAVAILABLE':
      return { status, body: { message }, headers: { 'Retry-After': String(details.retryAfter) } };
    case 'LIMIT_REACHED':
      return { status, body: { error: [message] } };
    case 'NOT_FOUND':
      if (missing) return { status: missing.status, body: { message: missing.message } };
      return { status, body: { message: notFound(details, explanation, route) } };
    case 'CONFLICT':
      return { status, body: { message: details.fields ?? (route?.conflictsListed ? [message] : message) } };
    case 'VALIDATION_FAILED': {
      const wrong = validation(details.fields as FieldErrors, route);
      // For a route that reports these errors as one text.
      const isText = status === 404 && typeof wrong === 'string';
      return { status, body: { message: isText ? `404 ${wrong} Not Found` : wrong } };
    }
    default:
      return { status, body: { message } };
  }
}

/** An error response whose status is that of the code, unless it has its own. */
type Worded = Partial<Refusal> & Pick<Refusal, 'body'>;

/** Errors with a message of their own in v4, some with a status of their own (behaviour.md 1.5, 3, 8). */
const BY_REASON: Readonly<Record<Exclude<ErrorReason, 'explained'>, (message: string) => Worded>> = {
  valuesMissing: (message) => ({ body: { error: message } }),
  incompleteIdentity: () => ({ body: { message: 'extern_uid, provider provide all or none of parameters' } }),
  labelOfOtherProject: () => ({ body: { message: { error: 'Label not found!' } } }),
  listPositionOutOfRange: () => ({ body: { message: { error: 'List could not be moved!' } } }),
  lineMissing: () => ({
    body: { message: '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}' },
  }),
  notAnswerable: () => ({ body: { message: '400 Bad request - Discussion can not be replied to.' } }),
  nothingToChange: () => ({ body: { message: '400 Bad request - Missing params to modify' } }),
  jobNotPlayable: () => ({ body: { message: '400 (Bad request) "Unplayable Job" not given' } }),
  hookFilterInvalid: () => ({ status: 422, body: { error: 'Invalid branch filter given' } }),
  hookUrlInvalid: () => ({ status: 422, body: { error: 'Invalid url given' } }),
  hookUrlPrivate: (message) => ({ status: 422, body: { error: `Invalid url given. ${message}` } }),
  hookWithoutExample: (message) => ({ status: 422, body: { message } }),
  notBesideIssue: () => ({ status: 422, body: { message: { error: 'Unprocessable Entity' } } }),
  tagProtected: (message) => ({ body: { message } }),
  changeConflicts: (message) => ({ body: { message, error_code: 'conflict' } }),
  changeEmpty: (message) => ({ body: { message, error_code: 'empty' } }),
  rangeInvalid: (message) => ({ body: { error: message } }),
  ruleInvalid: (message) => ({ status: 422, body: { message: [message] } }),
  sameBranch: (message) => ({ status: 422, body: { error: [message] } }),
  notAFork: (message) => ({ status: 422, body: { error: [message] } }),
  mergeForbidden: () => ({ status: 401, body: { message: '401 Unauthorized' } }),
  notApprovable: () => ({ status: 401, body: { message: '401 Unauthorized' } }),
  notMergeable: () => ({ status: 405, body: { message: '405 Method Not Allowed' } }),
  withoutPipeline: () => ({ status: 405, body: { message: '405 Method Not Allowed' } }),
  mergeConflict: (message) => ({ status: 406, body: { message } }),
  artifactPathInvalid: () => ({ body: { message: '400 Bad request' } }),
  pushRuleExists: (message) => ({ status: 422, body: { error: message } }),
  changelogFailed: (message) => ({ status: 422, body: { message } }),
  packageRefused: (message) => ({ body: { message: `400 Bad request - ${message}` } }),
  valueInvalid: (message) => ({ body: { error: message } }),
  milestonesMissing: (message) => ({ status: 400, body: { message } }),
  nobodyInvited: (message) => ({ body: { message: `400 Bad request - ${message}` } }),
  accessTokenRefused: (message) => ({ status: 400, body: { message: `400 Bad request - ${message}` } }),
  userStateRefused: (message) => ({ body: { message: `403 Forbidden - ${message}` } }),
  tokenNotOwn: () => ({ status: 401, body: { message: '401 Unauthorized' } }),
  notWaitingForPipeline: () => ({ status: 406, body: { message: '406 Not Acceptable' } }),
};

/** For the bearer of an expired or revoked access token (behaviour.md 4.4). */
function endedToken(status: number, description: string): Refusal {
  const challenge = `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`;
  const body = { error: 'invalid_token', error_description: description };
  return { status, body, headers: { 'WWW-Authenticate': challenge } };
}

/** The status of an error code on a route. */
export function statusOf(code: ErrorCode, route?: Route): number {
  if (code === 'FORBIDDEN' && route?.forbidden) return route.forbidden.status;
  const failure = route?.failure;
  const own = typeof failure === 'object' ? failure[code] : BY_VALUE.has(code) ? failure : undefined;
  return own ?? HTTP_STATUS[code];
}

function notFound(details: Refused['extensions'], explanation: string | null, route?: Route): string {
  if (details.sudo !== undefined) return `404 No user id or username for: ${details.sudo} Not Found`;
  const resource = String(details.resource);
  const own = route?.notFound?.[resource] ?? (NAMELESS.has(resource) ? '404 Not found' : undefined);
  return own ?? explanation ?? `404 ${resource} Not Found`;
}

/** The text of the status, followed by the explanation, if there is one (behaviour.md 1.3). */
function explained(status: string, between: string, explanation: string | null): string {
  return explanation === null ? status : `${status}${between}${explanation}`;
}

function validation(fields: FieldErrors, route?: Route): string | FieldErrors {
  if (!route?.validationPrefix) return fields;
  const pairs = Object.entries(fields).map(([name, messages]) => `:${name}=>${JSON.stringify(messages)}`);
  return `${route.validationPrefix} {${pairs.join(', ')}}`;
}
