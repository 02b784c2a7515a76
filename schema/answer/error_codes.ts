import type { ErrorCode } from '#src/platform/errors.ts';

/** Codes of what goes wrong before the domain is asked, or unforeseen. */
type RequestCode =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_REQUIRED'
  | 'INTERNAL_SERVER_ERROR';

/** Each value that `extensions.code` of an error may have, with its meaning, as docs/graphql.md has them. */
export const ERROR_CODES: Readonly<Record<ErrorCode | RequestCode, string>> = {
  UNAUTHENTICATED: 'A credential is needed, or the one that was sent is unknown, expired or revoked.',
  INSUFFICIENT_SCOPE: 'The scopes of the token do not reach this far; `scope` lists those that would.',
  FORBIDDEN: 'The caller is known, and may not do this.',
  NOT_FOUND: 'There is no such record, or the caller may not see it; `resource` says what was looked for.',
  VALIDATION_FAILED: 'Values of the input are wrong; `fields` has all of them.',
  BAD_REQUEST: 'The request makes no sense as it is; the message says why.',
  CONFLICT: 'It exists already, or its state does not allow the change.',
  CONTENT_TOO_LARGE: 'The content is too large to be part of an answer; the message names the limit and another way.',
  NOT_MODIFIED: 'The wanted state holds already; nothing was changed.',
  LIMIT_REACHED: 'A limit of the user is used up, as that of projects.',
  RATE_LIMITED: 'Too many attempts; `retryAfter` is the number of seconds to wait.',
  QUERY_TOO_LARGE: 'The operation asks for more than one may; the message names the limit.',
  UNAVAILABLE: 'It cannot be done now; `retryAfter` is the number of seconds after which to try again.',
  GRAPHQL_PARSE_FAILED: 'The document is not GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'The document does not fit the schema.',
  PERSISTED_QUERY_NOT_FOUND: 'The server has no document with this hash; send it with its text.',
  PERSISTED_QUERY_REQUIRED: 'This server runs only the documents that its administrators have approved.',
  INTERNAL_SERVER_ERROR: 'Something unforeseen, which is in the log of the server.',
};

/** The code that is told for one that the executor or the server around it has set, or not. */
export function codeOf(code: unknown): string {
  if (typeof code === 'string' && Object.hasOwn(ERROR_CODES, code)) return code;
  return code === 'REQUEST_ENTITY_TOO_LARGE' ? 'QUERY_TOO_LARGE' : 'BAD_REQUEST';
}
