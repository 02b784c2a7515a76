import type { Endpoint } from '#rest/engine/compile.ts';
import { statusOf } from '#rest/engine/errors.ts';
import type { Json } from '#rest/openapi/components.ts';
import { hasETag, hasParts } from '#rest/openapi/raw_responses.ts';
import type { ErrorCode } from '#src/platform/errors.ts';

/** The error responses of an endpoint by status; `codes` are the error codes that the schema names for it. */
export function refusalsOf(endpoint: Endpoint, codes: ReadonlySet<ErrorCode>): Record<string, Json> {
  const { method, raw } = endpoint.route;
  const hasContent = ['POST', 'PUT', 'PATCH'].includes(method) || raw !== undefined;
  const refused: ErrorCode[] = [...ANYWHERE, ...(hasContent ? (['CONTENT_TOO_LARGE'] as const) : []), ...codes];
  const statuses = new Set([
    ...refused.map((code) => statusOf(code, endpoint.route)),
    ...besidesErrors(endpoint),
    ...(endpoint.route.whenUnchanged ? [endpoint.route.whenUnchanged.status] : []),
    ...(endpoint.route.alsoRefuses ?? []),
    500,
  ]);
  return Object.fromEntries([...statuses].map((status) => [status, reference(status, method)]));
}

/** Errors that any operation may have: about the caller, the request, and the load. */
const ANYWHERE: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'INSUFFICIENT_SCOPE',
  'FORBIDDEN',
  'NOT_FOUND',
  'VALIDATION_FAILED',
  'BAD_REQUEST',
  'RATE_LIMITED',
  'QUERY_TOO_LARGE',
  'UNAVAILABLE',
];

/** Statuses of reads that are not domain errors: moved, not modified, range not satisfiable. */
function besidesErrors({ route, parameters }: Endpoint): number[] {
  if (route.method !== 'GET') return [];
  const ofPlace = parameters.some(
    ({ in: place, type }) => place === 'path' && /^(?:Project|Group)Ref/.test(String(type)),
  );
  return [...(ofPlace ? [301] : []), ...(hasETag(route) ? [304] : []), ...(hasParts(route) ? [416] : [])];
}

const NAMES: Record<number, string> = {
  301: 'Moved',
  304: 'NotModified',
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  416: 'RangeNotSatisfiable',
  422: 'UnprocessableEntity',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

/** The answer of that status among the shared ones. */
export function reference(status: number, method: string): Json {
  const name = status === 304 && method !== 'GET' ? 'Unchanged' : NAMES[status];
  if (name === undefined) throw new Error(`The document describes no answer with status ${status}`);
  return { $ref: `#/components/responses/${name}` };
}
