// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { MAX_LINKS } from '#src/domain/tracking/issues/links.ts';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user();
const reporter = await world.user();
const guest = await world.user();
let open: ProjectRow;
let closed: ProjectRow;

beforeAll(async () => {
  open = await world.project({ owner: ann, visibility: 'public' });
  closed = await world.project({ owner: ann, visibility: 'private' });
  await world.member(open, reporter, 'reporter');
  await world.member(open, guest, 'guest');
});

interface Made extends Numbered {
  id: number;
  title: string;
}

interface Numbered {
  iid: number;
  projectId: number;
}
const at = ({ projectId, iid }: Numbered) => `/projects/${projectId}/issues/${iid}`;
const to = ({ projectId, iid }: Numbered) => ({ target_project_id: projectId, target_issue_iid: iid });
const link = async (one: Numbered, another: Numbered): Promise<Json> => {
  const { status, body } = await world.api(ann).post(`${at(one)}/links`, to(another));
  expect(status).toBe(201);
  return body;
};
const notes = async (who: TestUser, issue: Numbered): Promise<string[]> =>
  (await world.api(who).get(`${at(issue)}/notes`)).body.map(({ body }: Json) => body);
const related = async (who: TestUser, issue: Numbered): Promise<number[]> => {
  const { status, headers, body } = await world.api(who).get(`${at(issue)}/links`);
  expect([status, headers['x-total']]).toEqual([200, String(body.length)]);
  return body.map(({ id }: Json) => id);
};
/** So many new issues, in their order. */
async function issues(count: number, project = open, input = {}): Promise<Made[]> {
  const made: Made[] = [];
  while (made.length < count) made.push(await world.issue(project, ann, input));
  return made;
}

