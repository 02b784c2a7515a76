// One part in depth, which the long run has.
// @module-tag long
import { afterEach, beforeAll, expect, it } from 'vitest';
import { updateSettings } from '#src/domain/administration/settings/update.ts';
import { projectWithCommit } from '../support/ci.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld({ pagesHost: 'pages.example.test' });
const owner = await world.user({ username: 'grower' });
const recluse = await world.user({ username: 'the-recluse' });
const admin = await world.user({ admin: true });
const SECRET = 'zqsecret';
const settings = (changes: Parameters<typeof updateSettings>[1]) => updateSettings(world.as(admin), changes);
const read = (path: string, headers: Record<string, string> = {}) => world.send('GET', path, { headers });

let [at, ofGroup, ofSnippet] = ['', '', ''];
let names: { project: string; group: string };
/** The `web_url` of one of each kind of public place, by kind. */
const webUrls: Record<string, string> = {};

beforeAll(async () => {
  await world.db.user.update({ where: { id: recluse.id }, data: { privateProfile: true } });
  const group = await world.group({ owner, visibility: 'public' });
  const { project } = await projectWithCommit(world, owner, {
    config: 'unit: {script: test}',
    namespaceId: group.id,
    visibility: 'public',
  });
  await world.project({ owner, namespaceId: group.id, visibility: 'private', path: SECRET });
  names = { project: project.fullPath, group: group.fullPath };
  [at, ofGroup] = [`/projects/${project.id}`, `/groups/${group.id}`];
  const api = world.api(owner);
  const make = async (path: string, values: object) => {
    const { status, body } = await api.post(path, values);
    expect([path, status]).toEqual([path, 201]);
    return body;
  };
  const milestone = await make(`${at}/milestones`, { title: 'First harvest' });
  const issue = await world.issue(project, owner, { title: 'Worms', milestoneId: milestone.id });
  await world.issue(project, owner, { title: `${SECRET} confidential`, confidential: true });
  await make(`${at}/issues/${issue.iid}/notes`, { body: 'Found on two trees' });
  await make(`${at}/issues/${issue.iid}/notes`, { body: `${SECRET} internal note`, internal: true });
  const { iid } = await world.mergeRequest(project, owner, { iid: 1 });
  const snippet = { title: 'Recipe', file_name: 'pie', content: 'Apples', visibility: 'public' };
  const own = await make('/snippets', snippet);
  const ofProject = await make(`${at}/snippets`, snippet);
  ofSnippet = `/snippets/${own.id}`;
  const [commit] = (await api.get(`${at}/repository/commits`)).body;
  const bodies: Record<string, { web_url?: string }> = {
    milestone,
    'snippet of a user': own,
    'snippet of a project': ofProject,
    project: (await api.get(at)).body,
    group: (await api.get(ofGroup)).body,
    user: (await api.get(`/users/${owner.id}`)).body,
    issue: (await api.get(`${at}/issues/${issue.iid}`)).body,
    'merge request': (await api.get(`${at}/merge_requests/${iid}`)).body,
    commit: (await api.get(`${at}/repository/commits/${commit.id}`)).body,
    branch: (await api.get(`${at}/repository/branches`)).body[0],
  };
  for (const [kind, { web_url: url }] of Object.entries(bodies)) webUrls[kind] = new URL(url ?? '').pathname;
});

afterEach(() => settings({ restrictedVisibilityLevels: [], anonymousApiReads: false }));

it('every web_url of a public place answers programs that accept anything as it answers browsers', async () => {
  const wrong: string[] = [];
  const shown = async (path: string, accept: string) => {
    const { status, headers, body } = await read(path, { accept });
    const title = /<title>([^<]*)/.exec(String(body))?.[1];
    return `${status} ${headers['content-type']} ${title}`;
  };
  for (const [kind, path] of Object.entries(webUrls)) {
    const [toBrowsers, toAll] = [await shown(path, 'text/html,*/*;q=0.8'), await shown(path, '*/*')];
    if (toAll !== toBrowsers || !toAll.startsWith('200 text/html')) wrong.push(`${kind}: ${toAll}, not ${toBrowsers}`);
  }
  expect(wrong).toEqual([]);
});

it('nothing public is there for visitors while the server restricts public visibility', async () => {
  const { project, group } = names;
  const pages = [
    ...Object.values(webUrls),
    `/${project}.atom`,
    `/${group}.atom`,
    `/${project}/-/issues.atom`,
    `/${project}.git/info/refs?service=git-upload-pack`,
    `/api/v4${at}`,
    `/api/v4${ofGroup}`,
    `/api/v4${ofSnippet}`,
    `/api/v4${at}/issues`,
  ];
  const query = `{ project(ref: "${project}") { id } group(ref: "${group}") { id } user(username: "grower") { id } }`;
  const state = async () => {
    const found: string[] = [];
    for (const path of pages) if ((await read(path)).status === 200) found.push(path);
    const { body } = await world.graphql(query, {});
    for (const [name, value] of Object.entries(body.data ?? {})) if (value) found.push(`GraphQL: ${name}`);
    for (const path of ['/explore', '/api/v4/projects', '/search?search=grower']) {
      const listed = JSON.stringify((await read(path)).body);
      if (listed.includes(project)) found.push(`${path} lists it`);
    }
    return found;
  };
  await settings({ anonymousApiReads: true });
  const open = await state();
  expect(pages.filter((path) => !open.includes(path))).toEqual([]);
  expect(open).toEqual(expect.arrayContaining(['GraphQL: project', 'GraphQL: group', 'GraphQL: user']));
  expect(open).toContain('/explore lists it');
  await settings({ restrictedVisibilityLevels: ['public'] });
  expect(await state()).toEqual([]);
  expect((await world.api(admin).get(at)).status).toBe(200);
});

it('anonymous_api_reads opens what is public over the REST API, and nothing that is kept from visitors', async () => {
  const paths = [
    `${at}/issues`,
    `${at}/issues/1/notes`,
    `${at}/merge_requests`,
    `${at}/members`,
    ofGroup,
    `${ofGroup}/projects`,
  ];
  const answers = async () => Promise.all(paths.map((path) => world.api().get(path)));
  expect((await answers()).slice(0, 3).map(({ status }) => status)).toEqual([401, 401, 401]);
  await settings({ anonymousApiReads: true });
  const open = await answers();
  expect(open.map(({ status }, at) => [paths[at], status])).toEqual(paths.map((path) => [path, 200]));
  expect(JSON.stringify(open.map(({ body }) => body))).not.toContain(SECRET);
  expect(open[0]?.body).toMatchObject([{ title: 'Worms' }]);
  expect(open[1]?.body).toMatchObject([{ body: 'Found on two trees' }]);
  expect((await world.api().get(`/users/${recluse.id}`)).status).toBe(404);
});
