// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createCommit } from '#src/domain/repository/commits/create.ts';
import { commitFile } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startReceiver, type Told } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const owner = await world.user();
const reporter = await world.user();
const api = world.api(owner);
let project: ProjectRow;
const ALL = {
  push_events: true,
  tag_push_events: true,
  issues_events: true,
  merge_requests_events: true,
  note_events: true,
  job_events: true,
  pipeline_events: true,
};

/** A path that a hook of the project leads to, for all events unless it is said otherwise. */
async function hook(to: { id: number }, given: object = ALL): Promise<string> {
  const path = `/${world.unique('receiver')}`;
  const { status } = await api.post(`/projects/${to.id}/hooks`, { url: receiver.url(path), ...given });
  expect(status).toBe(201);
  return path;
}

const of = (kind: string) => (told: Told) => told.body.object_kind === kind;

beforeAll(async () => {
  project = await world.project({ owner, description: 'About it' });
  await world.member(project, reporter, 'reporter');
});

const projectRecord = () => ({
  id: project.id,
  name: project.name,
  description: 'About it',
  web_url: `${world.url}/${project.fullPath}`,
  avatar_url: null,
  git_ssh_url: expect.stringContaining(`${project.fullPath}.git`),
  git_http_url: `${world.url}/${project.fullPath}.git`,
  namespace: owner.actor.username,
  visibility_level: 0,
  path_with_namespace: project.fullPath,
  homepage: `${world.url}/${project.fullPath}`,
});
const userRecord = (user = owner) => ({
  id: user.id,
  name: `Name of ${user.username}`,
  username: user.username,
  avatar_url: expect.any(String),
});
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('Pushes', () => {
  it('are told with their latest commits, and the paths that each of them changed', async () => {
    const path = await hook(project);
    const commit = (actions: Parameters<typeof createCommit>[2]['actions'], branch = 'master') =>
      createCommit(world.as(owner), project.id, { branch, message: 'Änder es\n', actions });
    const first = await commit([
      { action: 'create', filePath: 'kept', content: 'a' },
      { action: 'create', filePath: 'lost', content: 'b' },
    ]);
    const second = await commit([
      { action: 'update', filePath: 'kept', content: 'c' },
      { action: 'delete', filePath: 'lost' },
      { action: 'create', filePath: 'dir/new', content: 'd' },
    ]);
    const [one, two] = await receiver.some(path, 2, of('push'));
    expect(one?.headers['x-gitlab-event']).toBe('Push Hook');
    expect(one?.body).toMatchObject({
      event_name: 'push',
      before: '0'.repeat(40),
      after: first.oid,
      ref: 'refs/heads/master',
      checkout_sha: first.oid,
      user_id: owner.id,
      user_name: `Name of ${owner.username}`,
      user_username: owner.username,
      user_email: `${owner.username}@example.org`,
      project_id: project.id,
      project: { ...projectRecord(), default_branch: 'master' },
      repository: { name: project.name, homepage: `${world.url}/${project.fullPath}`, visibility_level: 0 },
      total_commits_count: 1,
    });
    expect(one?.body.commits).toMatchObject([{ id: first.oid, added: ['kept', 'lost'], modified: [], removed: [] }]);
    expect(two?.body).toMatchObject({ before: first.oid, after: second.oid });
    expect(two?.body.commits).toEqual([
      {
        id: second.oid,
        message: 'Änder es\n',
        timestamp: expect.stringMatching(/^\d{4}-/),
        url: `${world.url}/${project.fullPath}/-/commit/${second.oid}`,
        author: { name: `Name of ${owner.username}`, email: `${owner.username}@example.org` },
        added: ['dir/new'],
        modified: ['kept'],
        removed: ['lost'],
      },
    ]);
  });

  it('of tags have a kind of their own, with what an annotated tag says', async () => {
    const path = await hook(project, { push_events: false, tag_push_events: true });
    await api.post(`/projects/${project.id}/repository/tags`, {
      tag_name: 'v1.0',
      ref: 'master',
      message: 'The first',
    });
    const told = await receiver.next(path);
    expect(told.headers['x-gitlab-event']).toBe('Tag Push Hook');
    expect(told.body).toMatchObject({ object_kind: 'tag_push', event_name: 'tag_push', ref: 'refs/tags/v1.0' });
    expect(told.body.message).toContain('The first');
    expect(receiver.at(path)).toHaveLength(1);
  });

  it('that delete a branch have no commits', async () => {
    await createBranch(world.as(owner), project.id, 'short-lived', 'master');
    const path = await hook(project, {});
    await api.delete(`/projects/${project.id}/repository/branches/short-lived`);
    const { body } = await receiver.next(path);
    expect(body).toMatchObject({ after: '0'.repeat(40), checkout_sha: null, commits: [], total_commits_count: 0 });
  });
});

