// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user();
const api = world.api(ann);
let group: GroupRow;
let project: ProjectRow;

beforeAll(async () => {
  group = await world.group({ owner: ann });
  project = await world.project({ owner: ann, namespaceId: group.id });
});

/** An issue by the API, and its path. */
async function made(given: object = {}): Promise<{ path: string; body: Json }> {
  const { status, body } = await api.post(`/projects/${project.id}/issues`, {
    title: world.unique('Issue '),
    ...given,
  });
  expect(status).toBe(201);
  return { path: `/projects/${project.id}/issues/${body.iid}`, body };
}

const WORDLESS = {
  type: 'ISSUE',
  issue_type: 'issue',
  severity: 'UNKNOWN',
  imported: false,
  imported_from: 'none',
  blocking_issues_count: 0,
  service_desk_reply_to: null,
  moved_to_id: null,
};

describe('The record of an issue', () => {
  it('says when and by whom it was closed, and nothing of it once it is open again', async () => {
    const { path, body } = await made();
    expect(body).toMatchObject({ ...WORDLESS, closed_at: null, closed_by: null });
    const developer = await world.user();
    await world.member(project, developer, 'developer');
    const closed = await world.api(developer).put(path, { state_event: 'close' });
    expect(closed.body).toMatchObject({ closed_by: { id: developer.id }, closed_at: expect.any(String) });
    expect((await api.get(path)).body.closed_at).toBe(closed.body.closed_at);
    const reopened = await api.put(path, { state_event: 'reopen' });
    expect(reopened.body).toMatchObject({ closed_by: null, closed_at: null });
    expect((await api.put(path, { state_event: 'close' })).body).toMatchObject({ closed_by: { id: ann.id } });
  });

  it('counts its tasks, and puts them into words where there are any', async () => {
    const { body } = await made({ description: '- [x] one\n- [ ] two\n- [ ] three\n\n    - no [ ] task' });
    expect(body).toMatchObject({
      has_tasks: true,
      task_status: '1 of 3 checklist items completed',
      task_completion_status: { count: 3, completed_count: 1 },
    });
    const { body: plain } = await made({ description: 'Nothing [ ] to do' });
    expect(plain).toMatchObject({ has_tasks: false, task_completion_status: { count: 0, completed_count: 0 } });
    expect(plain).not.toHaveProperty('task_status');
    expect((await made({ description: '1. [ ] one' })).body.task_status).toBe('0 of 1 checklist item completed');
  });

  it('has the addresses of what belongs to it, which answer', async () => {
    const { path, body } = await made();
    const self = `${world.url}/api/v4${path}`;
    expect(body._links).toEqual({
      self,
      notes: `${self}/notes`,
      award_emoji: `${self}/award_emoji`,
      project: `${world.url}/api/v4/projects/${project.id}`,
      closed_as_duplicate_of: null,
    });
    const links: string[] = Object.values(body._links as object).filter((link) => link !== null);
    for (const link of links) expect((await api.get(link.slice(`${world.url}/api/v4`.length))).status).toBe(200);
  });

  it('says how texts refer to it from the place of the list', async () => {
    const { path, body } = await made({ title: 'Referred to' });
    const short = `#${body.iid}`;
    const full = `${project.fullPath}${short}`;
    const inGroup = `${project.fullPath.slice(group.fullPath.length + 1)}${short}`;
    const of = async (list: string) =>
      (await api.get(`${list}?search=Referred+to&scope=all`)).body.map(({ references }: Json) => references);
    expect((await api.get(path)).body.references).toEqual({ short, relative: short, full });
    expect(await of(`/projects/${project.id}/issues`)).toEqual([{ short, relative: short, full }]);
    expect(await of(`/groups/${group.id}/issues`)).toEqual([{ short, relative: inGroup, full }]);
    expect(await of('/issues')).toEqual([{ short, relative: full, full }]);
  });

  it('counts the merge requests that close it, and names the issue that it became', async () => {
    const { path, body } = await made();
    await withTopic(world, project, ann);
    const { id } = await opened(world, project, ann, { description: `Closes #${body.iid}` });
    expect((await api.get(path)).body.merge_requests_count).toBe(1);
    await world.db.mergeRequest.update({ where: { id }, data: { state: 'closed' } });
    expect((await api.get(path)).body.merge_requests_count).toBe(1);
    const other = await world.project({ owner: ann });
    const moved = await api.post(`${path}/move`, { to_project_id: other.id });
    expect((await api.get(path)).body).toMatchObject({ moved_to_id: moved.body.id, state: 'closed' });
    expect((await api.post(`/projects/${other.id}/issues/${moved.body.iid}/add_spent_time?duration=1h`)).status).toBe(
      201,
    );
    const { body: record } = await api.get(`/projects/${other.id}/issues/${moved.body.iid}`);
    expect(record.time_stats).toMatchObject({ total_time_spent: 3600, human_total_time_spent: '1h' });
  });

  it('is read for a whole list by as many statements as for one issue', async () => {
    const one = await world.project({ owner: ann });
    for (let n = 0; n < 4; n += 1) {
      const { iid } = await world.issue(one, ann);
      await api.put(`/projects/${one.id}/issues/${iid}`, { state_event: 'close' });
    }
    const read = async (per: number) =>
      (await world.statements(async () => void (await api.get(`/projects/${one.id}/issues?per_page=${per}`)))).length;
    await read(4);
    expect(await read(4)).toBe(await read(1));
  });
});
