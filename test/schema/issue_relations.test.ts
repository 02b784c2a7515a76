import { describe, expect, it } from 'vitest';
import { MAX_AT_ONCE } from '#src/domain/tracking/issues/relations.ts';
import { gid } from '../support/client_documents.ts';
import { mutator } from '../support/compat_mutations.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, reporter, guest] = [await world.user(), await world.user(), await world.user()];
const group = await world.group({ owner, visibility: 'public' });
const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
/** The reporter is a guest here, and nobody in the other. */
const open = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
const secret = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
await world.member(project, reporter, 'reporter');
await world.member(project, guest, 'guest');
await world.member(open, reporter, 'guest');

type Made = Awaited<ReturnType<typeof world.issue>>;

const issue = (place = project) => world.issue(place, owner);
const task = (place = project) => world.issue(place, owner, { type: 'task' });

const SHOWN =
  'issue { databaseId iid parent { iid } children { nodes { iid } } links { nodes { linkType relatedIssue { databaseId } } } }';
const run = async (name: string, selection: string, input: Json, who: TestUser = reporter): Promise<Json> => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
  const { body } = await world.graphql(query, { input: { project: project.id, ...input } }, who);
  return body.errors ? body : body.data[name];
};
const create = (input: Json, who?: TestUser) => run('createIssue', SHOWN, { title: 'New', ...input }, who);
const update = ({ iid }: Made, input: Json, who?: TestUser) => run('updateIssue', SHOWN, { iid, ...input }, who);
const link = ({ iid }: Made, issueIds: unknown[], input: Json = {}, who?: TestUser) =>
  run(
    'createIssueLinks',
    'issueLinks { linkType source { databaseId } target { databaseId } }',
    { iid, issueIds, ...input },
    who,
  );
const unlink = ({ iid }: Made, issueIds: unknown[], who?: TestUser) =>
  run('deleteIssueLinks', 'deletedIssueLinkIds', { iid, issueIds }, who);

const codeOf = ({ errors }: Json) => errors?.[0].extensions.code;
const notes = async ({ id }: { id: number }): Promise<string[]> =>
  (await world.db.note.findMany({ where: { subjectType: 'Issue', subjectId: id }, orderBy: { id: 'asc' } })).map(
    ({ body }) => body,
  );
/** The numbers of the issues of the project in the order that people give them. */
const order = async (): Promise<number[]> =>
  (
    await world.api(owner).get(`/projects/${project.id}/issues?order_by=relative_position&sort=asc&per_page=100`)
  ).body.map(({ iid }: Json) => iid);
/** All that commands of this file write. */
const state = async () =>
  Promise.all([
    world.db.issue.count(),
    world.db.issueLink.count(),
    world.db.issueParent.count(),
    world.db.note.count(),
    world.db.event.count(),
    order(),
  ]);

describe('createIssue', () => {
  it('puts the issue among others in one go, and tells of it everywhere as single commands do', async () => {
    const [one, two, blocked, before] = [await task(), await task(), await issue(), await issue()];
    const links = [{ issueId: blocked.id, linkType: 'BLOCKS' }, { issueId: before.id }];
    const made = await create({ addChildIds: [one.id, two.id, one.id], links, afterId: before.id });
    expect(made.issue.children.nodes.map(({ iid }: Json) => iid).sort()).toEqual([one.iid, two.iid]);
    const linked = made.issue.links.nodes.map(({ linkType, relatedIssue }: Json) => [
      relatedIssue.databaseId,
      linkType,
    ]);
    expect(linked.sort()).toEqual([
      [blocked.id, 'BLOCKS'],
      [before.id, 'RELATES_TO'],
    ]);
    const { iid, databaseId: id } = made.issue;
    expect(await notes(one)).toEqual([`added #${iid} as parent`]);
    expect(await notes(blocked)).toEqual([`marked this issue as blocked by #${iid}`]);
    expect(await notes(before)).toEqual([`marked this issue as related to #${iid}`]);
    expect((await notes({ id })).sort()).toEqual(
      [
        `added #${one.iid} as child task`,
        `added #${two.iid} as child task`,
        `marked this issue as blocking #${blocked.iid}`,
        `marked this issue as related to #${before.iid}`,
      ].sort(),
    );
    const places = await order();
    expect(places.indexOf(iid)).toBe(places.indexOf(before.iid) + 1);
  });

  it('makes a task part of an issue, and places it before another', async () => {
    const [parent, next] = [await issue(), await issue()];
    const made = await create({ type: 'TASK', parentId: parent.id, beforeId: next.id });
    expect(made.issue.parent).toEqual({ iid: parent.iid });
    const places = await order();
    expect(places.indexOf(made.issue.iid)).toBe(places.indexOf(next.iid) - 1);
  });

  it('leaves nothing behind where one of the others is refused', LONG, async () => {
    const [part, plain, foreign, hidden] = [await task(), await issue(), await issue(open), await issue(secret)];
    const elsewhere = await world.issue(await world.project({ owner }), owner);
    const before = await state();
    for (const [input, code, told] of [
      [{ links: [{ issueId: plain.id }, { issueId: foreign.id }] }, 'NOT_FOUND', 'links.1.issueId'],
      [{ links: [{ issueId: plain.id }, { issueId: hidden.id }] }, 'NOT_FOUND', 'links.1.issueId'],
      [
        { links: [{ issueId: plain.id }, { issueId: plain.id, linkType: 'BLOCKS' }] },
        'VALIDATION_FAILED',
        'input.links.1',
      ],
      [{ addChildIds: [part.id, plain.id] }, 'VALIDATION_FAILED', 'addChildIds.1'],
      [{ addChildIds: [part.id, hidden.id] }, 'VALIDATION_FAILED', 'addChildIds.1'],
      [{ addChildIds: [part.id, 999_999] }, 'VALIDATION_FAILED', 'addChildIds.1'],
      [{ type: 'TASK', addChildIds: [part.id] }, 'VALIDATION_FAILED', 'addChildIds.0'],
      [{ addChildIds: [part.id], afterId: elsewhere.id }, 'BAD_REQUEST', 'afterId'],
      [{ links: [{ issueId: plain.id }], parentId: plain.id }, 'VALIDATION_FAILED', 'parentId'],
      [{ links: Array(MAX_AT_ONCE + 1).fill({ issueId: plain.id }) }, 'VALIDATION_FAILED', 'links'],
      [{ addChildIds: Array.from({ length: MAX_AT_ONCE + 1 }, (_, id) => id + 1) }, 'VALIDATION_FAILED', 'addChildIds'],
    ] as const) {
      const body = await create(input);
      expect([codeOf(body), JSON.stringify(body.errors)]).toEqual([code, expect.stringContaining(told)]);
    }
    for (const input of [{ links: [{ issueId: plain.id }] }, { addChildIds: [part.id] }, { afterId: plain.id }]) {
      expect(codeOf(await create(input, guest))).toBe('FORBIDDEN');
    }
    expect(await state()).toEqual(before);
  });
});