describe('Issues', () => {
  it('are told when they are opened, changed, closed and reopened, by whoever did it', LONG, async () => {
    const path = await hook(project);
    const label = await world.label(project, owner, 'bug');
    const { body: issue } = await api.post(`/projects/${project.id}/issues`, { title: 'It is broken', labels: 'bug' });
    const at = `/projects/${project.id}/issues/${issue.iid}`;
    const other = world.api(reporter);
    await other.put(at, { title: 'It works', assignee_id: owner.id, labels: '', due_date: '2030-01-02' });
    await other.put(at, { state_event: 'close' });
    await api.put(at, { state_event: 'reopen' });
    const told = await receiver.some(path, 4, of('issue'));
    expect(told.map(({ body }) => body.object_attributes.action)).toEqual(['open', 'update', 'close', 'reopen']);
    const [open, update, close] = told.map(({ body }) => body);
    expect(told[0]?.headers['x-gitlab-event']).toBe('Issue Hook');
    const LABEL = { id: label.id, title: 'bug', color: '#ff0000', project_id: project.id, type: 'ProjectLabel' };
    expect(open).toMatchObject({
      user: userRecord(),
      project: projectRecord(),
      object_attributes: {
        id: issue.id,
        iid: issue.iid,
        project_id: project.id,
        title: 'It is broken',
        state: 'opened',
        author_id: owner.id,
        assignee_id: null,
        confidential: false,
        state_id: 1,
        type: 'Issue',
        severity: 'UNKNOWN',
        closed_at: null,
        relative_position: null,
        labels: [LABEL],
        created_at: issue.created_at,
        updated_at: TIME,
        url: `${world.url}/${project.fullPath}/-/issues/${issue.iid}`,
      },
      labels: [LABEL],
      changes: {},
      repository: { name: project.name, description: 'About it' },
    });
    expect(update).toMatchObject({
      user: userRecord(reporter),
      assignee: userRecord(),
      labels: [],
      changes: {
        title: { previous: 'It is broken', current: 'It works' },
        assignee_id: { previous: null, current: owner.id },
        due_date: { previous: null, current: '2030-01-02' },
        labels: { previous: [LABEL], current: [] },
      },
    });
    expect(close).toMatchObject({
      object_attributes: { state: 'closed', state_id: 2, title: 'It works', labels: [], closed_at: TIME },
      changes: { state: { previous: 'opened', current: 'closed' }, state_id: { previous: 1, current: 2 } },
    });
  });

  it('are told once for what is changed together, and not at all for what changes nothing', async () => {
    const path = await hook(project, { push_events: false, issues_events: true });
    const issue = await world.issue(project, owner, { title: 'Same' });
    const at = `/projects/${project.id}/issues/${issue.iid}`;
    await api.put(at, { title: 'Same' });
    await api.put(at, { title: 'Other', state_event: 'close' });
    const told = await receiver.some(path, 2);
    expect(told.map(({ body }) => body.object_attributes.action)).toEqual(['open', 'close']);
    expect(told[1]?.body.changes).toMatchObject({ title: { current: 'Other' }, state: { current: 'closed' } });
  });

  it('that are confidential are told to hooks that want these alone, and so are notes on them', async () => {
    const plain = await hook(project);
    const privy = await hook(project, { push_events: false, note_events: true, confidential_issues_events: true });
    const secret = await world.issue(project, owner, { title: 'Secret', confidential: true, description: 'hidden' });
    const at = `/projects/${project.id}/issues/${secret.iid}`;
    await api.post(`${at}/notes`, { body: 'Secret note' });
    await api.put(at, { title: 'Known', description: 'open', confidential: false });
    const [issue, note] = await receiver.some(privy, 2);
    expect(issue?.headers['x-gitlab-event']).toBe('Confidential Issue Hook');
    expect(issue?.body).toMatchObject({
      object_kind: 'issue',
      event_type: 'confidential_issue',
      object_attributes: { title: 'Secret' },
    });
    expect(note?.headers['x-gitlab-event']).toBe('Confidential Note Hook');
    const now = await receiver.next(plain, of('issue'));
    expect(now.body.changes).toEqual({ confidential: { previous: true, current: false } });
    expect(JSON.stringify(receiver.at(plain))).not.toMatch(/Secret|hidden/);
  });
});

