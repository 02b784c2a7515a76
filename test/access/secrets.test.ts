// Each answer in depth, which the long run has.
// @module-tag long

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { rows } from '#pages/index.ts';
import { schema } from '#schema/index.ts';
import { TEST_TRIGGERS } from '#src/domain/webhooks/sample.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { Browser } from '../support/browser.ts';
import { projectWithCommit } from '../support/ci.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { agent, call } from '../support/mcp.ts';
import { commitTo, opened } from '../support/merge_requests.ts';
import { exported, unpacked } from '../support/project_archives.ts';
import { startReceiver } from '../support/receiver.ts';
import { takenJob } from '../support/running_job.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const receiver = await startReceiver();
const world = await startWorld();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const owner = await world.user();
const roles: Record<string, TestUser> = {
  owner,
  master: await world.user(),
  developer: await world.user(),
  admin: await world.user({ admin: true }),
};

/** A text that acts as somebody or opens something, and to whom answers may show it whole. */
interface Secret {
  name: string;
  text: string;
  shownTo: readonly string[];
}

const secrets: Secret[] = [];
const ids: Record<string, string> = {};
let places: { project: { id: number; fullPath: string }; group: { id: number; fullPath: string } };

beforeAll(async () => {
  const group = await world.group({ owner });
  const { project } = await projectWithCommit(world, owner, { config: 'unit: {script: test}', namespaceId: group.id });
  places = { project, group };
  await world.member(group, roles.master as TestUser, 'owner');
  await world.member(group, roles.developer as TestUser, 'developer');
  const [asOwner, asAdmin] = [world.api(owner), world.api(roles.admin)];
  const make = async (api: typeof asOwner, path: string, values: object): Promise<Record<string, string>> => {
    const { status, body } = await api.post(path, values);
    expect([path, status]).toEqual([path, 201]);
    return body;
  };
  const keep = (name: string, text: string | undefined, ...shownTo: string[]) => {
    if (!text) throw new Error(`${name} has no text`);
    secrets.push({ name, text, shownTo });
  };
  const [at, ofGroup] = [`/projects/${project.id}`, `/groups/${group.id}`];
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  const token = () => ({ name: world.unique('token'), scopes: ['api'], expires_at: soon, access_level: 30 });
  const deploy = () => ({ name: world.unique('deploy'), scopes: ['read_repository'] });
  const hook = (name: string) => ({
    url: receiver.url('/hooks'),
    token: `${name}-zqsecret`,
    wiki_page_events: name !== 'server',
  });
  for (const [place, key] of [
    [at, 'PROJECT'],
    [ofGroup, 'GROUP'],
  ] as const) {
    const value = `zqvariable-${key.toLowerCase()}`;
    await make(asOwner, `${place}/variables`, { key, value, masked: true });
    keep(`the value of the variable ${key}`, value, 'owner', 'master', 'admin');
    const part = `zqwebhook-${key.toLowerCase()}`;
    const authorization = `Bearer zqheader-${key.toLowerCase()}`;
    const given = { webhook: receiver.url(`/${part}`), authorization, template: '{"a": "{{object_kind}}"}' };
    const integration = await asOwner.put(`${place}/integrations/custom-webhook`, given);
    expect(integration.status).toBe(200);
    keep(`the URL of an integration ${key}`, part);
    keep(`the header of an integration ${key}`, authorization);
  }
  await make(asOwner, `${at}/repository/branches`, { branch: 'topic', ref: 'master' });
  await commitTo(world, project, owner, 'topic', 'b.txt');
  await opened(world, project, owner);
  const issue = await world.issue(project, owner, { title: 'Open' });
  await world.issue(project, owner, { title: 'Hidden', confidential: true });
  await make(asOwner, `${at}/issues/${issue.iid}/notes`, { body: 'A comment' });
  await make(asOwner, `${at}/releases`, { tag_name: 'v1', ref: 'master', description: 'First' });
  const trigger = await make(asOwner, `${at}/triggers`, { description: 'nightly' });
  keep('the token of a trigger', trigger.token, 'owner');
  const made = {
    deploy_token: await make(asOwner, `${at}/deploy_tokens`, deploy()),
    access_token: await make(asOwner, `${at}/access_tokens`, token()),
  };
  keep('a deploy token', made.deploy_token.token);
  keep('an access token of a project', made.access_token.token);
  keep('a deploy token of a group', (await make(asOwner, `${ofGroup}/deploy_tokens`, deploy())).token);
  keep('an access token of a group', (await make(asOwner, `${ofGroup}/access_tokens`, token())).token);
  const deployed = {
    environment: 'production',
    ref: 'master',
    tag: false,
    sha: (await world.api(owner).get(`${at}/repository/commits/master`)).body.id,
  };
  await make(asOwner, `${at}/deployments`, { ...deployed, status: 'success' });
  await make(asOwner, `${at}/feature_flags`, { name: 'flag' });
  const { secret } = world.as(owner);
  const client = await world.db.featureFlagClient.findUniqueOrThrow({ where: { projectId: project.id } });
  keep('the instance ID of feature flags', decrypt(client.tokenEncrypted, secret), 'owner', 'master', 'admin');
  const ofHook = await make(asOwner, `${at}/hooks`, hook('project'));
  await make(asOwner, `${ofGroup}/hooks`, hook('group'));
  const ofServer = await make(asAdmin, '/hooks', hook('server'));
  keep('the token of a webhook', 'project-zqsecret');
  keep('the token of a webhook of a group', 'group-zqsecret');
  keep('the token of a system hook', 'server-zqsecret');
  const url = 'http://zquser:zqmirror@mirror.example.com/a.git';
  const mirror = await make(asOwner, `${at}/remote_mirrors`, { url });
  keep('the password of a mirror', 'zqmirror');
  keep('a private token', owner.token);
  const personal = { name: 'x', scopes: ['api'], expires_at: soon };
  keep('a personal token', (await make(asAdmin, `/users/${owner.id}/personal_access_tokens`, personal)).token);
  const acting = await make(asAdmin, `/users/${owner.id}/impersonation_tokens`, personal);
  keep('an impersonation token', acting.token);
  const application = { name: 'x', redirect_uri: 'https://x.example/', scopes: 'api' };
  keep('the secret of an application', (await make(asAdmin, '/applications', application)).secret);
  const runner = await make(asOwner, '/user/runners', { runner_type: 'project_type', project_id: project.id });
  keep('the token of a runner', runner.token);
  const job = await takenJob(world, owner, project);
  keep('the token of a job', job.token);
  keep('the hash of a password', (await world.db.user.findUniqueOrThrow({ where: { id: owner.id } })).passwordHash);
  Object.assign(ids, {
    trigger_id: trigger.id,
    token_id: made.access_token.id,
    hook_id: ofHook.id,
    system_hook_id: ofServer.id,
    mirror_id: mirror.id,
    user_id: owner.id,
    impersonation_token_id: acting.id,
    job_id: job.id,
    pipeline_id: job.pipelineId,
    runner_id: runner.id,
    deploy_token_id: made.deploy_token.id,
  });
}, 60_000);

