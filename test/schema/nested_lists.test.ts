import { describe, expect, it } from 'vitest';
import { itEveryNth, LONG } from '../support/long.ts';
import { asker, below, expectStatementPerLevel, type Level } from '../support/nested_lists.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ask = asker(world);
const owner = await world.user();
const [viewer, stranger] = [await world.user(), await world.user()];

/** A project with that many of everything, some of them seen by few. */
async function filled(count: number) {
  const project = await world.project({ owner, visibility: 'internal' });
  await world.member(project, viewer, 'guest');
  for (let n = 0; n < count; n += 1) {
    const [label, milestone] = [await world.label(project, owner), await world.milestone(project, owner)];
    const more = { labels: [label.title], milestoneId: milestone.id, assigneeId: n % 2 ? viewer.id : owner.id };
    const issue = await world.issue(project, owner, more);
    const on = { subjectType: 'Issue', subjectId: issue.id, authorId: owner.id };
    const hidden = { system: true, sourceType: 'Issue', sourceId: 0, sourceProjectId: project.id };
    for (let m = 0; m <= n; m += 1) {
      const note = await world.db.note.create({ data: { ...on, body: `Note ${m}` } });
      const heart = { subjectType: 'Note', subjectId: note.id, userId: viewer.id, name: 'heart' };
      await world.db.awardEmoji.create({ data: heart });
    }
    await world.db.note.create({ data: { ...on, ...hidden, body: 'from what is gone' } });
    await world.issue(project, owner, { ...more, confidential: true });
    await world.mergeRequest(project, owner, { iid: n + 1, milestoneId: milestone.id });
  }
  return project;
}

const projects = [await filled(1), await filled(2), await filled(3), await filled(0)];
const closed = await world.project({ owner, visibility: 'internal' });
await world.db.project.update({
  where: { id: closed.id },
  data: { issuesEnabled: false, mergeRequestsEnabled: false },
});

const ISSUES = `totalCount nodes { iid title labelTitles upvotes webUrl author { username } assignee { name }
  milestone { title } }`;
const MILESTONES = `totalCount nodes { title issues(first: 2) { ${ISSUES} } mergeRequests { totalCount nodes { title webUrl
  author { username } } } }`;
const LABELS = 'totalCount nodes { title openIssuesCount closedIssuesCount openMergeRequestsCount viewerSubscribed }';

/** Lists of projects and of users, with what each of their records holds. */
const LEVELS: Record<string, Level> = {
  issues: { selection: `issues(first: 2) { ${ISSUES} }`, levels: 2 },
  'issues by labels and text': {
    selection: `issues(filter: { search: "Issue", labels: ["label1"] }) { ${ISSUES} }`,
    levels: 2,
  },
  'notes on issues, with their awards': {
    selection: `issues(first: 6) { nodes { iid notes(first: 2) { totalCount nodes { body system author { name }
      awards(first: 2) { totalCount nodes { name user { username } } } } } awards(first: 2) { totalCount nodes { name } } } }`,
    levels: 5,
  },
  labels: { selection: `labels { ${LABELS} }`, levels: 2 },
  milestones: { selection: 'milestones { totalCount nodes { title state } }', levels: 2 },
  'milestones with their issues': {
    selection: `milestones { totalCount nodes { title issues(first: 2) { ${ISSUES} } } }`,
    levels: 3,
  },
};

describe('Below a list, lists of', () => {
  const cases = Object.entries(LEVELS);

  itEveryNth(2, cases)('%s take one statement for a level, however many records are above', async (_, one) => {
    await expectStatementPerLevel(world, one, owner);
  });

  itEveryNth(4, cases)('%s hold what each holds when it is asked for alone, for whoever asks', async (_, one) => {
    for (const who of [owner, viewer, stranger]) {
      const { nodes } = (await ask(below(6, one.selection), who)).projects;
      expect(nodes.length).toBeGreaterThanOrEqual(projects.length);
      for (const node of nodes) {
        const alone = await ask(`{ project(ref: ${node.databaseId}) { databaseId ${one.selection} } }`, who);
        expect(node).toEqual(alone.project);
      }
    }
  });

  it('authored issues take one statement for all users, and hold what each holds alone', LONG, async () => {
    const selection = `username issues { ${ISSUES} }`;
    const list = (first: number) => `{ users(first: ${first}) { nodes { databaseId ${selection} } } }`;
    const count = async (first: number) => (await world.statements(() => ask(list(first), viewer))).length;
    expect(await count(3)).toBe(await count(1));
    for (const node of (await ask(list(10), viewer)).users.nodes) {
      expect(node).toEqual((await ask(`{ user(id: ${node.databaseId}) { databaseId ${selection} } }`, viewer)).user);
    }
  });

  it('milestones hold their merge requests, whoever may read them', async () => {
    const selection = `milestones { ${MILESTONES} }`;
    for (const who of [owner, viewer]) {
      const { nodes } = (await ask(below(4, selection), who)).projects;
      for (const node of nodes) {
        const alone = await ask(`{ project(ref: ${node.databaseId}) { databaseId ${selection} } }`, who);
        expect(node).toEqual(alone.project);
      }
    }
  });
});

describe('The same list at two places of a document', () => {
  it('is read as each place asks for it, also out of a fragment', async () => {
    const query = `{ a: projects(first: 3, sort: ASC) { nodes { ...Listed issues(first: 2) { nodes { iid webUrl } } } }
        b: projects(first: 3, sort: ASC) { nodes { ...Listed } } }
      fragment Listed on Project { issues(first: 2) { nodes { title } } }`;
    const { a, b } = await ask(query, owner);
    const titles = (list: { nodes: { issues: { nodes: { title: string }[] } }[] }) =>
      list.nodes.map(({ issues }) => issues.nodes.map(({ title }) => title));
    expect(titles(a)).toEqual(titles(b));
    expect(a.nodes[0].issues.nodes[0].webUrl).toContain('/issues/');
  });

  it('reads what a variable leaves out at one time and asks for at another', async () => {
    const query = `query ($with: Boolean!) { project(ref: ${projects[1]?.id}) { issues { nodes { iid
      title @include(if: $with) ... @skip(if: $with) { author { username } } } } } }`;
    for (const wanted of [true, false, true]) {
      const { body } = await world.graphql(query, { with: wanted }, owner);
      expect(body.errors).toBeUndefined();
      const [node] = body.data.project.issues.nodes;
      expect(Object.keys(node)).toEqual(wanted ? ['iid', 'title'] : ['iid', 'author']);
    }
  });
});
