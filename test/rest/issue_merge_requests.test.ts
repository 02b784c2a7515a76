// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user();
const guest = await world.user();
let project: ProjectRow;
let hidden: ProjectRow;
let number = 0;

beforeAll(async () => {
  project = await world.project({ owner: ann, visibility: 'private' });
  hidden = await world.project({ owner: ann, visibility: 'private' });
  await world.member(project, guest, 'guest');
  for (const one of [project, hidden]) await withTopic(world, one, ann);
});

/** A merge request with that text, closed so that there can be another one of the branch. */
async function mergeRequest(description: string, { to = project } = {}) {
  number += 1;
  const made = await opened(world, to, ann, { title: `Merge ${number}`, description });
  await world.db.mergeRequest.update({ where: { id: made.id }, data: { state: 'closed' } });
  return made.id;
}

const at = ({ projectId, iid }: { projectId: number; iid: number }) => `/projects/${projectId}/issues/${iid}`;
const listed = async (who: TestUser, path: string): Promise<number[]> => {
  const { status, headers, body } = await world.api(who).get(path);
  expect([status, headers['x-total']]).toEqual([200, String(body.length)]);
  return body.map(({ id }: Json) => id);
};

describe('GET /projects/:id/issues/:issue_iid/related_merge_requests', () => {
  it('lists what mentions the issue in a text or note, or is mentioned by it, also in other projects', async () => {
    const issue = await world.issue(project, ann);
    const other = await world.issue(project, ann);
    const byText = await mergeRequest(`See #${issue.iid}`);
    const byNote = await mergeRequest('Says nothing');
    const elsewhere = await mergeRequest(`See ${project.fullPath}#${issue.iid}`, { to: hidden });
    const mentioned = await mergeRequest('Is mentioned');
    await mergeRequest(`See #${other.iid}`);
    const internal = await mergeRequest('Is said inside');
    const iidOf = async (id: number) => (await world.db.mergeRequest.findUniqueOrThrow({ where: { id } })).iid;
    const write = async (path: string, given: object) =>
      expect((await world.api(ann).post(`${path}/notes`, given)).status).toBe(201);
    await write(`/projects/${project.id}/merge_requests/${await iidOf(byNote)}`, { body: `About #${issue.iid}` });
    await write(at(issue), { body: `About !${await iidOf(mentioned)}` });
    await write(at(issue), { body: `About !${await iidOf(internal)}`, internal: true });
    const path = `${at(issue)}/related_merge_requests`;
    expect(await listed(ann, path)).toEqual([byText, byNote, elsewhere, mentioned]);
    expect(await listed(guest, path)).toEqual([]);
    const reporter = await world.user();
    await world.member(project, reporter, 'reporter');
    expect(await listed(reporter, path)).toEqual([byText, byNote, mentioned]);
    const [first] = (await world.api(ann).get(path)).body;
    expect(first).toMatchObject({
      id: byText,
      references: { short: expect.any(String) },
      diff_refs: expect.anything(),
    });
    expect(first).not.toHaveProperty('subscribed');
  });
});

describe('GET /projects/:id/issues/:issue_iid/closed_by', () => {
  it('lists the merge requests of the project that close the issue when they are merged', async () => {
    const issue = await world.issue(project, ann);
    const short = await mergeRequest(`Closes #${issue.iid}`);
    const full = await mergeRequest(`Fixes ${project.fullPath}#${issue.iid} and more`);
    await mergeRequest(`See #${issue.iid}, closes #${issue.iid + 1000}`);
    await mergeRequest(`Closes ${project.fullPath}#${issue.iid}`, { to: hidden });
    const aside = await mergeRequest(`Closes #${issue.iid}`);
    await world.db.mergeRequest.update({ where: { id: aside }, data: { targetBranch: 'aside' } });
    const path = `${at(issue)}/closed_by`;
    expect(await listed(ann, path)).toEqual([short, full]);
    expect((await world.api(ann).get(`${path}?per_page=1&page=2`)).body.map(({ id }: Json) => id)).toEqual([full]);
    expect(await listed(guest, path)).toEqual([]);
  });

  it('is read for all issues of a list by as many statements as for one', async () => {
    const one = await world.project({ owner: ann });
    await withTopic(world, one, ann);
    for (let n = 0; n < 4; n += 1) {
      const { iid } = await world.issue(one, ann);
      await mergeRequest(`Closes #${iid}`, { to: one });
    }
    const query = `query ($ref: ProjectRef!, $first: Int!) { project(ref: $ref) { issues(first: $first) { nodes {
      mergeRequestsCount closingMergeRequests { totalCount nodes { iid } } relatedMergeRequests { nodes { iid } } } } } }`;
    const ask = (first: number) => world.graphql(query, { ref: one.id, first }, ann);
    const statements = async (first: number) => (await world.statements(async () => void (await ask(first)))).length;
    await ask(4);
    expect(await statements(4)).toBe(await statements(1));
    const { nodes } = (await ask(4)).body.data.project.issues;
    expect(nodes.map((node: Json) => node.mergeRequestsCount)).toEqual([1, 1, 1, 1]);
    expect(nodes.map((node: Json) => node.relatedMergeRequests.nodes.length)).toEqual([1, 1, 1, 1]);
  });

  it('reads so much text at most for all issues of a list, and no more than the beginning of each', async () => {
    const one = await world.project({ owner: ann });
    await withTopic(world, one, ann);
    const issue = await world.issue(one, ann);
    const closing = `Closes #${issue.iid} ${'and says much '.repeat(2_000)}`;
    for (let iid = 1; iid <= 60; iid += 1) {
      const { id } = await world.mergeRequest(one, ann, { iid, targetBranch: 'master' });
      const late = iid === 1 && `${'x '.repeat(10_000)} ${closing}`;
      await world.db.mergeRequest.update({ where: { id }, data: { description: late || closing } });
      const on = { subjectType: 'Issue', subjectId: issue.id, authorId: ann.id, body: 'mentioned', system: true };
      await world.db.note.create({ data: { ...on, sourceType: 'MergeRequest', sourceId: id, mention: `${id}` } });
    }
    const { body } = await world.api(ann).get(`/projects/${one.id}/issues/${issue.iid}`);
    // 1,000,000 characters are the titles and 20,000 characters of 49, of which one closes nothing before that.
    expect(body.merge_requests_count).toBe(48);
  });
});
