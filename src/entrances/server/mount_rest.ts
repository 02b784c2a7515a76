import type { Express, Request, Response } from 'express';
import { bodyParameters } from '#rest/engine/body.ts';
import type { Endpoint } from '#rest/engine/compile.ts';
import { createFacade } from '#rest/engine/facade.ts';
import { sendRaw } from '#rest/engine/raw.ts';
import { routes } from '#rest/v4/index.ts';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { readBasic, readCredentials } from '#src/access/credentials/credentials.ts';
import { endFamilyOf } from '#src/access/credentials/tokens/rotate.ts';
import { type Actor, actorFor, type Purpose, requireApiScope } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { QueueWatch } from '#src/domain/ci/runners/queue_watch.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { largestImport } from '#src/domain/project_archives/import_request.ts';
import { bearerOrUser } from '#src/domain/projects/bearer.ts';
import type { AppOptions } from '#src/entrances/server/app_options.ts';
import type { Entrance } from '#src/entrances/server/entrance.ts';
import { type Precheck, precheck } from '#src/entrances/server/precheck.ts';
import { readContent } from '#src/entrances/server/readers.ts';
import { THROTTLE_HEADERS } from '#src/entrances/server/throttle.ts';
import { packageRegistries } from '#src/entrances/web/packages/registries.ts';
import { TERRAFORM_SERVICES } from '#src/entrances/web/packages/terraform_modules.ts';
import { PublicText } from '#src/entrances/web/public_text.ts';
import { receivePackageFile } from '#src/entrances/web/receive_package.ts';
import { noteRoute } from '#src/entrances/web/request_facts.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { runnerProtocol } from '#src/entrances/web/runner_protocol.ts';
import { unleash } from '#src/entrances/web/unleash.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** The OpenAPI document, for tools. */
const openapi = new PublicText('rest/openapi.json', 'application/json');

/** Serves the REST API at /api/v4, and the protocols of runners and of clients of feature flags below it. */
export function mountRest(
  app: Express,
  entrance: Entrance,
  { listener, exactTotals = true }: Pick<AppOptions, 'listener' | 'exactTotals'>,
): void {
  const { stores, baseUrl, sshAddress, report, budget, turns, throttle, identify, domainContext, contextOf } = entrance;
  const queue = new QueueWatch(listener);
  const readBody: RunnerProtocolOptions['readBody'] = (request, bytes, file) =>
    bodyParameters(request, { bytes, files: file && { names: [file.name], bytes: file.bytes } });
  app.use('/api/v4', runnerProtocol({ stores, baseUrl, sshAddress, queue, readBody, sendContent: sendRaw, report }));
  app.use('/api/v4', unleash({ db: stores.db, report }));
  app.get('/.well-known/terraform.json', (_request, response) => void response.json(TERRAFORM_SERVICES));
  app.use(
    '/api/v4',
    packageRegistries({
      ...{ db: stores.db, contextOf: domainContext, baseUrl, identify, report, sendContent: sendRaw },
      readForm: readBody,
      throttle: (actor, request, response) => throttle.api(actor, request, response),
    }),
  );
  const facade = createFacade<Actor>({
    schema,
    routes,
    openapi: (request: Request, response: Response) => openapi.send(request, response),
    authenticate: (request, parameters, { route, ref }) => {
      const { headers } = request;
      const password = route.basic ? readBasic(headers.authorization)?.password : undefined;
      const given = password ? { private_token: password, ...parameters } : parameters;
      const findUser = () => {
        const found = identify(request, given);
        if (route.purpose !== 'rotate_token') return found;
        return found.finally(() => endFamilyOf(stores.db, readCredentials(headers, given)));
      };
      const accepted = { ...route, project: ref as IdOrPath | undefined };
      return bearerOrUser(stores.db, { headers, parameters, password }, accepted, findUser);
    },
    exposed: THROTTLE_HEADERS,
    throttle: (actor, request, response) => throttle.api(actor, request, response),
    admit: (actor, { route }) => {
      if (route.method !== 'GET' && !route.reads)
        requireApiScope(actorFor(actor, route.purpose as Purpose | undefined));
    },
    precheck: (actor, ability, ref, endpoint, request) =>
      precheck(domainContext(actorFor(actor, purposeOf(endpoint)), request), ability as Precheck, ref as IdOrPath),
    execute: async (endpoint, variableValues, actor, request, countUpTo) => {
      const { document } = endpoint;
      const contextValue = await contextOf(actor, request);
      const purpose = purposeOf(endpoint) ?? null;
      const counted = countUpTo === undefined ? undefined : { at: endpoint.resultPath, upTo: countUpTo };
      return executeWithin(
        { schema, document, variableValues, contextValue, isRepeated: true, purpose, counted },
        report,
        budget,
      );
    },
    read: (reader, found, actor, endpoint, request) =>
      readContent(reader, domainContext(actorFor(actor, purposeOf(endpoint)), request), found as object),
    receive: (actor, endpoint, request: Request, { ref, values }) => {
      const context = domainContext(actorFor(actor, purposeOf(endpoint)), request);
      return receivePackageFile(context, ref as IdOrPath, request, values.get('file_name') ?? '');
    },
    turns,
    exactTotals,
    matched: noteRoute,
    callerOf: (actor, request: Request) => callerOf(actor, request.ip ?? null),
    readsAreOpen: async () => (await currentSettings(stores.db)).anonymousApiReads,
    largestContent: () => stores.repositories.maxInlineBytes,
    largestFile: async ({ archive }) =>
      archive ? largestImport(stores) : (await currentSettings(stores.db)).maxAttachmentSize * 1024 * 1024,
    baseUrl,
    logError: report,
    transientFailure: (error) => transientFailure(error)?.refusal ?? null,
  });
  app.use('/api/v4', (request, response) => {
    const mark = request.url.indexOf('?');
    const path = mark < 0 ? request.url : request.url.slice(0, mark);
    return facade(request, response, path, mark < 0 ? '' : request.url.slice(mark + 1));
  });
}

/** The purpose of a route's requests; undefined where they change something. */
function purposeOf({ route }: Endpoint): Purpose | undefined {
  if (route.purpose) return route.purpose as Purpose;
  if (route.method !== 'GET' && !route.reads) return undefined;
  return route.filesOfRepository ? 'read_files' : 'read';
}
