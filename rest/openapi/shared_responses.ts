import type { Json } from '#rest/openapi/components.ts';

/** The forms of errors, by their names in the document. */
export const ERROR_SCHEMAS: Record<string, Json> = {
  Message: {
    type: 'object',
    description: 'What is refused, and why.',
    properties: { message: { type: 'string' } },
    required: ['message'],
  },
  FieldErrors: {
    type: 'object',
    description: 'What is wrong with values, by the names of their fields.',
    properties: {
      message: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    },
    required: ['message'],
  },
  ParameterError: {
    type: 'object',
    description: 'What is wrong with the parameters of the request, or with its body as a whole.',
    properties: { error: { type: 'string' } },
    required: ['error'],
  },
  LimitError: {
    type: 'object',
    description: 'Limits of the caller that are reached.',
    properties: { error: { type: 'array', items: { type: 'string' } } },
    required: ['error'],
  },
  TokenError: {
    type: 'object',
    description: 'Why an access token is not enough, as OAuth has it.',
    properties: {
      error: { type: 'string', enum: ['invalid_token', 'insufficient_scope'] },
      error_description: { type: 'string' },
      scope: { type: 'string', description: 'The scopes one of which is needed, separated by spaces.' },
    },
    required: ['error', 'error_description'],
  },
};

const RETRY_AFTER = {
  'Retry-After': { $ref: '#/components/headers/RetryAfter' },
};

/** The answers other than success that operations share, by their names in the document. */
export const SHARED_RESPONSES: Record<string, Json> = {
  Moved: {
    ...refusal('The project or group has another path by now, which `Location` has.', ['Message']),
    headers: { Location: { schema: { type: 'string', format: 'uri' }, required: true } },
  },
  NotModified: {
    description: 'Nothing has changed since the answer whose `ETag` the header `If-None-Match` has. There is no body.',
    headers: { ETag: { $ref: '#/components/headers/ETag' } },
  },
  Unchanged: { description: 'There is nothing to do: all is as the request wants it. There is no body.' },
  BadRequest: refusal('Parameters, the body or values are refused.', ['ParameterError', 'Message', 'FieldErrors']),
  Unauthorized: {
    ...refusal('Nobody has the credentials, or there are none.', ['Message', 'TokenError']),
    headers: { 'WWW-Authenticate': { description: 'For access tokens of OAuth alone.', schema: { type: 'string' } } },
  },
  Forbidden: refusal('The caller may not do this.', ['Message', 'TokenError', 'LimitError']),
  NotFound: refusal('Something is not there, or the caller may not see it.', [
    'Message',
    'ParameterError',
    'FieldErrors',
  ]),
  MethodNotAllowed: {
    ...refusal('The request is refused because of a value.', ['Message']),
    headers: { Allow: { description: 'The methods of the path.', schema: { type: 'string' }, required: true } },
  },
  Conflict: refusal('There is something of that name already.', ['Message', 'FieldErrors']),
  ContentTooLarge: refusal('The request, or the answer, is larger than the server allows.', [
    'ParameterError',
    'Message',
  ]),
  RangeNotSatisfiable: {
    ...refusal('The content has no such part.', ['ParameterError']),
    headers: {
      'Content-Range': { description: 'The size of the content: `bytes */1234`.', schema: { type: 'string' } },
    },
  },
  TooManyRequests: { ...refusal('The caller asks too much at a time.', ['Message']), headers: RETRY_AFTER },
  InternalServerError: refusal('Something unexpected happened; the log of the server has it.', ['Message']),
  ServiceUnavailable: { ...refusal('The server cannot answer for a while.', ['Message']), headers: RETRY_AFTER },
};

function refusal(description: string, forms: readonly (keyof typeof ERROR_SCHEMAS)[]): Json {
  const schemas = forms.map((form) => ({ $ref: `#/components/schemas/${form}` }));
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return { description, content: { 'application/json': { schema } } };
}
