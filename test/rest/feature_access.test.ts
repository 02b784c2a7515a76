// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { FEATURES, type Feature } from '#src/access/permissions/features.ts';
import { commitFile, pipelineOf } from '../support/ci.ts';
import { recordedImage } from '../support/container_records.ts';
import type { Json } from '../support/http.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, guest, reporter] = [await world.user(), await world.user(), await world.user()];
const [outsider, admin] = [await world.user(), await world.user({ admin: true })];
const group = await world.group({ owner, visibility: 'public' });
const [project, elsewhere] = [
  await world.project({ owner, visibility: 'public', namespaceId: group.id }),
  await world.project({ owner, visibility: 'public' }),
];
await world.member(project, guest, 'guest');
await world.member(project, reporter, 'reporter');
const asOwner = world.api(owner);
const at = `/projects/${project.id}`;

/** The names of levels in REST. */
const NAMES: Record<Feature, string> = {
  issues: 'issues',
  mergeRequests: 'merge_requests',
  repository: 'repository',
  jobs: 'builds',
  wiki: 'wiki',
  snippets: 'snippets',
  containerRegistry: 'container_registry',
  featureFlags: 'feature_flags',
};

async function set(levels: Partial<Record<Feature, string>>) {
  const body = Object.fromEntries(
    FEATURES.map((feature) => [`${NAMES[feature]}_access_level`, levels[feature] ?? 'enabled']),
  );
  expect((await asOwner.put(at, body)).status).toBe(200);
}

const MARK = 'quokka';
await withTopic(world, project, owner);
await asOwner.post(`${at}/repository/files/${MARK}.rb`, {
  branch: 'master',
  content: `${MARK}\n`,
  commit_message: MARK,
});
await commitFile(world, owner, project, `${MARK}:\n  script: ${MARK}\n`);
const label = await world.label(project, owner, 'Marked');
const milestone = await world.milestone(project, owner, { title: 'Marked' });
const issue = await world.issue(project, owner, {
  title: `${MARK} issue`,
  labels: ['Marked'],
  milestoneId: milestone.id,
});
const other = await world.issue(elsewhere, owner, { title: 'Linked' });
await asOwner.post(`${at}/issues/1/links`, { target_project_id: elsewhere.id, target_issue_iid: other.iid });
const merge = await opened(world, project, owner, {
  title: `${MARK} merge`,
  labels: ['Marked'],
  description: 'Closes #1',
});
await asOwner.post(`${at}/issues/1/notes`, { body: `${MARK} note for @${outsider.username}` });
await asOwner.post(`${at}/merge_requests/1/notes`, { body: `${MARK} remark for @${outsider.username}` });
await asOwner.post(`/projects/${elsewhere.id}/issues/1/notes`, {
  body: `See ${project.fullPath}#1 and ${project.fullPath}!1`,
});
await asOwner.post(`${at}/wikis`, { title: MARK, content: MARK });
const snippet = (
  await asOwner.post(`${at}/snippets`, {
    title: MARK,
    file_name: 'a',
    content: MARK,
    visibility: 'public',
  })
).body;
const pipeline = await pipelineOf(world, owner, project, MARK);
const image = await recordedImage(world, project);
await world.idle();
const sha = (await asOwner.get(`${at}/repository/commits`)).body[0].id as string;
await asOwner.post(`${at}/repository/commits/${sha}/comments`, { note: `${MARK} comment` });

const GRAPHQL = `query ($path: ProjectRef!, $nodes: [ID!]!, $group: GroupRef!) {
  project(project: $path) {
    openIssuesCount
    viewerFeatures
    issues(first: 5) { totalCount }
    labels(first: 5) { nodes { title openIssuesCount closedIssuesCount openMergeRequestsCount } }
  }
  nodes(ids: $nodes) { id }
  group(group: $group) { issues { totalCount } mergeRequests { totalCount } }
}`;
const id = (type: string, of: number) => Buffer.from(`${type}:${of}`).toString('base64');

