import type { Route } from '#rest/engine/route.ts';
import {
  type ErrorCode,
  type FieldErrors,
  HTTP_STATUS,
  missing,
  PLAIN,
  TOO_LARGE,
  UNMERGEABLE,
  UNPROCESSABLE,
  USUAL,
} from '#src/platform/errors.ts';

/** Codes of refusals because of what was given. */
const BY_VALUE = new Set<ErrorCode>(['VALIDATION_FAILED', 'BAD_REQUEST', 'CONFLICT', 'NOT_FOUND']);

/** A refusal as the REST API words it. */
export interface Refusal {
  status: number;
  /** Null where the status has no body. */
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
  'Hook',
  'Hook event',
  'MergeRequest',
]);

/** The refusal for an error of the domain, however it came: its code, its message and its details. */
export function refusal(message: string, details: Record<string, unknown>, route?: Route): Refusal | null {
  const code = details.code as ErrorCode;
  if (HTTP_STATUS[code] === undefined) return null;
  const status = statusOf(code, route);
  switch (code) {
    case 'UNAUTHENTICATED':
      if (details.error === 'invalid_token') return endedToken(status, message);
      return { status, body: { message: explained('401 Unauthorized', '. ', USUAL.UNAUTHENTICATED, message) } };
    case 'FORBIDDEN':
      if (message === UNMERGEABLE.NO_RIGHT) return { status: 401, body: { message: '401 Unauthorized' } };
      if (route?.refused) return { status, body: { message: route.refused.message } };
      return { status, body: { message: explained('403 Forbidden', '  - ', USUAL.FORBIDDEN, message) } };
    case 'CONTENT_TOO_LARGE':
      return { status, body: { message: `413 Request Entity Too Large: ${message.slice(TOO_LARGE.length)}` } };
    case 'NOT_MODIFIED':
      return { status, body: null };
    case 'INSUFFICIENT_SCOPE':
      return { status, body: { error: 'insufficient_scope', error_description: message, scope: details.scope } };
    case 'RATE_LIMITED':
    case 'UNAVAILABLE':
      return { status, body: { message }, headers: { 'Retry-After': String(details.retryAfter) } };
    case 'LIMIT_REACHED':
      return { status, body: { error: [message] } };
    case 'NOT_FOUND':
      return { status, body: { message: notFound(details, message, route) } };
    case 'CONFLICT':
      return { status, body: { message: details.fields ?? (route?.conflictsListed ? [message] : message) } };
    case 'VALIDATION_FAILED': {
      const fields = details.fields as FieldErrors;
      if (areMissing(fields)) return { status, body: { error: message } };
      const wrong = validation(fields, route);
      // Of a route that words them as one text.
      const isText = status === 404 && typeof wrong === 'string';
      return { status, body: { message: isText ? `404 ${wrong} Not Found` : wrong } };
    }
    default: {
      const particular = PARTICULAR.get(message);
      if (particular) return particular;
      if (UNPROCESSED.has(message)) return { status: 422, body: { error: [message] } };
      return { status, body: { message: V4_WORDS.get(message) ?? message } };
    }
  }
}

/** Refusals that have a status and a form of their own: why a merge request is not merged (behaviour.md 8), and what is wrong with a hook (1.5). */
const PARTICULAR: ReadonlyMap<string, Refusal> = new Map([
  [UNMERGEABLE.NOT_NOW, { status: 405, body: { message: '405 Method Not Allowed' } }],
  [UNMERGEABLE.CONFLICTS, { status: 406, body: { message: UNMERGEABLE.CONFLICTS } }],
  [PLAIN.INVALID_HOOK_URL, { status: 422, body: { error: 'Invalid url given' } }],
  [PLAIN.PRIVATE_HOOK_URL, { status: 422, body: { error: `Invalid url given. ${PLAIN.PRIVATE_HOOK_URL}` } }],
  [PLAIN.UNTESTABLE_HOOK, { status: 422, body: { message: PLAIN.UNTESTABLE_HOOK } }],
  [UNMERGEABLE.NOT_AWAITED, { status: 406, body: { message: '406 Not Acceptable' } }],
]);

const UNPROCESSED: ReadonlySet<string> = new Set(Object.values(UNPROCESSABLE));

/** What v4 says of what the domain says in plain words. */
const V4_WORDS: ReadonlyMap<string, string | object> = new Map<string, string | object>([
  [PLAIN.NO_LABEL_FOR_LIST, { error: 'Label not found!' }],
  [PLAIN.NO_POSITION_OF_BOARD, { error: 'List could not be moved!' }],
  [PLAIN.UNPLAYABLE_JOB, '400 (Bad request) "Unplayable Job" not given'],
  [PLAIN.HALF_AN_IDENTITY, 'extern_uid, provider provide all or none of parameters'],
]);

/** For the bearer of an access token that was good once (behaviour.md 4.4). */
function endedToken(status: number, description: string): Refusal {
  const challenge = `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`;
  const body = { error: 'invalid_token', error_description: description };
  return { status, body, headers: { 'WWW-Authenticate': challenge } };
}

/** The status that a route has for errors of a code. */
export function statusOf(code: ErrorCode, route?: Route): number {
  if (code === 'FORBIDDEN' && route?.refused) return route.refused.status;
  const failure = route?.failure;
  const own = typeof failure === 'object' ? failure[code] : BY_VALUE.has(code) ? failure : undefined;
  return own ?? HTTP_STATUS[code];
}

function notFound(details: Record<string, unknown>, message: string, route?: Route): string {
  if (details.sudo !== undefined) return `404 No user id or username for: ${details.sudo} Not Found`;
  const resource = String(details.resource);
  const own = route?.notFound?.[resource] ?? (NAMELESS.has(resource) ? '404 Not found' : undefined);
  return own ?? (message === missing(resource) ? `404 ${resource} Not Found` : message);
}

/** The status in words, and behind it the reason where one is given (behaviour.md 1.3). */
function explained(status: string, between: string, usual: string, message: string): string {
  return message === usual ? status : `${status}${between}${message}`;
}

/** Whether nothing is wrong but that values are missing, which is worded as for any parameter (behaviour.md 3). */
function areMissing(fields: FieldErrors): boolean {
  return Object.values(fields).every((messages) => messages.length === 1 && messages[0] === 'is missing');
}

function validation(fields: FieldErrors, route?: Route): string | FieldErrors {
  if (!route?.validationPrefix) return fields;
  const pairs = Object.entries(fields).map(([name, messages]) => `:${name}=>${JSON.stringify(messages)}`);
  return `${route.validationPrefix} {${pairs.join(', ')}}`;
}