describe('Notes', () => {
  it('on an issue, a merge request, a commit and a snippet are told with what they are on', LONG, async () => {
    const place = await world.project({ owner });
    await withTopic(world, place, owner);
    const path = await hook(place, { push_events: false, note_events: true });
    const issue = await world.issue(place, owner);
    const merge = await opened(world, place, owner);
    const { body: snippet } = await api.post(`/projects/${place.id}/snippets`, {
      title: 'A snippet',
      file_name: 'a.rb',
      code: 'x',
      visibility: 'internal',
    });
    const sha = merge.sha ?? '';
    await api.post(`/projects/${place.id}/issues/${issue.iid}/notes`, { body: 'on the issue' });
    await api.post(`/projects/${place.id}/merge_requests/${merge.iid}/notes`, { body: 'on the merge request' });
    await api.post(`/projects/${place.id}/repository/commits/${sha}/comments`, { note: 'on the commit' });
    await api.post(`/projects/${place.id}/snippets/${snippet.id}/notes`, { body: 'on the snippet' });
    const told = await receiver.some(path, 4);
    expect(told.map(({ body }) => [body.object_attributes.note, body.object_attributes.noteable_type])).toEqual([
      ['on the issue', 'Issue'],
      ['on the merge request', 'MergeRequest'],
      ['on the commit', 'Commit'],
      ['on the snippet', 'Snippet'],
    ]);
    const [onIssue, onMerge, onCommit, onSnippet] = told.map(({ body }) => body);
    const page = `${world.url}/${place.fullPath}`;
    expect(told[0]?.headers['x-gitlab-event']).toBe('Note Hook');
    expect(onIssue).toMatchObject({ object_kind: 'note', project_id: place.id, issue: { id: issue.id } });
    expect(onIssue.object_attributes.url).toBe(`${page}/-/issues/${issue.iid}#note_${onIssue.object_attributes.id}`);
    expect(onMerge).toMatchObject({ merge_request: { id: merge.id, last_commit: { id: sha } } });
    expect(onCommit).toMatchObject({ commit: { id: sha }, object_attributes: { commit_id: sha } });
    expect(onSnippet).toMatchObject({ snippet: { id: snippet.id, title: 'A snippet', file_name: 'a.rb' } });
  });

  it(
    'on a line or an image are told with the thread and the position, and internal ones to hooks for these alone',
    LONG,
    async () => {
      const place = await world.project({ owner });
      await withTopic(world, place, owner);
      const path = await hook(place, { push_events: false, note_events: true });
      const privy = await hook(place, { push_events: false, note_events: true, confidential_issues_events: true });
      const { iid } = await opened(world, place, owner);
      const at = `/projects/${place.id}/merge_requests/${iid}`;
      const { diff_refs } = (await api.get(at)).body;
      const begin = async (position: object) =>
        (
          await api.post(`${at}/discussions`, {
            body: 'Here',
            position: { ...diff_refs, new_path: 'b.txt', ...position },
          })
        ).body;
      const line = await begin({ position_type: 'text', new_line: 1 });
      await begin({ position_type: 'image', width: 4, height: 3, x: 1, y: 2 });
      await api.put(`${at}/discussions/${line.id}`, { resolved: true });
      await api.post(`${at}/notes`, { body: 'zqsecret', internal: true });
      await api.post(`${at}/discussions/${line.id}/notes`, { body: 'Answer' });
      const told = (await receiver.some(path, 3)).map(({ body }) => body.object_attributes);
      expect(told[0]).toMatchObject({
        ...{
          action: 'create',
          type: 'DiffNote',
          discussion_id: line.id,
          note: 'Here',
          description: 'Here',
          internal: false,
        },
        position: {
          ...diff_refs,
          position_type: 'text',
          new_path: 'b.txt',
          old_line: null,
          new_line: 1,
          line_range: null,
        },
        original_position: { new_line: 1 },
        ...{ change_position: null, st_diff: null, resolved_at: null, resolved_by_id: null, resolved_by_push: null },
      });
      expect(told[0].line_code).toMatch(/^[0-9a-f]{40}_0_1$/);
      expect(told[1]).toMatchObject({
        position: { position_type: 'image', width: 4, height: 3, x: 1, y: 2, new_line: null },
        line_code: null,
      });
      expect(told[2]).toMatchObject({ note: 'Answer', discussion_id: line.id, resolved_by_id: owner.id });
      const secret = await receiver.next(privy, ({ body }) => body.object_attributes.internal);
      expect(secret.headers['x-gitlab-event']).toBe('Confidential Note Hook');
      expect(secret.body.object_attributes).toMatchObject({
        note: 'zqsecret',
        internal: true,
        type: null,
        position: null,
      });
      expect(JSON.stringify(receiver.at(path))).not.toContain('zqsecret');
    },
  );

  it('on private snippets, and system notes, are told to nobody', async () => {
    const place = await world.project({ owner });
    const path = await hook(place, { push_events: false, note_events: true });
    const hidden = { title: 'Mine', file_name: 'a', code: 'x', visibility: 'private' };
    const { body: snippet } = await api.post(`/projects/${place.id}/snippets`, hidden);
    await api.post(`/projects/${place.id}/snippets/${snippet.id}/notes`, { body: 'hidden' });
    const issue = await world.issue(place, owner);
    await api.put(`/projects/${place.id}/issues/${issue.iid}`, { title: 'Changed' });
    await api.post(`/projects/${place.id}/issues/${issue.iid}/notes`, { body: 'seen' });
    expect((await receiver.next(path)).body.object_attributes.note).toBe('seen');
    expect(receiver.at(path)).toHaveLength(1);
  });
});