/** What shows each feature: paths of REST, and of pages without `/api/v4`. */
const search = (scope: string, where = '') => `${where}/search?scope=${scope}&search=${MARK}`;
const PROBES: Record<Feature, string[]> = {
  issues: [
    `${at}/issues`,
    `${at}/issues/1`,
    `${at}/issues/1/notes`,
    `${at}/issues/1/links`,
    `${at}/issues_statistics`,
    `${at}/milestones/${milestone.id}/issues`,
    `${at}/labels?with_counts=true`,
    `/issues?scope=all&search=${MARK}`,
    '/issues_statistics?scope=all',
    `/groups/${group.id}/issues`,
    `/groups/${group.id}/issues_statistics`,
    search('issues'),
    search('issues', at),
    search('issues', `/groups/${group.id}`),
    search('notes', at),
    `${at}/events?target_type=issue`,
    `/users/${owner.id}/events`,
    '/todos',
    `/projects/${elsewhere.id}/issues/1/links`,
    `/projects/${elsewhere.id}/issues/1/notes`,
    '/projects?with_issues_enabled=true',
    at,
  ],
  mergeRequests: [
    `${at}/merge_requests`,
    `${at}/merge_requests/1`,
    `${at}/merge_requests/1/changes`,
    `${at}/merge_requests/1/notes`,
    `${at}/milestones/${milestone.id}/merge_requests`,
    `${at}/labels?with_counts=true`,
    `/merge_requests?scope=all&search=${MARK}`,
    `/groups/${group.id}/merge_requests`,
    `${at}/issues/1/closed_by`,
    `${at}/issues/1/related_merge_requests`,
    search('merge_requests'),
    search('merge_requests', at),
    search('notes', at),
    `${at}/events?target_type=merge_request`,
    `/users/${owner.id}/events`,
    '/todos',
    '/projects?with_merge_requests_enabled=true',
    at,
  ],
  repository: [
    `${at}/repository/tree`,
    `${at}/repository/commits`,
    `${at}/repository/commits/${sha}`,
    `${at}/repository/commits/${sha}/comments`,
    `${at}/repository/commits/${sha}/statuses`,
    `${at}/repository/branches`,
    `${at}/repository/files/${MARK}.rb/raw?ref=master`,
    `${at}/repository/archive`,
    `${at}/repository/compare?from=master&to=topic`,
    `${at}/repository/contributors`,
    `${at}/languages`,
    `${at}/merge_requests`,
    `${at}/pipelines`,
    search('blobs', at),
    search('commits', at),
    search('notes', at),
    `${at}/events`,
    `/users/${owner.id}/events`,
    `/${project.fullPath}/-/tree/master`,
    `/${project.fullPath}/-/raw/master/${MARK}.rb`,
  ],
  jobs: [`${at}/pipelines`, `${at}/pipelines/${pipeline.id}`, `${at}/pipelines/${pipeline.id}/jobs`, `${at}/jobs`],
  wiki: [`${at}/wikis`, `${at}/wikis/${MARK}`, search('wiki_blobs', at)],
  snippets: [
    `${at}/snippets`,
    `${at}/snippets/${snippet.id}`,
    `${at}/snippets/${snippet.id}/raw`,
    search('snippet_titles'),
  ],
  containerRegistry: [
    `${at}/registry/repositories`,
    `${at}/registry/repositories/${image}/tags`,
    `/registry/repositories/${image}`,
    `/groups/${group.id}/registry/repositories`,
  ],
  // Developers alone see them: test/rest/feature_flags.test.ts.
  featureFlags: [],
};

/** What differs between two answers whatever is shown in them. */
function told(body: Json): string {
  return JSON.stringify(body ?? null, (key, value) =>
    /_access_level$|_enabled$|^updated_at$|^last_activity_at$|^request_id$/.test(key) ? undefined : value,
  ).replace(/\d\d:\d\d:\d\d(\.\d+)?Z|(nonce|value|content)=\\?"[^"]*"/g, '');
}

/** What somebody is told of a feature; null is somebody who is not signed in. */
async function seen(who: TestUser | null, feature: Feature): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of PROBES[feature]) {
    const isPage = path.startsWith(`/${project.fullPath}`);
    // Pages do not take tokens.
    if (isPage && who !== null) continue;
    const headers: Record<string, string> = who ? { 'Private-Token': who.token } : {};
    const { status, body } = await world.send('GET', `${isPage ? '' : '/api/v4'}${path}`, { headers });
    found.set(path, `${status} ${told(body)}`);
  }
  const nodes = [id('Issue', issue.id), id('MergeRequest', merge.id), id('Snippet', snippet.id), id('Label', label.id)];
  const query = { path: project.fullPath, nodes, group: group.fullPath };
  const { body } = await world.graphql(GRAPHQL, query, who ?? undefined);
  found.set('graphql', told(body.data));
  const text = `${project.fullPath}#1 ${project.fullPath}!1`;
  const markdown = { text, gfm: true, project: elsewhere.fullPath };
  const headers = { 'Private-Token': who?.token ?? '' };
  if (who)
    found.set('markdown', told((await world.send('POST', '/api/v4/markdown', { headers, body: markdown })).body));
  return found;
}

/** The paths whose answers differ. */
const differing = (one: Map<string, string>, two: Map<string, string>) =>
  [...one].flatMap(([path, answer]) => (two.get(path) === answer ? [] : [path]));

describe.each(FEATURES)('What is private of a public project (%s)', (feature) => {
  it('is to others as if it were switched off, and to members as if it were open to everyone', async () => {
    const all = [outsider, null, guest, reporter, admin];
    const at = async (level: string) => {
      await set({ [feature]: level });
      const answers: Map<string, string>[] = [];
      for (const who of all) answers.push(await seen(who, feature));
      return answers;
    };
    const [open, kept, off] = [await at('enabled'), await at('private'), await at('disabled')];
    await set({});
    for (const [index, who] of all.entries()) {
      const [before, now, without] = [open[index], kept[index], off[index]];
      if (!before || !now || !without) throw new Error('Nobody asked');
      const isOther = who === outsider || who === null;
      expect([who?.username, differing(now, isOther ? without : before)]).toEqual([who?.username, []]);
      // Each of the probes shows something.
      const asked = [...before.keys()].filter((path) => PROBES[feature].includes(path));
      const isShown = (path: string) => before.get(path) !== without.get(path);
      if (who === outsider) expect(asked.filter((path) => !isShown(path))).toEqual([]);
      if (who === null && feature === 'repository') {
        expect(asked.filter((path) => path.startsWith(`/${project.fullPath}`) && !isShown(path))).toEqual([]);
      }
    }
  });
});