/** What of the secrets stands in an answer that this role must not be shown. */
function told(role: string, text: string): string[] {
  return secrets.filter((one) => !one.shownTo.includes(role) && text.includes(one.text)).map(({ name }) => name);
}

it.each(Object.entries(roles))(
  'No answer of the REST API has a secret for the %s that is not theirs',
  async (role, who) => {
    const paths = [...ENDPOINTS.values()].filter(({ route }) => route.method === 'GET' && !route.raw);
    let found = 0;
    for (const { route } of paths) {
      const own = route.path.startsWith('/groups')
        ? places.group.id
        : route.path.startsWith('/users')
          ? owner.id
          : places.project.id;
      const path = route.path.replace(/:(\w+)/g, (_, name: string) => String(name === 'id' ? own : (ids[name] ?? 1)));
      const { status, body } = await world.api(who).get(path);
      found += status === 200 ? 1 : 0;
      expect([path, told(role, JSON.stringify(body))]).toEqual([path, []]);
    }
    expect(found).toBeGreaterThan(60);
  },
  60_000,
);

it('Its owner finds the whole token of a trigger, and nobody else', async () => {
  const path = `/projects/${places.project.id}/triggers`;
  const lists = await Promise.all(Object.values(roles).map((who) => world.api(who).get(path)));
  const whole = secrets.find(({ name }) => name === 'the token of a trigger')?.text ?? '';
  expect(lists.map(({ body }) => JSON.stringify(body).includes(whole))).toEqual([true, false, false, false]);
});

