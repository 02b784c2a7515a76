import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { GraphQLContext } from '#schema/context.ts';
import { schema } from '#schema/index.ts';
import { DEFAULT_LIMITS, type Limits, limitRule } from '#schema/limits.ts';
import { withoutSecrets } from '#schema/redact.ts';
import { unstorable, vanished } from '#src/db.ts';
import { DomainError, NotFound } from '#src/errors.ts';
import { limitRefusal } from '#src/repository/refusals.ts';

export interface GraphQLServerOptions {
  /** Who asks, and with what. Throws DomainErrors. */
  contextOf(request: IncomingMessage): Promise<GraphQLContext>;
  /** Hears of errors that clients are not told. */
  report(error: unknown): void;
  /** Those that are absent have their defaults. */
  limits?: Partial<Limits> | undefined;
}

/** The handler for /graphql: GraphQL over HTTP. */
export function createGraphQLServer({ contextOf, report, limits: given }: GraphQLServerOptions) {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const rule = limitRule(limits);
  const limitPlugin: Plugin = {
    onValidate({ addValidationRule }) {
      addValidationRule(rule);
      return ({ result, setResult }) => {
        if (result.length > 0) setResult([...result].map((error: Error) => withoutSecrets(error)));
      };
    },
  };
  const yoga = createYoga<{ req: IncomingMessage; res: ServerResponse }, GraphQLContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    logging: false,
    batching: { limit: limits.batch },
    graphiql: false,
    cors: { origin: '*', credentials: false, methods: ['GET', 'POST', 'OPTIONS'] },
    maskedErrors: { maskError: (error) => maskError(error, report) },
    plugins: [limitPlugin],
    context: ({ req }) => contextOf(req),
  });
  return (request: IncomingMessage, response: ServerResponse) => yoga(request, response);
}

/** Errors of the domain and of the request pass; anything else is reported and hidden. */
export function maskError(error: unknown, report: (error: unknown) => void): Error {
  if (error instanceof GraphQLError) {
    const { originalError } = error;
    if (!originalError || originalError instanceof GraphQLError || originalError instanceof DomainError) {
      return withoutSecrets(error);
    }
    const { nodes, path } = error;
    const overLimit = limitRefusal(originalError);
    if (overLimit) return new GraphQLError(overLimit.message, { nodes, path, extensions: overLimit.extensions });
    if (unstorable(originalError)) {
      return new GraphQLError('Text cannot hold the character NUL.', {
        nodes,
        path,
        extensions: { code: 'BAD_REQUEST' },
      });
    }
    const gone = vanished(originalError);
    if (gone !== null) {
      // It was there when the request looked for it, and somebody deleted it since.
      const { message, extensions } = new NotFound(`${gone.slice(0, 1).toUpperCase()}${gone.slice(1)}`);
      return new GraphQLError(message, { nodes, path, extensions });
    }
    report(originalError);
    return new GraphQLError('Unexpected error.', { nodes, path, extensions: { code: 'INTERNAL_SERVER_ERROR' } });
  }
  if (error instanceof DomainError) return new GraphQLError(error.message, { extensions: error.extensions });
  report(error);
  return new GraphQLError('Unexpected error.', { extensions: { code: 'INTERNAL_SERVER_ERROR' } });
}
