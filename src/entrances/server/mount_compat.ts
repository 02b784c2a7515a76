import type { Express, Request, RequestHandler } from 'express';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { authenticate } from '#src/access/credentials/authenticate.ts';
import { readCredentials } from '#src/access/credentials/credentials.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { Entrance } from '#src/entrances/server/entrance.ts';
import { noteGraphQL } from '#src/entrances/web/request_facts.ts';
import { sessionForOwnPages, sessionForReads } from '#src/entrances/web/session_token.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** Serves the GraphQL that clients of today know, at /api/graphql. It is loaded by the first request. */
export function mountCompat(
  app: Express,
  { stores, baseUrl, report, budget, turns, throttle, contextOf }: Entrance,
): void {
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
      throttle: (actor, request, response) => throttle.api(actor, request, response),
      execute: async (actor, request, { document, variables, isMutation }) => {
        const contextValue = await contextOf(actor, request);
        const purpose = isMutation ? null : 'read';
        const execution = { schema, document, variableValues: variables, contextValue, purpose } as const;
        const caller = callerOf(actor, (request as Request).ip ?? null);
        return turns.run(caller, () => executeWithin(execution, report, budget));
      },
      noteOperation: (request, operation) => noteGraphQL(request, operation, null),
      report,
      transientFailure: (error) => transientFailure(error)?.refusal ?? null,
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  const answer: RequestHandler = async (request, response) => {
    loading ??= load();
    await (await loading)(request, response);
  };
  app.use('/api/graphql', answer);
}