describe('POST /projects/:id/issues/:issue_iid/links', () => {
  it('links two issues, and says so on both, each by its name there', async () => {
    const [one] = (await issues(1)) as [Made];
    const [other] = (await issues(1, closed)) as [Made];
    const body = await link(one, other);
    expect(body).toMatchObject({
      link_type: 'relates_to',
      source_issue: { id: one.id, title: one.title, labels: [] },
      target_issue: { id: other.id, project_id: closed.id },
    });
    expect(await notes(ann, one)).toEqual([`marked this issue as related to ${closed.fullPath}#${other.iid}`]);
    expect(await notes(ann, other)).toEqual([`marked this issue as related to ${open.fullPath}#${one.iid}`]);
    expect(await notes(guest, one)).toEqual([]);
  });

  it('names the issue of the same project by its number', async () => {
    const [one, other] = (await issues(2)) as [Made, Made];
    await link(one, other);
    expect(await notes(ann, one)).toEqual([`marked this issue as related to #${other.iid}`]);
  });

  it('links two issues once, in whichever direction', async () => {
    const [one, other] = (await issues(2)) as [Made, Made];
    const answers = await Promise.all([
      world.api(ann).post(`${at(one)}/links`, to(other)),
      world.api(ann).post(`${at(other)}/links`, to(one)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const again = await world.api(ann).post(`${at(one)}/links`, to(other));
    expect(again).toMatchObject({ status: 409, body: { message: 'Issue(s) already assigned' } });
    expect(await related(ann, one)).toHaveLength(1);
  });

  it('finds no issue to link in itself, where there is none, and for those who are no reporters on both sides', async () => {
    const [one, secret] = (await issues(2)) as [Made, Made];
    const [hidden] = (await issues(1, closed)) as [Made];
    const message = 'No matching issue found. Make sure that you are adding a valid issue URL.';
    const tried: [TestUser, Numbered, Numbered][] = [
      [ann, one, one],
      [ann, one, { ...one, iid: 9999 }],
      [ann, one, { projectId: 0, iid: 1 }],
      [reporter, one, hidden],
      [guest, one, secret],
    ];
    for (const [who, source, target] of tried) {
      const answer = await world.api(who).post(`${at(source)}/links`, to(target));
      expect(answer).toMatchObject({ status: 404, body: { message } });
    }
    expect(await world.db.issueLink.count({ where: { sourceId: one.id } })).toBe(0);
  });

  it('refuses other types, and wants to know the issue', async () => {
    const [one, other] = (await issues(2)) as [Made, Made];
    const post = async (given: object) => (await world.api(ann).post(`${at(one)}/links`, given)).body.error;
    expect(await post({ ...to(other), link_type: 'hinders' })).toBe('link_type does not have a valid value');
    expect(await post({ target_project_id: open.id })).toBe('target_issue_iid is missing');
  });

  it('makes at most 100 links of an issue', async () => {
    const [one, last] = (await issues(2)) as [Made, Made];
    const data = Array.from({ length: MAX_LINKS }, (_, n) => {
      return { projectId: open.id, iid: 10_000 + n, title: 'Many', authorId: ann.id };
    });
    const many = await world.db.issue.createManyAndReturn({ data, select: { id: true } });
    await world.db.issueLink.createMany({ data: many.map(({ id }) => ({ sourceId: id, targetId: one.id })) });
    expect(await world.api(ann).post(`${at(one)}/links`, to(last))).toMatchObject({ status: 400 });
  });
});

describe('GET /projects/:id/issues/:issue_iid/links', () => {
  it('lists related issues from both ends, oldest link first, each with its link', async () => {
    const [one, b, c] = (await issues(3)) as [Made, Made, Made];
    const [first, second] = [await link(c, one), await link(one, b)];
    const { body } = await world.api(ann).get(`${at(one)}/links`);
    expect(body).toMatchObject([
      { iid: c.iid, issue_link_id: first.id, link_type: 'relates_to', state: 'opened' },
      { iid: b.iid, issue_link_id: second.id, link_created_at: expect.any(String), author: { id: ann.id } },
    ]);
    expect(body[0]).not.toHaveProperty('issue');
    expect(await world.api(ann).get(`${at(b)}/links/${second.id}`)).toEqual(
      expect.objectContaining({ status: 200, body: second }),
    );
    expect(await world.api(ann).get(`${at(c)}/links/${second.id}`)).toMatchObject({ status: 404 });
  });

  it('hides issues that the reader may not see, in the list, by number and as a node', async () => {
    const [one, seen] = (await issues(2)) as [Made, Made];
    const [confidential] = (await issues(1, open, { confidential: true })) as [Made];
    const [elsewhere] = (await issues(1, closed)) as [Made];
    const [deleted] = (await issues(1)) as [Made];
    const hidden = [await link(one, confidential), await link(elsewhere, one)];
    await link(one, deleted);
    await world.api(ann).delete(at(deleted));
    await link(one, seen);
    expect(await related(guest, one)).toEqual([seen.id]);
    expect(await related(ann, one)).toHaveLength(3);
    expect(await related(reporter, one)).toHaveLength(2);
    expect(await notes(guest, one)).toEqual([`marked this issue as related to #${seen.iid}`]);
    const node = 'query ($id: ID!) { node(id: $id) { ... on IssueLink { source { title } target { title } } } }';
    for (const { id } of hidden) {
      expect(await world.api(guest).get(`${at(one)}/links/${id}`)).toMatchObject({ status: 404 });
      const asked = (who: TestUser) => world.graphql(node, { id: toGlobalId('IssueLink', id) }, who);
      expect((await asked(guest)).body).toEqual({ data: { node: null } });
      expect((await asked(ann)).body.data.node.source.title).toEqual(expect.any(String));
    }
  });

  it('is read with one statement for the links of all issues of a list, and one for the related issues', async () => {
    const project = await world.project({ owner: ann });
    const many = (await issues(5, project)) as [Made, ...Made[]];
    for (const [n, issue] of many.slice(1).entries()) await link(issue, many[n] as Made);
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) {
      issues { nodes { iid links { totalCount nodes { relatedIssue { iid } } } } } } }`;
    const ask = () => world.graphql(query, { ref: project.id }, ann);
    const { body } = await ask();
    expect(body.data.project.issues.nodes.map(({ links }: Json) => links.totalCount)).toEqual([1, 2, 2, 2, 1]);
    const [first] = body.data.project.issues.nodes;
    expect(first.links.nodes[0].relatedIssue.iid).toBe(first.iid - 1);
    const statements = await world.statements(async () => void (await ask()));
    expect(statements.filter((statement) => /issue_links/.test(statement))).toHaveLength(1);
    expect(statements.length).toBeLessThanOrEqual(6);
  });
});

describe('DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id', () => {
  it('removes the link from either end, answers with it, and says so on both', async () => {
    const [one, other, third] = (await issues(3)) as [Made, Made, Made];
    const made = await link(one, other);
    const kept = await link(one, third);
    expect(await world.api(ann).delete(`${at(third)}/links/${made.id}`)).toMatchObject({ status: 404 });
    expect(await world.api(guest).delete(`${at(other)}/links/${made.id}`)).toMatchObject({ status: 403 });
    const { status, body } = await world.api(reporter).delete(`${at(other)}/links/${made.id}`);
    expect([status, body.id, body.target_issue.iid, body.link_type]).toEqual([200, made.id, other.iid, 'relates_to']);
    expect(await world.api(ann).delete(`${at(one)}/links/${made.id}`)).toMatchObject({ status: 404 });
    expect((await notes(ann, one)).at(-1)).toBe(`removed the relation with #${other.iid}`);
    expect((await notes(ann, other)).at(-1)).toBe(`removed the relation with #${one.iid}`);
    expect(await world.db.issueLink.count({ where: { id: kept.id } })).toBe(1);
  });
});

describe('A moved issue', () => {
  it('takes its links along', async () => {
    const [one, other, third] = (await issues(3)) as [Made, Made, Made];
    await link(one, other);
    await link(third, one);
    const { body } = await world.api(ann).post(`${at(one)}/move`, { to_project_id: closed.id });
    expect(await related(ann, { projectId: closed.id, iid: body.iid })).toEqual([other.id, third.id]);
    expect(await related(ann, one)).toEqual([]);
  });
});
