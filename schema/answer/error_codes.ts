import type { ErrorCode } from '#src/platform/errors.ts';

/** Codes of errors outside of the domain, and of unexpected ones. */
type RequestCode =
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_REQUIRED'
  | 'INTERNAL_SERVER_ERROR';

/** All values of `extensions.code` of an error with their meanings, as listed in docs/graphql.md. */
export const ERROR_CODES: Readonly<Record<ErrorCode | RequestCode, string>> = {
  UNAUTHENTICATED: 'A credential is needed, or the one that was sent is unknown, expired or revoked.',
  INSUFFICIENT_SCOPE: 'The token lacks a required scope; `scope` lists those that are accepted.',
  FORBIDDEN: 'The caller is not allowed to do this.',
  NOT_FOUND: 'There is no such record, or the caller may not see it; `resource` says what was looked for.',
  VALIDATION_FAILED: 'Values of the input are wrong; `fields` has all of them.',
  BAD_REQUEST: 'The request is not valid; the message says why.',
  CONFLICT:
    'It exists already, and `existing` says what, if the caller can see it; or a state does not allow the change, which is `state` where it is one of an enum.',
  CONTENT_TOO_LARGE: 'The content is too large for the response; the message names the limit and an alternative.',
  LIMIT_REACHED: 'A limit is reached, such as the number of projects of the user, or of links of an issue.',
  RATE_LIMITED: 'Too many attempts; `retryAfter` is the number of seconds to wait.',
  QUERY_TOO_LARGE:
    'The operation exceeds a limit, which the message names; `kind`, `limit` and, where it is known, `used` tell programs.',
  UNAVAILABLE: 'Temporarily not possible; try again after `retryAfter` seconds.',
  GRAPHQL_PARSE_FAILED: 'The document is not GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'The document does not match the schema.',
  PERSISTED_QUERY_NOT_FOUND: 'The server has no document with this hash; send it with its text.',
  PERSISTED_QUERY_REQUIRED: 'This server runs only the documents that its administrators have approved.',
  INTERNAL_SERVER_ERROR: 'An unexpected error. The server’s log has the details.',
};

/** The published code for one that the executor or its server may have set. */
export function codeOf(code: unknown): string {
  if (typeof code === 'string' && Object.hasOwn(ERROR_CODES, code)) return code;
  return code === 'REQUEST_ENTITY_TOO_LARGE' ? 'QUERY_TOO_LARGE' : 'BAD_REQUEST';
}