describe('Merge requests', () => {
  it('are told when they are opened, when commits come, and when they are merged', LONG, async () => {
    const place = await world.project({ owner });
    const first = await withTopic(world, place, owner);
    const path = await hook(place, { push_events: false, merge_requests_events: true });
    const merge = await opened(world, place, owner, { title: 'WIP: Add it' });
    await world.idle();
    const second = await commitTo(world, place, owner, 'topic', 'c.txt');
    await receiver.next(path, ({ body }) => body.object_attributes.oldrev === first);
    const at = `/projects/${place.id}/merge_requests/${merge.iid}`;
    await api.put(at, { title: 'Add it' });
    await world.idle();
    expect((await api.put(`${at}/merge`, {})).status).toBe(200);
    const told = (await receiver.some(path, 4)).map(({ body }) => body);
    expect(told.map(({ object_attributes: { action } }) => action)).toEqual(['open', 'update', 'update', 'merge']);
    expect(told[0]).toMatchObject({
      object_kind: 'merge_request',
      user: userRecord(),
      object_attributes: {
        id: merge.id,
        iid: merge.iid,
        source_branch: 'topic',
        target_branch: 'master',
        source_project_id: place.id,
        target_project_id: place.id,
        state: 'opened',
        draft: true,
        work_in_progress: true,
        last_commit: { id: first, author: { name: expect.any(String) } },
        source: { path_with_namespace: place.fullPath },
        target: { path_with_namespace: place.fullPath },
        url: `${world.url}/${place.fullPath}/-/merge_requests/${merge.iid}`,
      },
    });
    expect(told[1]).toMatchObject({ object_attributes: { oldrev: first, last_commit: { id: second } } });
    expect(told[2]).toMatchObject({
      object_attributes: { draft: false, work_in_progress: false },
      changes: {
        title: { previous: 'WIP: Add it', current: 'Add it' },
        draft: { previous: true, current: false },
      },
    });
    expect(told[2]?.object_attributes.oldrev).toBeUndefined();
    expect(told[3]).toMatchObject({ object_attributes: { state: 'merged', merge_commit_sha: expect.any(String) } });
  });
});