/** Selects all values of what a field leads to, and of one step further. */
function everything(type: GraphQLObjectType, steps: number): string {
  const fields = Object.values(type.getFields()).flatMap(({ name, args, type: of }) => {
    if (args.some((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)) return [];
    const target = getNamedType(of);
    if (isLeafType(target)) return [name];
    if (!isCompositeType(target) || !isObjectType(target) || steps === 0) return [];
    if (['pageInfo', 'edges'].includes(name)) return [];
    const further = target.name.endsWith('Connection') ? steps : steps - 1;
    return [`${name} { __typename ${everything(target, further)} }`];
  });
  return fields.join(' ');
}

it.each(Object.entries(roles))(
  'No answer of GraphQL has a secret for the %s that is not theirs',
  async (role, who) => {
    const starts: [string, string][] = [
      [`project(ref: ${places.project.id})`, 'Project'],
      [`group(ref: ${places.group.id})`, 'Group'],
      [`user(id: ${owner.id})`, 'User'],
      ['viewer', 'User'],
      ['', 'Query'],
    ];
    const unread: string[] = [];
    let found = 0;
    for (const [start, name] of starts) {
      const type = schema.getType(name) as GraphQLObjectType;
      for (const field of Object.values(type.getFields())) {
        const target = getNamedType(field.type);
        const isAsked = field.args.every((arg) => !isNonNullType(arg.type) || arg.defaultValue !== undefined);
        if (!isAsked || (!isLeafType(target) && !isObjectType(target))) continue;
        const inside = isObjectType(target) ? ` { __typename ${everything(target, 0)} ${nodesOf(target)} }` : '';
        const some = field.args.some((arg) => arg.name === 'first') ? '(first: 5)' : '';
        const selection = `${field.name}${some}${inside}`;
        const { body } = await world.graphql(
          start === '' ? `{ ${selection} }` : `{ ${start} { ${selection} } }`,
          {},
          who,
        );
        expect([name, field.name, told(role, JSON.stringify(body))]).toEqual([name, field.name, []]);
        if (body.data) found += 1;
        else if (body.errors[0].extensions.code !== 'FORBIDDEN')
          unread.push(`${name}.${field.name}: ${JSON.stringify(body.errors)}`);
      }
    }
    expect(unread).toEqual([]);
    expect(found).toBeGreaterThan(100);
  },
  60_000,
);

function nodesOf(type: GraphQLObjectType): string {
  const nodes = type.getFields().nodes;
  const target = nodes && getNamedType(nodes.type);
  return isObjectType(target) ? `nodes { __typename ${everything(target, 0)} }` : '';
}

it.each(Object.entries(roles))(
  'No page has a secret for the %s that is not theirs',
  async (role, who) => {
    const browser = new Browser(world.send);
    await browser.signIn(who.username, PASSWORD);
    const paths = rows
      .filter(({ kind, path }) => kind === 'page' && !/[*]|:(?!project|group)/.test(path))
      .map(({ path }) => path.replace(':project', places.project.fullPath).replace(':group', places.group.fullPath));
    let found = 0;
    for (const path of paths) {
      const { status, body } = await browser.get(path);
      found += status === 200 ? 1 : 0;
      expect([path, told(role, JSON.stringify(body))]).toEqual([path, []]);
    }
    expect(found).toBeGreaterThan(20);
  },
  60_000,
);

it.each(Object.entries(roles))(
  'No tool of an agent tells the %s a secret that is not theirs',
  async (role, who) => {
    const client = await agent(world, who.token);
    const { project } = places;
    const given: Record<string, unknown> = { project: project.fullPath, ref: 'topic', search: 'a', from: 'master' };
    Object.assign(given, { to: 'topic', sha: 'master', iid: 1, first: 20, path: 'b.txt', id: ids.pipeline_id });
    Object.assign(given, { pipeline: ids.pipeline_id, job: ids.job_id });
    const { tools } = await client.listTools();
    const refused: string[] = [];
    for (const { name, inputSchema, annotations } of tools.filter(({ annotations }) => annotations?.readOnlyHint)) {
      const asked = Object.keys(inputSchema.properties ?? {}).filter(
        (key) => key in given && (key !== 'path' || inputSchema.required?.includes(key)),
      );
      const values = Object.fromEntries(asked.map((key) => [key, given[key]]));
      const { texts, isError } = await call(client, name, values);
      if (isError) refused.push(`${name}: ${texts.join(' ')}`);
      expect([name, annotations?.readOnlyHint, told(role, texts.join(' '))]).toEqual([name, true, []]);
    }
    expect(refused).toEqual([]);
  },
  60_000,
);

it('No webhook is sent a secret, but for its own token', async () => {
  const at = `/projects/${places.project.id}`;
  // There is no example of a pushed tag, nor of a page of the wiki.
  const tests = TEST_TRIGGERS.filter((trigger) => !/^(?:tag_push|wiki)/.test(trigger)).map(
    (trigger) => `${at}/hooks/${ids.hook_id}/test/${trigger}`,
  );
  for (const path of [...tests, `/hooks/${ids.system_hook_id}`]) {
    const { status, body } = await world.api(path.startsWith(at) ? owner : roles.admin).post(path);
    expect([path, status, body]).toEqual([path, 201, expect.anything()]);
  }
  // The webhook of the group hears of the page, too.
  expect((await world.api(owner).post(`${at}/wikis`, { title: 'Home', content: 'Hi' })).status).toBe(201);
  await receiver.some('/hooks', 2, ({ body }) => body.object_kind === 'wiki_page');
  expect(receiver.told.length).toBeGreaterThan(10);
  for (const { path, headers, text } of receiver.told) {
    expect(told('nobody', text)).toEqual([]);
    // What an integration authorizes itself with is for its own address alone.
    const own = { 'x-gitlab-token': '', ...(path.includes('zqwebhook-') && { authorization: '' }) };
    const inHeaders = told('nobody', JSON.stringify({ ...headers, ...own }));
    expect(inHeaders).toEqual([]);
  }
}, 60_000);

it.each(['owner', 'master', 'admin'])(
  'The archive of a project that the %s exports has no secret',
  async (role) => {
    const who = roles[role] as TestUser;
    const directory = unpacked(await exported(world, world.api(who), who, places.project));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(10);
    for (const { name, parentPath } of files) {
      const text = readFileSync(path.join(parentPath, name), 'latin1');
      expect([name, told('nobody', text)]).toEqual([name, []]);
    }
  },
  60_000,
);
