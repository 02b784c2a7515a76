import type { Json } from '#rest/openapi/components.ts';

/** The schemas of errors by their names in the document. */
export const ERROR_SCHEMAS: Record<string, Json> = {
  Message: {
    type: 'object',
    description: 'An error message.',
    properties: {
      message: { type: 'string' },
      error_code: {
        type: 'string',
        enum: ['conflict', 'empty'],
        description: 'Why a change is not applied to a branch.',
      },
    },
    required: ['message'],
  },
  FieldErrors: {
    type: 'object',
    description: 'Validation errors, by field.',
    properties: {
      message: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    },
    required: ['message'],
  },
  WrappedError: {
    type: 'object',
    description: 'An error message within a message, as boards have it.',
    properties: {
      message: {
        type: 'object',
        description: 'Holds the message.',
        properties: { error: { type: 'string', description: 'Why the request is refused.' } },
        required: ['error'],
      },
    },
    required: ['message'],
  },
  ParameterError: {
    type: 'object',
    description: 'An error in the parameters or the body of the request.',
    properties: { error: { type: 'string' } },
    required: ['error'],
  },
  LimitError: {
    type: 'object',
    description: 'Limits that the caller has reached, or what keeps values from being used together.',
    properties: { error: { type: 'array', items: { type: 'string' } } },
    required: ['error'],
  },
  MessageList: {
    type: 'object',
    description: 'Error messages.',
    properties: { message: { type: 'array', description: 'One text for each.', items: { type: 'string' } } },
    required: ['message'],
  },
  TokenError: {
    type: 'object',
    description: 'Why the access token was rejected, in the form of OAuth.',
    properties: {
      error: { type: 'string', enum: ['invalid_token', 'insufficient_scope'] },
      error_description: { type: 'string' },
      scope: { type: 'string', description: 'The scopes that are accepted, separated by spaces.' },
    },
    required: ['error', 'error_description'],
  },
};

const RETRY_AFTER = {
  'Retry-After': { $ref: '#/components/headers/RetryAfter' },
};

/** Shared error responses by their names in the document. */
export const SHARED_RESPONSES: Record<string, Json> = {
  Moved: {
    ...refusal('The project or group has moved. `Location` has its new path.', ['Message']),
    headers: { Location: { schema: { type: 'string', format: 'uri' }, required: true } },
  },
  NotModified: {
    description: 'The content still has the `ETag` in `If-None-Match`. No body.',
    headers: { ETag: { $ref: '#/components/headers/ETag' } },
  },
  Unchanged: { description: 'Nothing changed, as the record already is in the requested state. No body.' },
  BadRequest: refusal('A parameter, a value or the body is invalid.', [
    'ParameterError',
    'Message',
    'FieldErrors',
    'WrappedError',
  ]),
  Unauthorized: {
    ...refusal('The credentials are missing, unknown, expired or revoked.', ['Message', 'TokenError']),
    headers: { 'WWW-Authenticate': { description: 'Only for OAuth access tokens.', schema: { type: 'string' } } },
  },
  Forbidden: refusal('The caller is not allowed to do this.', ['Message', 'TokenError', 'LimitError']),
  NotFound: refusal('The record does not exist, or the caller cannot see it.', [
    'Message',
    'ParameterError',
    'FieldErrors',
  ]),
  MethodNotAllowed: {
    ...refusal('A value of the request, or the state of the record, does not allow it.', ['Message']),
    headers: { Allow: { description: 'The methods of the path.', schema: { type: 'string' }, required: true } },
  },
  NotAcceptable: refusal('The state of the record does not allow it.', ['Message']),
  Conflict: refusal('A record with this name or value already exists.', ['Message', 'FieldErrors', 'MessageList']),
  PreconditionFailed: refusal('The record has changed since the time in `If-Unmodified-Since`.', ['Message']),
  ContentTooLarge: refusal('The request or the response is larger than the server allows.', [
    'ParameterError',
    'Message',
  ]),
  RangeNotSatisfiable: {
    ...refusal('The content does not have the requested range.', ['ParameterError']),
    headers: {
      'Content-Range': { description: 'The size of the content: `bytes */1234`.', schema: { type: 'string' } },
    },
  },
  UnprocessableEntity: refusal('The values do not fit together.', [
    'LimitError',
    'ParameterError',
    'Message',
    'MessageList',
    'WrappedError',
  ]),
  TooManyRequests: tooManyRequests(),
  InternalServerError: refusal('An unexpected error. The server’s log has the details.', ['Message']),
  ServiceUnavailable: { ...refusal('Temporarily unavailable.', ['Message']), headers: RETRY_AFTER },
};

/** A text where the caller asks too often, as the settings of the server say; an object where other limits are reached. */
function tooManyRequests(): Json {
  const { description, content } = refusal('The caller sends too many requests.', ['Message']);
  const text = { 'text/plain': { schema: { type: 'string' } } };
  return { description, content: { ...(content as object), ...text }, headers: RETRY_AFTER };
}

function refusal(description: string, forms: readonly (keyof typeof ERROR_SCHEMAS)[]): Json {
  const schemas = forms.map((form) => ({ $ref: `#/components/schemas/${form}` }));
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return { description, content: { 'application/json': { schema } } };
}