describe('Issues and merge requests', () => {
  it('tell who changed them last, and who edited their texts and when', LONG, async () => {
    const [place, editor] = [await world.project({ owner }), await world.user()];
    await world.member(place, editor, 'developer');
    const path = await hook(place, { push_events: false, issues_events: true, merge_requests_events: true });
    const [issue, merge] = [await world.issue(place, owner), await world.mergeRequest(place, owner, { iid: 1 })];
    const query = `query ($p: ProjectRef!, $i: Int!, $m: Int!) { project(ref: $p) {
      issue(iid: $i) { ...Issue } mergeRequest(iid: $m) { ...MergeRequest } } }
      fragment Issue on Issue { updatedBy { databaseId } lastEditedBy { databaseId } lastEditedAt }
      fragment MergeRequest on MergeRequest { updatedBy { databaseId } lastEditedBy { databaseId } lastEditedAt }`;
    const known = async () => {
      const variables = { p: String(place.id), i: issue.iid, m: merge.iid };
      return (await world.graphql(query, variables, owner)).body.data.project;
    };
    const nobody = { updatedBy: null, lastEditedBy: null, lastEditedAt: null };
    expect(await known()).toEqual({ issue: nobody, mergeRequest: nobody });
    for (const [kind, at] of [
      ['issue', `issues/${issue.iid}`],
      ['merge_request', `merge_requests/${merge.iid}`],
    ] as const) {
      const put = (who: typeof owner, values: object) => world.api(who).put(`/projects/${place.id}/${at}`, values);
      await put(editor, { title: 'Edited' });
      await api.post(`/projects/${place.id}/${at}/notes`, { body: 'No change' });
      await put(owner, { discussion_locked: true });
      await put(owner, { description: 'Why' });
      const isUpdate = ({ body }: Told) => body.object_kind === kind && body.object_attributes.action === 'update';
      const told = (await receiver.some(path, 3, isUpdate)).map(({ body }) => body);
      expect(told[0].changes).toEqual({
        title: { previous: expect.any(String), current: 'Edited' },
        updated_by_id: { previous: null, current: editor.id },
        last_edited_by_id: { previous: null, current: editor.id },
        last_edited_at: { previous: null, current: TIME },
      });
      expect(told[1].changes).toEqual({
        discussion_locked: { previous: null, current: true },
        updated_by_id: { previous: editor.id, current: owner.id },
      });
      const at1 = told[0].changes.last_edited_at.current;
      expect(told[1].object_attributes).toMatchObject({
        ...{ updated_by_id: owner.id, last_edited_by_id: editor.id, last_edited_at: at1 },
      });
      expect(told[2].changes).toEqual({
        description: { previous: null, current: 'Why' },
        last_edited_by_id: { previous: editor.id, current: owner.id },
        last_edited_at: { previous: at1, current: TIME },
      });
    }
    await world.api(editor).put(`/projects/${place.id}/issues/${issue.iid}`, { title: 'Again' });
    const now = await known();
    const by = (user: typeof owner) => ({ databaseId: user.id });
    expect(now.mergeRequest).toEqual({ updatedBy: by(owner), lastEditedBy: by(owner), lastEditedAt: TIME });
    expect(now.issue).toEqual({ updatedBy: by(editor), lastEditedBy: by(editor), lastEditedAt: TIME });
    const admin = await world.user({ admin: true });
    expect((await world.api(admin).delete(`/users/${editor.id}`)).status).toBe(200);
    expect((await known()).issue).toEqual({ updatedBy: null, lastEditedBy: null, lastEditedAt: TIME });
  });

  it('tell that it is not known any more whether they can be merged', async () => {
    const place = await world.project({ owner });
    const path = await hook(place, { push_events: false, merge_requests_events: true });
    const { id } = await world.mergeRequest(place, owner, { iid: 1 });
    const put = (state_event: string) => api.put(`/projects/${place.id}/merge_requests/1`, { state_event });
    await put('close');
    await world.db.mergeRequest.update({ where: { id }, data: { mergeStatus: 'can_be_merged' } });
    await put('reopen');
    const [, reopened] = await receiver.some(path, 2);
    expect(reopened?.body.changes).toMatchObject({
      state: { previous: 'closed', current: 'opened' },
      merge_status: { previous: 'can_be_merged', current: 'unchecked' },
    });
  });
});