describe('updateIssue', () => {
  it('adds tasks to those that an issue has, takes them from others, and places it', async () => {
    const [parent, former, one, two, other] = [await issue(), await issue(), await task(), await task(), await issue()];
    await update(former, { addChildIds: [two.id] });
    await update(parent, { addChildIds: [one.id] });
    const { issue: found } = await update(parent, {
      title: 'Whole',
      addChildIds: [one.id, two.id],
      beforeId: other.id,
    });
    expect(found.children.nodes.map(({ iid }: Json) => iid).sort()).toEqual([one.iid, two.iid]);
    expect(await notes(two)).toEqual([
      `added #${former.iid} as parent`,
      `removed parent #${former.iid}`,
      `added #${parent.iid} as parent`,
    ]);
    expect(await notes(one)).toHaveLength(1);
    const places = await order();
    expect(places.indexOf(parent.iid)).toBe(places.indexOf(other.iid) - 1);
  });

  it('says whether anything changed', async () => {
    const [parent, one] = [await issue(), await task()];
    const changed = async () =>
      (await run('updateIssue', 'changed', { iid: parent.iid, addChildIds: [one.id] })).changed;
    expect([await changed(), await changed()]).toEqual([true, false]);
  });

  it('leaves all as it was where one of the others is refused', async () => {
    const [parent, part, plain, foreign] = [await issue(), await task(), await issue(), await task(open)];
    const before = await state();
    for (const input of [
      { title: 'Other', addChildIds: [part.id, foreign.id] },
      { title: 'Other', addChildIds: [part.id, plain.id] },
      { title: 'Other', addChildIds: [part.id], afterId: foreign.id },
    ]) {
      expect(['VALIDATION_FAILED', 'BAD_REQUEST']).toContain(codeOf(await update(parent, input)));
    }
    expect(codeOf(await update(parent, { addChildIds: [part.id] }, guest))).toBe('FORBIDDEN');
    expect(await state()).toEqual(before);
    expect((await world.db.issue.findUniqueOrThrow({ where: { id: parent.id } })).title).toBe(parent.title);
  });

  it('gives two issues each other’s tasks at the same time without waiting for ever', async () => {
    const [one, other] = [await issue(), await issue()];
    const parts = [await task(), await task(), await task(), await task()].map(({ id }) => id);
    const answers = await Promise.all([
      update(one, { addChildIds: parts }),
      update(other, { addChildIds: [...parts].reverse() }),
      ...parts.map((id) => link(one, [id, other.id])),
    ]);
    const deadlocked = answers.filter((body) => codeOf(body) !== undefined && codeOf(body) !== 'CONFLICT');
    expect(deadlocked).toEqual([]);
    expect(await world.db.issueParent.count({ where: { issueId: { in: parts } } })).toBe(parts.length);
  });
});

