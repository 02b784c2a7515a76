import type { Express, Request, RequestHandler } from 'express';
import type { OperationDefinitionNode } from 'graphql';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { measure } from '#schema/measure.ts';
import { operationTurns } from '#schema/operation_turns.ts';
import { authenticate } from '#src/access/credentials/authenticate.ts';
import { readCredentials } from '#src/access/credentials/credentials.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import type { Entrance } from '#src/entrances/server/entrance.ts';
import { noteGraphQL } from '#src/entrances/web/request_facts.ts';
import { sessionForOwnPages, sessionForReads } from '#src/entrances/web/session_token.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** What callers who ask too often get, in the form of all errors. */
const TOO_OFTEN = {
  type: 'application/json; charset=utf-8',
  body: JSON.stringify({ errors: [{ message: 'Too many requests: retry later' }] }),
};

/**
 * Records and bytes that one operation may read, as its size does not say how many its lists can have: all of a page of threads with their
 * notes, but not so many that others wait for them.
 */
const MAX_READ = { rows: 20_000, bytes: 16 * 1024 * 1024 };

/** Serves the GraphQL that clients of today know, at /api/graphql. It is loaded by the first request, in steps between which others are answered. */
export function mountCompat(
  app: Express,
  { stores, baseUrl, report, budget, turns, throttle, contextOf }: Entrance,
): void {
  const within = {
    ...budget,
    rows: Math.min(budget.rows, MAX_READ.rows),
    bytes: Math.min(budget.bytes, MAX_READ.bytes),
  };
  const inTurnOf = operationTurns(turns);
  const load = async () => {
    const [{ createCompat }, { roots }] = await Promise.all([
      import('#compat/engine/serve.ts'),
      import('#compat/tables/index.ts'),
    ]);
    return createCompat<Actor>({
      core: schema,
      roots,
      authenticate: (request) => {
        const { private_token, access_token, bearer_token } = (request as Request).query;
        const given = { private_token, access_token, bearer_token };
        const session = sessionForReads(request as Request, baseUrl) ?? sessionForOwnPages(request as Request, baseUrl);
        return authenticate(stores.db, { ...readCredentials(request.headers, given), session });
      },
      throttle: (actor, request, response) => throttle.api(actor, request, response, TOO_OFTEN),
      execute: async (actor, request, { document, variables, isMutation }) => {
        const contextValue = await contextOf(actor, request);
        const purpose = isMutation ? null : 'read';
        const given = { schema, document, variableValues: variables, contextValue } as const;
        const [operation] = document.definitions as [OperationDefinitionNode];
        const sender = { actor, clientAddress: (request as Request).ip ?? null };
        return inTurnOf(sender, measure(operation, document, schema, variables), () =>
          // What cannot be told is null at its place alone, as clients of today expect it.
          executeWithin({ ...given, purpose, onError: 'NULL' }, report, within),
        );
      },
      noteOperation: (request, operation) => noteGraphQL(request, operation, null),
      report,
      transientFailure: (error) => transientFailure(error)?.refusal ?? null,
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  const answer: RequestHandler = async (request, response) => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    await (await loading)(request, response);
  };
  app.use('/api/graphql', answer);
}