describe('Merge requests, and notes on them,', () => {
  it('are told with what stands in the way of a merge, and with each step towards it', LONG, async () => {
    const place = await world.project({ owner });
    const head = await withTopic(world, place, owner);
    await api.put(`/projects/${place.id}`, { only_allow_merge_if_all_discussions_are_resolved: true });
    const path = await hook(place, { push_events: false, merge_requests_events: true, note_events: true });
    const values = { projectId: place.id, ref: 'topic', sha: head, source: 'push', userId: owner.id } as const;
    const pipeline = await world.db.pipeline.create({ data: { ...values, status: 'running' } });
    const at = `/projects/${place.id}/merge_requests`;
    const given = { source_branch: 'topic', target_branch: 'master', title: 'Add it', labels: 'bug', squash: true };
    const { body: merge } = await api.post(at, { ...given, assignee_id: owner.id });
    const { body: thread } = await api.post(`${at}/${merge.iid}/discussions`, { body: 'Why?' });
    await api.put(`${at}/${merge.iid}/discussions/${thread.id}`, { resolved: true });
    await api.get(`${at}/${merge.iid}`);
    expect((await api.put(`${at}/${merge.iid}/merge`, { auto_merge: true })).status).toBe(200);
    await api.post(`${at}/${merge.iid}/cancel_merge_when_pipeline_succeeds`);
    await api.post(`${at}/${merge.iid}/add_spent_time`, { duration: '1h' });
    const told = (await receiver.some(path, 6)).map(({ body }) => body);
    const labels = [expect.objectContaining({ title: 'bug' })];
    expect(told[0]).toMatchObject({
      event_type: 'merge_request',
      user: { id: owner.id, email: '[REDACTED]' },
      object_attributes: {
        state_id: 1,
        labels,
        squash: true,
        merge_error: null,
        merge_params: { force_remove_source_branch: null },
        head_pipeline_id: pipeline.id,
        prepared_at: TIME,
        blocking_discussions_resolved: true,
        first_contribution: false,
        system: false,
        time_change: 0,
        last_commit: { id: head, title: 'Change b.txt' },
      },
      changes: {},
    });
    expect(told[1]).toMatchObject({
      object_kind: 'note',
      event_type: 'note',
      merge_request: {
        labels,
        assignee: userRecord(),
        assignee_ids: [owner.id],
        blocking_discussions_resolved: false,
        head_pipeline_id: pipeline.id,
        detailed_merge_status: expect.stringMatching(/^(unchecked|discussions_not_resolved)$/),
      },
    });
    expect(told[2]).toMatchObject({
      object_attributes: { action: 'update', blocking_discussions_resolved: true },
      changes: { blocking_discussions_resolved: { previous: false, current: true } },
    });
    expect(told[3]).toMatchObject({
      object_attributes: { action: 'update', merge_when_pipeline_succeeds: true, detailed_merge_status: 'mergeable' },
      changes: { merge_when_pipeline_succeeds: { previous: false, current: true } },
    });
    expect(told[4]?.changes).toEqual({ merge_when_pipeline_succeeds: { previous: true, current: false } });
    expect(told[5]).toMatchObject({ object_attributes: { time_change: 3600, human_time_change: '1h' } });
  });
});

describe('Merge requests from forks', () => {
  const fromFork = async (visibility: 'private' | 'internal' | 'public') => {
    const target = await world.project({ owner, visibility: 'public' });
    await withTopic(world, target, owner);
    const path = await hook(target, { push_events: false, merge_requests_events: true, note_events: true });
    const forker = await world.user();
    const { body: fork } = await world.api(forker).post(`/projects/${target.id}/fork`);
    await world.idle();
    const changes = { name: 'Hush', path: world.unique('hush'), description: 'Hush', visibility };
    await world.api(forker).put(`/projects/${fork.id}`, changes);
    const merge = await opened(world, fork, forker, { targetProject: target.id });
    const noted = { body: 'About it' };
    await world.api(forker).post(`/projects/${target.id}/merge_requests/${merge.iid}/notes`, noted);
    const told = await receiver.some(path, 2);
    const records = told.map(({ body }) => (body.object_kind === 'note' ? body.merge_request : body.object_attributes));
    return { target, fork, path: changes.path, forker, records, told };
  };

  it.each(['private', 'internal'] as const)(
    'tell of a fork that is %s the ID alone, beside a public target',
    LONG,
    async (visibility) => {
      const { target, fork, path, told, records } = await fromFork(visibility);
      expect(records).toHaveLength(2);
      for (const { source, source_project_id, target: shown } of records) {
        const { id, ...rest } = source;
        expect([id, source_project_id]).toEqual([fork.id, fork.id]);
        expect(Object.keys(source)).toEqual(Object.keys(shown));
        expect(Object.values(rest).filter((value) => value !== null)).toEqual([]);
        expect(shown).toMatchObject({ id: target.id, path_with_namespace: target.fullPath, visibility_level: 20 });
      }
      for (const word of ['Hush', path]) expect(JSON.stringify(told.map(({ body }) => body))).not.toContain(word);
    },
  );

  it('tell of a fork that everybody sees all that they tell of the target', LONG, async () => {
    const { fork, path, forker, records } = await fromFork('public');
    for (const { source } of records) {
      const page = `${world.url}/${forker.username}/${path}`;
      expect(source).toMatchObject({ id: fork.id, name: 'Hush', web_url: page, visibility_level: 20 });
    }
  });
});

