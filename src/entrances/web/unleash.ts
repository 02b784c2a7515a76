import { type Request, type RequestHandler, Router } from 'express';
import { readFlags } from '#src/domain/feature_flags/serve.ts';
import { type Answering, answering, type ProtocolAnswer } from '#src/entrances/web/runner_answers.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Unauthenticated } from '#src/platform/errors.ts';

export interface UnleashOptions extends Answering {
  db: Db;
}

/** Where clients of Unleash are configured to look, below /api/v4; what they ask for stands behind it. */
const BASE = '/feature_flags/unleash/:project_id';

/** The paths of the protocol: other requests are passed on. */
const PATH = /^\/feature_flags\/unleash\/\d{1,10}(?:\/|$)/;

/** Versions of one client that are compared. */
const MAX_KNOWN_VERSIONS = 10;

/**
 * The protocol of Unleash's clients below /api/v4 (docs/feature-flags.md): applications read the feature flags of a project by its
 * instance ID. What they tell of themselves and of how often they asked is not kept. Other requests go to the next handler.
 */
export function unleash(options: UnleashOptions): RequestHandler {
  const endpoint = answering(options);
  const { db } = options;
  const router = Router({ caseSensitive: true });
  const features = (request: Request) => read(db, request);
  const known = async (request: Request) => {
    await read(db, request, true);
    return { status: 200 };
  };
  router.get(BASE, endpoint(BASE, known));
  for (const path of [`${BASE}/features`, `${BASE}/client/features`]) router.get(path, endpoint(path, features));
  for (const path of [`${BASE}/client/register`, `${BASE}/client/metrics`]) router.post(path, endpoint(path, known));
  return (request, response, next) => (PATH.test(request.path) ? router(request, response, next) : next());
}

/** Reads flags for a client, or only whether it may read any. Throws Unauthenticated. */
async function read(db: Db, request: Request, onlyChecks = false): Promise<ProtocolAnswer> {
  const found = await readFlags(db, {
    projectId: Number(request.params.project_id),
    instanceId: textOf(request, 'UNLEASH-INSTANCEID', 'instance_id'),
    environment: onlyChecks ? '' : textOf(request, 'UNLEASH-APPNAME', 'app_name'),
    knownVersions: knownVersions(request),
  });
  if (!found) throw new Unauthenticated();
  const headers = {
    'Cache-Control': 'max-age=0, private, must-revalidate',
    ETag: `W/"${found.version}"`,
    Vary: 'UNLEASH-INSTANCEID, UNLEASH-APPNAME',
  };
  if (found.json === null) return { status: 304, headers };
  return { status: 200, json: found.json, headers };
}

/** A text that clients send as a header, or else in the query; without NUL, which matches nothing. */
function textOf(request: Request, header: string, parameter: string): string {
  const given = request.get(header) ?? request.query[parameter];
  return typeof given === 'string' ? given.replaceAll('\0', ' ').toWellFormed() : '';
}

function knownVersions(request: Request): string[] {
  const given = request.get('If-None-Match') ?? '';
  const versions = [...given.slice(0, MAX_KNOWN_VERSIONS * 100).matchAll(/(?:W\/)?"([^"]*)"/g)];
  return versions.slice(0, MAX_KNOWN_VERSIONS).map(([, version = '']) => version);
}