describe('createIssueLinks and deleteIssueLinks', () => {
  it('link an issue with several others, and end that', async () => {
    const [from, one, two, kept] = [await issue(), await issue(), await issue(), await issue()];
    const { issueLinks } = await link(from, [one.id, two.id, one.id, kept.id], { linkType: 'IS_BLOCKED_BY' });
    expect(issueLinks.map(({ source, target }: Json) => [source.databaseId, target.databaseId])).toEqual([
      [one.id, from.id],
      [two.id, from.id],
      [kept.id, from.id],
    ]);
    expect((await unlink(from, [one.id, two.id])).deletedIssueLinkIds).toHaveLength(2);
    expect(await world.db.issueLink.count({ where: { targetId: from.id } })).toBe(1);
    expect(await notes(one)).toEqual([
      `marked this issue as blocking #${from.iid}`,
      `removed the relation with #${from.iid}`,
    ]);
    expect(await notes(from)).toHaveLength(5);
  });

  it('ask for the rights of each of the others, and do all or nothing', async () => {
    const [from, one, linked, foreign, hidden] = [
      await issue(),
      await issue(),
      await issue(),
      await issue(open),
      await issue(secret),
    ];
    await link(from, [linked.id]);
    await run('createIssueLinks', 'issueLinks { id }', { iid: from.iid, issueIds: [foreign.id, hidden.id] }, owner);
    const before = await state();
    const refusals: [Json, string][] = [
      [await link(from, [one.id, foreign.id]), 'NOT_FOUND'],
      [await link(from, [one.id, hidden.id]), 'NOT_FOUND'],
      [await link(from, [one.id, from.id]), 'NOT_FOUND'],
      [await link(from, [one.id, 999_999]), 'NOT_FOUND'],
      [await link(from, [one.id, linked.id]), 'CONFLICT'],
      [await link(from, []), 'VALIDATION_FAILED'],
      [await link(from, Array(MAX_AT_ONCE + 1).fill(one.id)), 'VALIDATION_FAILED'],
      [await link(from, [one.id], {}, guest), 'NOT_FOUND'],
      [await unlink(from, [linked.id, one.id]), 'NOT_FOUND'],
      [await unlink(from, [linked.id, hidden.id]), 'NOT_FOUND'],
      [await unlink(from, [linked.id], guest), 'FORBIDDEN'],
      [await unlink(from, []), 'VALIDATION_FAILED'],
    ];
    expect(refusals.map(([body]) => codeOf(body))).toEqual(refusals.map(([, code]) => code));
    expect(await state()).toEqual(before);
    // Who sees the other issue may end the link without any right there.
    expect((await unlink(from, [linked.id, foreign.id])).deletedIssueLinkIds).toHaveLength(2);
  });
});

describe('At /api/graphql', () => {
  const { done, refused, missing } = mutator(world);
  const item = ({ id }: { id: number }) => gid('WorkItem', id);

  it('mutations of several steps leave nothing behind where one of their targets is refused', LONG, async () => {
    const [from, one, part, foreign, hidden] = [
      await issue(),
      await issue(),
      await task(),
      await issue(open),
      await issue(secret),
    ];
    const before = await state();
    const input = { namespacePath: project.fullPath, title: 'New', workItemTypeId: gid('WorkItems::Type', 1) };
    const withLinks = (...others: Made[]) => ({ ...input, linkedItemsWidget: { workItemsIds: others.map(item) } });
    await missing(reporter, 'workItemCreate', withLinks(one, foreign));
    await missing(reporter, 'workItemCreate', withLinks(one, hidden));
    await missing(guest, 'workItemCreate', withLinks(one));
    for (const other of [foreign, hidden]) {
      await missing(reporter, 'workItemAddLinkedItems', { id: item(from), workItemsIds: [item(one), item(other)] });
    }
    await missing(reporter, 'workItemRemoveLinkedItems', { id: item(from), workItemsIds: [item(one)] });
    const children = (...all: Made[]) => ({
      id: item(from),
      title: 'Other',
      hierarchyWidget: { childrenIds: all.map(item) },
    });
    expect(await refused(reporter, 'workItemUpdate', children(part, one), 'workItem')).toEqual(['Child is not a task']);
    await refused(reporter, 'workItemUpdate', children(part, foreign), 'workItem');
    await missing(reporter, 'workItemUpdate', children(part, hidden));
    const beside = {
      id: item(from),
      hierarchyWidget: { childrenIds: [item(part)], adjacentWorkItemId: item(foreign) },
    };
    await refused(reporter, 'workItemUpdate', beside, 'workItem');
    const moved = { projectPath: project.fullPath, title: 'New', moveAfterId: gid('Issue', foreign.id) };
    await refused(reporter, 'createIssue', moved, 'issue');
    expect(await state()).toEqual(before);
  });

  it('createIssue and workItemUpdate place an issue among others', async () => {
    const [one, two] = [await issue(), await issue()];
    const title = 'Between';
    const place = { moveBeforeId: gid('Issue', one.id) };
    const made = await done(
      reporter,
      'createIssue',
      { projectPath: project.fullPath, title, ...place },
      'issue { iid }',
    );
    const places = await order();
    expect(places.indexOf(Number(made.issue.iid))).toBe(places.indexOf(one.iid) + 1);
    const hierarchyWidget = { adjacentWorkItemId: item(one), relativePosition: 'BEFORE' };
    await done(reporter, 'workItemUpdate', { id: item(two), hierarchyWidget });
    const after = await order();
    expect(after.indexOf(two.iid)).toBe(after.indexOf(one.iid) - 1);
  });
});