describe('Jobs and pipelines', () => {
  it('are told whenever their status changes, in order', LONG, async () => {
    const place = await world.project({ owner });
    const config = 'unit: {stage: test, script: x}\nship: {stage: deploy, script: x, when: manual}\n';
    const jobs = await hook(place, { push_events: false, job_events: true });
    const pipelines = await hook(place, { push_events: false, pipeline_events: true });
    const sha = await commitFile(world, owner, place, config);
    const pending = await receiver.next(jobs, ({ body }) => body.build_status === 'pending');
    expect(pending.headers['x-gitlab-event']).toBe('Job Hook');
    const { build_id } = pending.body;
    await api.post(`/projects/${place.id}/jobs/${build_id}/cancel`);
    await receiver.next(jobs, ({ body }) => body.build_status === 'canceled');
    await receiver.next(pipelines, ({ body }) => body.object_attributes.status !== 'pending');
    const ofUnit = receiver.at(jobs).filter(({ body }) => body.build_id === build_id);
    expect(ofUnit.map(({ body }) => body.build_status)).toEqual(['created', 'pending', 'canceled']);
    expect(ofUnit[1]?.body).toMatchObject({
      object_kind: 'build',
      ref: 'master',
      tag: false,
      sha,
      before_sha: expect.stringMatching(/^0{40}$/),
      build_name: 'unit',
      build_stage: 'test',
      build_allow_failure: false,
      project_id: place.id,
      project_name: `${owner.username} / ${place.name}`,
      user: { id: owner.id, email: '[REDACTED]' },
      commit: { sha, message: expect.any(String), status: expect.any(String) },
      repository: { name: place.name },
    });
    const [created] = receiver.at(pipelines);
    expect(created?.headers['x-gitlab-event']).toBe('Pipeline Hook');
    expect(created?.body).toMatchObject({
      object_kind: 'pipeline',
      object_attributes: { ref: 'master', sha, status: 'pending', stages: ['test', 'deploy'] },
      user: userRecord(),
      project: { id: place.id },
      commit: { id: sha },
    });
    expect(created?.body.builds.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
      ['unit', 'pending'],
      ['ship', expect.any(String)],
    ]);
  });

  it('say nothing of statuses that were posted from outside', async () => {
    const place = await world.project({ owner });
    const sha = await commitFile(world, owner, place);
    const path = await hook(place, { push_events: false, job_events: true });
    await api.post(`/projects/${place.id}/statuses/${sha}`, { state: 'success' });
    const other = await hook(place);
    await commitFile(world, owner, place);
    await receiver.next(other, of('push'));
    expect(receiver.at(path)).toEqual([]);
  });
});

describe('What nobody wants to hear of', () => {
  it('takes no statement more', async () => {
    await world.db.hook.deleteMany();
    const quiet = await world.project({ owner });
    const issue = await world.issue(quiet, owner);
    const change = () => api.put(`/projects/${quiet.id}/issues/${issue.iid}`, { title: world.unique('Title ') });
    const note = () => api.post(`/projects/${quiet.id}/issues/${issue.iid}/notes`, { body: 'A note' });
    await change();
    await note();
    const statements = await world.statements(async () => {
      await change();
      await note();
    });
    expect(statements.filter((statement) => /hook/.test(statement))).toEqual([]);
    expect(await world.db.hookEvent.count({ where: { projectId: quiet.id } })).toBe(0);
  });

  it('is not recorded, though hooks of other projects and other events are there', LONG, async () => {
    const [quiet, loud] = [await world.project({ owner }), await world.project({ owner })];
    await hook(loud);
    await hook(quiet, { push_events: false, pipeline_events: true });
    await world.issue(quiet, owner);
    await commitFile(world, owner, quiet);
    expect(await world.db.hookEvent.count({ where: { projectId: quiet.id } })).toBe(0);
  });
});
