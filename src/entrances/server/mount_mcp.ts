import type { Express, Request } from 'express';
import { wantsPage } from '#pages/engine/page.ts';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { authenticate } from '#src/access/credentials/authenticate.ts';
import { readCredentials } from '#src/access/credentials/credentials.ts';
import { PROTECTED_RESOURCE } from '#src/access/oauth/protected_resource.ts';
import { type Actor, actorFor, reachesApi, requireApiScope } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { Entrance } from '#src/entrances/server/entrance.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';
import { packageVersion } from '#src/platform/package_root.ts';

/** Serves the Model Context Protocol at /mcp. Few requests need it: it is loaded by the first one. */
export function mountMcp(
  app: Express,
  { stores, baseUrl, report, budget, turns, throttle, contextOf }: Entrance,
  log: Logger | undefined,
): void {
  const load = async () => {
    const [{ createMcp }, { tools }] = await Promise.all([import('#mcp/engine/serve.ts'), import('#mcp/tools.ts')]);
    return createMcp<Actor>({
      schema,
      tools,
      version: packageVersion(),
      authenticate: (request) => authenticate(stores.db, readCredentials(request.headers)),
      throttle: (actor, request, response) => throttle.api(actor, request, response),
      admit: (actor) => requireApiScope(actorFor(actor, 'read')),
      mayWrite: reachesApi,
      execute: async (actor, request: Request, document, variableValues, reads) => {
        const contextValue = await contextOf(actor, request);
        const purpose = reads ? 'read' : null;
        const execution = { schema, document, variableValues, contextValue, isRepeated: true, purpose } as const;
        const caller = callerOf(actor, request.ip ?? null);
        return turns.run(caller, () => executeWithin(execution, report, budget));
      },
      metadataUrl: (request) => `${baseUrl(request)}${PROTECTED_RESOURCE}/mcp`,
      called: (request: Request, { tool, ms, failed }) => {
        const { id, callerId } = request;
        log?.info({ id, user: callerId, tool, ms: Math.round(ms * 10) / 10, failed }, 'tool call');
      },
      report,
      transientFailure: (error) => transientFailure(error)?.refusal ?? null,
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  app.all('/mcp', async (request, response, next) => {
    // A user who had this name before it was reserved keeps the page.
    if (request.method === 'GET' && wantsPage(request)) return next();
    loading ??= load();
    await (await loading)(request, response);
  });
}
