// Each test takes long: the long run has them all.
// @module-tag long
import { readFileSync } from 'node:fs';
import { getNamedType, isLeafType, isRequiredArgument } from 'graphql';
import { describe, expect, it } from 'vitest';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { withQuery } from '../support/endpoints.ts';
import { application, tokens } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user({ admin: true });
const app = await application(world, user);
const project = await world.project({ owner: user, visibility: 'public' });
const group = await world.group({ owner: user, visibility: 'public' });
const issue = await world.issue(project, user);

/** Endpoints that have nothing to do with who asks. */
const FOR_ANYBODY = new Set(['POST /session']);

/** The path of an endpoint with what there is in place of its parameters. */
function placed(path: string): string {
  const first = path.startsWith('/groups') ? group.id : path.startsWith('/users') ? user.id : project.id;
  return (
    path
      .replace(':id', String(first))
      .replace(/:(issue_iid|issue_id)/, String(issue.iid))
      .replace(/:[a-z_]+/g, '1')
      .replace(/\*[a-z_]*/g, 'x')
      // What it cannot do without.
      .replace(/\/artifacts\/1\/(download|raw\/1)$/, '$&?job=x')
      .replace(/^\/keys$/, '$&?fingerprint=x')
      .replace(/\/badges\/render$/, '$&?link_url=https://x.example&image_url=https://x.example/i')
  );
}

const token = async (scope: string) => (await tokens(world, user, app, { scope })).access_token;

/** The endpoints that answer with success to the bearer of a token. */
async function reached(scope: string, wanted: (method: string) => boolean): Promise<string[]> {
  const headers = { Authorization: `Bearer ${await token(scope)}` };
  const found: string[] = [];
  for (const { method, path } of routes.filter((route) => wanted(route.method))) {
    const body = method === 'GET' ? {} : { body: {} };
    const { status } = await world.send(method, `/api/v4${placed(path)}`, { headers, ...body });
    expect(status).not.toBe(500);
    if (status < 400) found.push(`${method} ${path}`);
  }
  return found.filter((name) => !FOR_ANYBODY.has(name));
}

describe('Over the whole REST API', () => {
  it('api reaches what the user reaches', async () => {
    const found = await reached('api', (method) => method === 'GET');
    expect(found.length).toBeGreaterThan(30);
    expect(found).toContain('GET /projects/:id/issues/:issue_iid');
  });

  it('openid, profile and email reach nothing at all', async () => {
    expect(await reached('openid profile email', () => true)).toEqual([]);
  });

  it('read_user reaches reads of users and of the account', async () => {
    const found = await reached('read_user openid', () => true);
    expect(found).toContain('GET /user');
    expect(found.filter((name) => !/^GET \/users?(\/|$)/.test(name))).toEqual(['GET /version', 'GET /metadata']);
  });

  it('read_user is enough for the reads where the OpenAPI document says so, and for no others', async () => {
    const { paths } = JSON.parse(readFileSync(packagePath('rest/openapi.json'), 'utf8'));
    const headers = { Authorization: `Bearer ${await token('read_user')}` };
    // What is about the very token of the request says that it is an OAuth token.
    const others = routes.filter(({ purpose, jobToken }) => purpose !== 'own_token' && jobToken !== 'own');
    for (const { path, choice } of others.filter(({ method, auth }) => method === 'GET' && auth !== 'optional')) {
      const asked = choice ? withQuery(placed(path), `${choice.parameter}=users&search=text`) : placed(path);
      const { body } = await world.send('GET', `/api/v4${asked}`, { headers });
      const { security = [] } = paths[`/api/v4${path.replace(/:(\w+)/g, '{$1}')}`].get;
      const isEnough = security.some(({ oauth2 }: { oauth2?: string[] }) => oauth2?.includes('read_user'));
      expect([path, body.error !== 'insufficient_scope']).toEqual([path, isEnough]);
    }
  });
});

/** What to ask of fields that check nothing by themselves, but what is in them. */
const INSIDE: Record<string, string> = { jobMetrics: '{ jobs { failed } }' };

/** Queries that take one argument or another. */
const ONE_OF_SEVERAL = new Set(['user', 'customAttributes']);

/** Queries about the very token of the request, which is no OAuth token. */
const OF_THE_TOKEN = new Set(['currentAccessToken', 'currentJob']);

/** Queries that no application may ask, whatever its scope: they are for the user in person. */
const IN_PERSON = ['viewerAccountDeletion', 'viewerDataExport', 'viewerSessions'];

describe('Over the queries of GraphQL that take nothing', () => {
  const ask = async (scope: string) => {
    const headers = { Authorization: `Bearer ${await token(scope)}` };
    const answered: string[] = [];
    for (const { name, args, type } of Object.values(schema.getQueryType()?.getFields() ?? {})) {
      if (args.some(isRequiredArgument) || ONE_OF_SEVERAL.has(name) || OF_THE_TOKEN.has(name)) continue;
      const query = `{ ${name} ${isLeafType(getNamedType(type)) ? '' : (INSIDE[name] ?? '{ __typename }')} }`;
      const { body } = await world.send('POST', '/graphql', { headers, body: { query } });
      if (body.errors === undefined) answered.push(name);
      else {
        const refusal = scope === 'api' && IN_PERSON.includes(name) ? 'FORBIDDEN' : 'INSUFFICIENT_SCOPE';
        expect([name, body.errors[0].extensions.code]).toEqual([name, refusal]);
      }
    }
    return answered;
  };

  it('openid, profile and email reach none, read_user reads of users, api all', async () => {
    const all = await ask('api');
    expect(all.length).toBeGreaterThan(8);
    expect(all.filter((name) => IN_PERSON.includes(name))).toEqual([]);
    expect(await ask('openid profile email')).toEqual([]);
    expect((await ask('read_user')).sort()).toEqual([
      'appearance',
      'frontPage',
      'quickActions',
      'rateLimit',
      'userActivities',
      'users',
      'version',
      'viewer',
      'viewerStatus',
    ]);
  });
});
