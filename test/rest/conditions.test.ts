import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const stranger = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner });
  at = `/projects/${project.id}`;
  for (const branch of ['master', 'some/branch']) {
    const start = branch === 'master' ? {} : { start_branch: 'master' };
    const commit = { branch, commit_message: 'Add a file', content: branch, ...start };
    const file = branch === 'master' ? 'a' : 'b';
    expect((await api.post(`${at}/repository/files/${file}`, commit)).status).toBe(201);
  }
});

/** Deletes what is at a path unless it has changed since. */
function remove(path: string, since: string | Date, who = owner) {
  const time = since instanceof Date ? since.toUTCString() : since;
  return world.send('DELETE', `/api/v4${path}`, {
    headers: { 'PRIVATE-TOKEN': who.token, 'If-Unmodified-Since': time },
  });
}

const failed = { status: 412, body: { message: '412 Precondition Failed' } };
const HOUR = 3_600_000;

describe('If-Unmodified-Since of a DELETE', () => {
  it('412 leaves a record that has changed since, and the time of its last change deletes it', async () => {
    const { body: issue } = await api.post(`${at}/issues`, { title: 'Kept' });
    const path = `${at}/issues/${issue.iid}`;
    const changed = new Date(issue.updated_at);
    expect(await remove(path, new Date(changed.getTime() - HOUR))).toMatchObject(failed);
    expect(await api.get(path)).toMatchObject({ status: 200, body: { title: 'Kept' } });
    expect((await remove(path, changed)).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
  });

  it('holds for notes, snippets, milestones and projects', LONG, async () => {
    const issue = await world.issue(project, owner);
    const group = await world.group({ owner });
    const own = await world.project({ owner });
    const made = {
      note: `${at}/issues/${issue.iid}/notes/${(await api.post(`${at}/issues/${issue.iid}/notes`, { body: 'Hi' })).body.id}`,
      snippet: `/snippets/${(await api.post('/snippets', { title: 'A', file_name: 'a', content: 'a' })).body.id}`,
      milestone: `/groups/${group.id}/milestones/${(await api.post(`/groups/${group.id}/milestones`, { title: 'A' })).body.id}`,
      project: `/projects/${own.id}`,
    };
    for (const [name, path] of Object.entries(made)) {
      expect(await remove(path, new Date(Date.now() - HOUR)), name).toMatchObject(failed);
      expect((await api.get(path)).status, name).toBe(200);
      expect((await remove(path, new Date(Date.now() + HOUR))).status, name).toBeLessThan(205);
    }
  });

  it('takes the commit that a branch or tag points to', async () => {
    const tag = { tag_name: 'v1', ref: 'master' };
    expect((await api.post(`${at}/repository/tags`, tag)).status).toBe(201);
    for (const path of [`${at}/repository/branches/some%2Fbranch`, `${at}/repository/tags/v1`]) {
      const { body } = await api.get(path);
      const committed = new Date(body.commit.committed_date);
      expect(await remove(path, new Date(committed.getTime() - 1000))).toMatchObject(failed);
      expect((await remove(path, committed)).status).toBeLessThan(205);
    }
  });

  it('is ignored if it is no date, and where nothing tells when the record changed', async () => {
    const { body: issue } = await api.post(`${at}/issues`, { title: 'No date' });
    expect((await remove(`${at}/issues/${issue.iid}`, 'yesterday or so')).status).toBe(204);
    const { body: variable } = await api.post(`${at}/variables`, { key: 'NAME', value: 'value' });
    expect((await remove(`${at}/variables/${variable.key}`, new Date(0))).status).toBe(204);
  });

  it('tells nothing of what the caller does not see: 404, as without it', async () => {
    const issue = await world.issue(project, owner);
    const path = `${at}/issues/${issue.iid}`;
    expect((await remove(path, new Date(0), stranger)).status).toBe(404);
    expect((await remove(`${at}/issues/999`, new Date(0))).status).toBe(404);
    expect((await api.get(path)).status).toBe(200);
  });
});

describe('HEAD of a branch', () => {
  const head = async (branch: string) => {
    const path = `/api/v4${at}/repository/branches/${encodeURIComponent(branch)}`;
    const { status, body } = await world.send('HEAD', path, { headers: { 'PRIVATE-TOKEN': owner.token } });
    return [status, body];
  };

  it('204 says that it is there, 404 that it is not', async () => {
    expect(await head('master')).toEqual([204, null]);
    expect(await head('none')).toEqual([404, null]);
  });
});

describe('HEAD of a file', () => {
  it('has the facts of the file in headers, of the JSON and of the raw file', async () => {
    for (const path of ['a', 'a/raw']) {
      const answer = await world.send('HEAD', `/api/v4${at}/repository/files/${path}?ref=master`, {
        headers: { 'PRIVATE-TOKEN': owner.token },
      });
      expect([answer.status, answer.body]).toEqual([200, null]);
      expect(answer.headers).toMatchObject({
        'x-gitlab-file-path': 'a',
        'x-gitlab-ref': 'master',
        'x-gitlab-size': '6',
      });
    }
  });
});
