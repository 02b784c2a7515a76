import { GraphQLError } from 'graphql';

/** Characters of the longest message: graphql-js repeats whole values in it. */
const MAX_MESSAGE_LENGTH = 2000;
/** Values of inputs with secret names, as messages of graphql-js repeat them; the end may be cut off. */
const SECRETS = /((?:password|token|secret)\w*\\?"?: ?)"(?:[^"\\]|\\.)*(?:"|\\?$)/gi;
/** User name and password in a URL. */
const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s"/\\?#]*@/gi;

/** The error without the secrets of the request: messages about a value quote the whole input around it. */
export function withoutSecrets<E extends Error>(error: E): E | GraphQLError {
  if (!(error instanceof GraphQLError)) return error;
  const told =
    error.message.length > MAX_MESSAGE_LENGTH ? `${error.message.slice(0, MAX_MESSAGE_LENGTH)}…` : error.message;
  const message = told.replace(SECRETS, '$1"[redacted]"').replace(CREDENTIALS, '$1');
  if (message === error.message) return error;
  const { nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
}
