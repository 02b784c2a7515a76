// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { gpgFixtures } from '../support/gpg.ts';
import type { Answer, Json } from '../support/http.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { newKey } from '../support/ssh_keys.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user({ admin: true });
const developer = await world.user();
const api = world.api(owner);
const AT_ONCE = 4;

let project: ProjectRow;
let head: string;
/** What requests name: paths of records, and records. */
let p: string;
let g: string;
let issue: string;
let review: string;
let facts: Record<string, Json>;

beforeAll(async () => {
  const group = await world.group({ owner });
  project = await world.project({ owner, namespaceId: group.id });
  await world.member(project, developer, 'developer');
  head = await withTopic(world, project, owner);
  p = `/projects/${project.id}`;
  g = `/groups/${group.id}`;
  issue = `${p}/issues/${(await world.issue(project, owner)).iid}`;
  review = `${p}/merge_requests/${(await opened(world, project, owner)).iid}`;
  const [other, place] = [
    await world.group({ owner, visibility: 'public' }),
    await world.project({ owner, visibility: 'public' }),
  ];
  await world.db.project.update({ where: { id: place.id }, data: { requestAccessEnabled: true } });
  const linked = await world.issue(place, owner);
  const made = async (path: string, values: object) => {
    const { status, body } = await api.post(path, values);
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const label = await made(`${p}/labels`, { name: 'listed', color: '#ff0000' });
  const file = { branch: 'master', commit_message: 'Add a file', content: 'x' };
  await made(`${p}/repository/files/.gitlab-ci.yml`, {
    ...file,
    content: 'wait: {script: [run], when: manual, resource_group: one}\nrun: {script: [run]}\n',
  });
  const schedule = { description: 'Nightly', ref: 'master', cron: '0 3 * * *' };
  await made(`${p}/repository/tags`, { tag_name: 'released', ref: 'master' });
  await made(`${p}/releases`, { tag_name: 'released', name: 'Released' });
  facts = {
    group: other,
    project: place,
    linked,
    label,
    user: await world.user(),
    other: await world.user(),
    task: await made(`${p}/issues`, { title: 'Task', issue_type: 'task' }),
    parent: await made(`${p}/issues`, { title: 'Parent' }),
    board: await made(`${p}/boards`, { name: 'Board' }),
    schedule: await made(`${p}/pipeline_schedules`, schedule),
    hook: await made(`${p}/hooks`, { url: 'http://example.com/' }),
    mirror: await made(`${p}/pipeline`, { ref: 'master' }),
    topic: await made('/topics', { name: 'one', title: 'One' }),
    target: await made('/topics', { name: 'two', title: 'Two' }),
    note: await made(`${issue}/notes`, { body: 'Hi' }),
    todo: await made(`${issue}/todo`, {}),
    snippet: await made('/snippets', { title: 'A', file_name: 'a', content: 'a' }),
    thread: await made(`${review}/discussions`, { body: 'Resolve me' }),
    draft: await made(`${review}/draft_notes`, { note: 'Draft' }),
  };
});

type Sending = () => [method: 'post' | 'put' | 'delete', path: string, body?: object, who?: TestUser];

const key = newKey();
const deployKey = newKey();

/** Requests by what they make, of which a second one finds what the first one made. */
const REQUESTS: Record<string, Sending> = {
  'a label of a project': () => ['post', `${p}/labels`, { name: 'twice', color: '#ff0000' }],
  'a label of a group': () => ['post', `${g}/labels`, { name: 'twice', color: '#ff0000' }],
  'a priority of a label': () => ['put', `${p}/labels`, { name: 'listed', priority: 1 }],
  'labels by their use': () => ['post', `${p}/issues`, { title: 'Labelled', labels: 'fresh,listed' }],
  'labels of an issue': () => ['put', issue, { add_labels: 'added,listed' }],
  'a promoted label': () => ['put', `${p}/labels/listed/promote`, {}],
  'a milestone of a project': () => ['post', `${p}/milestones`, { title: 'Twice' }],
  'a milestone of a group': () => ['post', `${g}/milestones`, { title: 'Twice' }],
  'a list of a board': () => ['post', `${p}/boards/${facts.board.id}/lists`, { label_id: facts.label.id }],
  'an environment': () => ['post', `${p}/environments`, { name: 'production' }],
  'a deployment': () => [
    'post',
    `${p}/deployments`,
    { environment: 'staging', sha: head, ref: 'topic', tag: false, status: 'success' },
  ],
  'a feature flag': () => ['post', `${p}/feature_flags`, { name: 'twice' }],
  'a user list of feature flags': () => ['post', `${p}/feature_flags_user_lists`, { name: 'Twice', user_xids: '1' }],
  'a feature toggle': () => ['post', '/features/twice', { value: true }],
  'a member of a project': () => ['post', `${p}/members`, { user_id: facts.user.id, access_level: 30 }],
  'a member of a group': () => ['post', `${g}/members`, { user_id: facts.user.id, access_level: 30 }],
  'an invitation': () => ['post', `${p}/invitations`, { email: 'twice@example.com', access_level: 30 }],
  'an invitation to a group': () => ['post', `${g}/invitations`, { email: 'twice@example.com', access_level: 30 }],
  'a request for access': () => ['post', `/projects/${facts.project.id}/access_requests`, {}, developer],
  'a share of a project': () => ['post', `${p}/share`, { group_id: facts.group.id, group_access: 30 }],
  'a share of a group': () => ['post', `${g}/share`, { group_id: facts.group.id, group_access: 30 }],
  'a link of issues': () => [
    'post',
    `${issue}/links`,
    { target_project_id: facts.project.id, target_issue_iid: facts.linked.iid },
  ],
  'an allowed project': () => ['post', `${p}/job_token_scope/allowlist`, { target_project_id: facts.project.id }],
  'an allowed group': () => ['post', `${p}/job_token_scope/groups_allowlist`, { target_group_id: facts.group.id }],
  'an award': () => ['post', `${issue}/award_emoji`, { name: 'tada' }],
  'an award of a note': () => ['post', `${issue}/notes/${facts.note.id}/award_emoji`, { name: 'tada' }],
  'a mention of an issue': () => [
    'post',
    `/projects/${facts.project.id}/issues`,
    { title: `As ${project.id}`, description: `As ${issue}` },
  ],
  'a subscription': () => ['post', `${issue}/subscribe`, {}, developer],
  'a todo': () => ['post', `${issue}/todo`, {}, developer],
  'the end of a todo': () => ['post', `/todos/${facts.todo.id}/mark_as_done`, {}],
  'a star': () => ['post', `${p}/star`, {}],
  'notification settings of a project': () => ['put', `${p}/notification_settings`, { level: 'watch' }],
  'notification settings of a group': () => ['put', `${g}/notification_settings`, { level: 'watch' }],
  'a protected branch': () => ['post', `${p}/protected_branches`, { name: 'stable' }],
  'a protected branch of 2017': () => ['put', `${p}/repository/branches/topic/protect`, {}],
  'a protected tag': () => ['post', `${p}/protected_tags`, { name: 'v*' }],
  'a branch': () => ['post', `${p}/repository/branches`, { branch: 'twice', ref: 'master' }],
  'a tag': () => ['post', `${p}/repository/tags`, { tag_name: 'twice', ref: 'master' }],
  'a tag with notes': () => [
    'post',
    `${p}/repository/tags`,
    { tag_name: 'noted', ref: 'master', release_description: 'x' },
  ],
  'a release': () => ['post', `${p}/releases`, { tag_name: 'v1', ref: 'master', name: 'One' }],
  'a release of 2017': () => ['post', `${p}/repository/tags/twice/release`, { description: 'x' }],
  'a link of a release': () => [
    'post',
    `${p}/releases/released/assets/links`,
    { name: 'File', url: 'https://example.com/f', direct_asset_path: '/f' },
  ],
  'a file': () => ['post', `${p}/repository/files/new`, { branch: 'master', commit_message: 'New', content: 'x' }],
  'a merge request': () => [
    'post',
    `${p}/merge_requests`,
    { source_branch: 'topic', target_branch: 'twice', title: 'Twice' },
  ],
  'a reviewer': () => ['put', review, { reviewer_ids: [developer.id], assignee_ids: [developer.id, owner.id] }],
  'an assignee': () => ['put', issue, { assignee_ids: [developer.id, owner.id] }],
  'an approval': () => ['post', `${review}/approve`, {}, developer],
  'a resolved thread': () => ['put', `${review}/discussions/${facts.thread.id}`, { resolved: true }],
  'a published draft': () => ['put', `${review}/draft_notes/${facts.draft.id}/publish`, {}],
  'all published drafts': () => ['post', `${review}/draft_notes/bulk_publish`, {}],
  'a merge': () => ['put', `${review}/merge`, {}],
  'a variable of a schedule': () => [
    'post',
    `${p}/pipeline_schedules/${facts.schedule.id}/variables`,
    { key: 'NAME', value: 'x' },
  ],
  'a variable of a project': () => ['post', `${p}/variables`, { key: 'NAME', value: 'x' }],
  'a variable of a group': () => ['post', `${g}/variables`, { key: 'NAME', value: 'x' }],
  'a variable of the server': () => ['post', '/admin/ci/variables', { key: 'NAME', value: 'x' }],
  'a status of a commit': () => ['post', `${p}/statuses/${head}`, { state: 'pending', name: 'external', ref: 'topic' }],
  'a pipeline': () => ['post', `${p}/pipeline`, { ref: 'master' }],
  'an SSH key': () => ['post', '/user/keys', { title: 'Key', key }],
  'a GPG key': () => ['post', '/user/gpg_keys', { key: gpgFixtures.ann.key }],
  'an email': () => ['post', '/user/emails', { email: 'twice@example.org' }],
  'a deploy key': () => ['post', `${p}/deploy_keys`, { title: 'Key', key: deployKey }],
  'a user': () => [
    'post',
    '/users',
    {
      username: 'twice',
      email: 'twice@example.net',
      name: 'Twice',
      password: 'of the house 17',
      skip_confirmation: true,
    },
  ],
  'a group': () => ['post', '/groups', { name: 'Twice', path: 'twice-group' }],
  'a subgroup': () => ['post', '/groups', { name: 'Twice', path: 'twice', parent_id: facts.group.id }],
  'a project': () => ['post', '/projects', { name: 'twice-project', namespace_id: facts.group.id }],
  'a fork': () => ['post', `${p}/fork`, {}, developer],
  'a follower': () => ['post', `/users/${developer.id}/follow`, {}],
  'a status of a user': () => ['put', '/user/status', { message: 'Here' }],
  preferences: () => ['put', '/user/preferences', { view_diffs_file_by_file: true }],
  'a topic': () => ['post', '/topics', { name: 'twice', title: 'Twice' }],
  'topics of a project': () => ['put', p, { topics: ['fresh-topic', 'other-topic'] }],
  'merged topics': () => [
    'post',
    '/topics/merge',
    { source_topic_id: facts.topic.id, target_topic_id: facts.target.id },
  ],
  'a header of a webhook': () => ['put', `${p}/hooks/${facts.hook.id}/custom_headers/Name`, { value: 'x' }],
  'a page of the wiki': () => ['post', `${p}/wikis`, { title: 'Twice', content: 'x' }],
  'an export': () => ['post', `${p}/export`, {}],
  'a transfer': () => ['put', `/projects/${facts.project.id}/transfer`, { namespace: facts.group.id }],
  'a custom file of a snippet': () => [
    'put',
    `/snippets/${facts.snippet.id}`,
    { files: [{ action: 'create', file_path: 'b', content: 'b' }] },
  ],
  'a revert': () => ['post', `${p}/repository/commits/${head}/revert`, { branch: 'topic' }],
  housekeeping: () => ['post', `${p}/housekeeping`, {}],
  'a deletion of a tag': () => ['delete', `${p}/repository/tags/released`],
  'a deletion of a branch': () => ['delete', `${p}/repository/branches/twice`],
  'a deletion of a label': () => ['delete', `${p}/labels/twice`],
  'a deletion of an issue': () => ['delete', issue],
  'a deletion of a webhook': () => ['delete', `${p}/hooks/${facts.hook.id}`],
  'a deletion of a member': () => ['delete', `${p}/members/${facts.user.id}`],
};

/** Requests that name the same twice in one list. */
const REPEATED: Record<string, Sending> = {
  'an assignee of an issue': () => [
    'post',
    `${p}/issues`,
    { title: 'Twice assigned', assignee_ids: [developer.id, developer.id] },
  ],
  'a reviewer': () => ['put', review, { reviewer_ids: [owner.id, owner.id], assignee_ids: [owner.id, owner.id] }],
  'a label of an issue': () => [
    'post',
    `${p}/issues`,
    { title: 'Twice labelled', labels: ['again', 'again', 'Again'] },
  ],
  'a topic of a project': () => ['put', p, { topics: ['again', 'again', 'Again'] }],
  'a milestone of a release': () => [
    'post',
    `${p}/releases`,
    { tag_name: 'v2', ref: 'master', milestones: ['Twice', 'Twice'] },
  ],
  'a link of a release': () => [
    'post',
    `${p}/releases`,
    {
      tag_name: 'v3',
      ref: 'master',
      assets: {
        links: [
          { name: 'File', url: 'https://example.com/f' },
          { name: 'File', url: 'https://example.com/f' },
        ],
      },
    },
  ],
  'a level of a protected branch': () => [
    'post',
    `${p}/protected_branches`,
    { name: 'again', allowed_to_push: [{ access_level: 30 }, { access_level: 30 }] },
  ],
  'a level of a protected tag': () => [
    'post',
    `${p}/protected_tags`,
    { name: 'again', allowed_to_create: [{ access_level: 30 }, { access_level: 30 }] },
  ],
  'a member of a project': () => [
    'post',
    `${p}/members`,
    { user_id: `${facts.other.id},${facts.other.id}`, access_level: 30 },
  ],
  'an invitation': () => [
    'post',
    `${p}/invitations`,
    { email: 'again@example.com,Again@example.com', access_level: 30 },
  ],
  'a file of a snippet': () => [
    'post',
    '/snippets',
    {
      title: 'Again',
      files: [
        { file_path: 'a', content: 'a' },
        { file_path: 'a', content: 'a' },
      ],
    },
  ],
  'a file of a commit': () => [
    'post',
    `${p}/repository/commits`,
    {
      branch: 'master',
      commit_message: 'Again',
      actions: [
        { action: 'create', file_path: 'again', content: 'a' },
        { action: 'create', file_path: 'again', content: 'a' },
      ],
    },
  ],
  'a variable of a pipeline': () => [
    'post',
    `${p}/pipeline`,
    {
      ref: 'master',
      variables: [
        { key: 'AGAIN', value: 'a' },
        { key: 'AGAIN', value: 'b' },
      ],
    },
  ],
  'a header of a webhook': () => [
    'post',
    `${p}/hooks`,
    {
      url: 'http://example.com/',
      custom_headers: [
        { key: 'Again', value: 'a' },
        { key: 'again', value: 'b' },
      ],
      url_variables: [
        { key: 'again', value: 'a' },
        { key: 'again', value: 'b' },
      ],
    },
  ],
};

/** Mutations that REST has not, with what they are sent. */
const MUTATIONS: Record<string, () => [mutation: string, type: string, input: object]> = {
  'the parent of a task': () => [
    'updateIssue',
    'UpdateIssueInput',
    { project: String(project.id), iid: facts.task.iid, parentId: String(facts.parent.id) },
  ],
  'an award that is toggled': () => [
    'toggleAward',
    'ToggleAwardInput',
    { on: { issue: { project: String(project.id), iid: facts.parent.iid } }, name: 'rocket' },
  ],
};

function send([method, path, body = {}, who = owner]: ReturnType<Sending>): Promise<Answer> {
  return method === 'delete' ? world.api(who).delete(path) : world.api(who)[method](path, body);
}

describe('Made several times at once, and then again', () => {
  it.each(Object.keys(REQUESTS))('%s ends well for one of the callers, and fails for none by a fault', async (name) => {
    const sending = REQUESTS[name] as Sending;
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(sending())));
    answers.push(await send(sending()));
    const statuses = answers.map(({ status }) => status);
    expect(
      statuses.filter((status) => status >= 500),
      JSON.stringify(answers.map(({ body }) => body)),
    ).toEqual([]);
    expect(Math.min(...statuses), JSON.stringify(answers.map(({ body }) => body))).toBeLessThan(400);
  });
});

it.each(Object.keys(MUTATIONS))('%s is changed several times at once by GraphQL without a fault', async (name) => {
  const [mutation, type, input] = (MUTATIONS[name] as (typeof MUTATIONS)[string])();
  const document = `mutation Change($input: ${type}!) { ${mutation}(input: $input) { __typename } }`;
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => world.graphql(document, { input }, owner)));
  const codes = answers.map(({ body }) => body.errors?.[0]?.extensions?.code ?? 'DONE');
  expect(codes, JSON.stringify(answers.map(({ body }) => body))).not.toContain('INTERNAL_SERVER_ERROR');
  expect(codes).toContain('DONE');
});

it.each(Object.keys(REPEATED))('%s that is named twice in one request is no fault', async (name) => {
  const { status, body } = await send((REPEATED[name] as Sending)());
  expect(status, JSON.stringify(body)).toBeLessThan(500);
});
