import { beforeAll, describe, expect, it } from 'vitest';
import { gid } from '../../support/client_documents.ts';
import { mutator } from '../../support/compat_mutations.ts';
import type { Json } from '../../support/http.ts';
import { LONG } from '../../support/long.ts';
import { startWorld } from '../../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const [reporter, guest, outsider] = [await world.user(), await world.user(), await world.user()];
const { done, refused, missing, wrongClass } = mutator(world);
const group = await world.group({ owner });
const project = await world.project({ owner, namespaceId: group.id });
const elsewhere = await world.project({ owner });
const at = `/projects/${project.id}`;
const rest = async ({ iid }: { iid: number | string }): Promise<Json> =>
  (await world.api(owner).get(`${at}/issues/${iid}`)).body;
const type = (number: number) => gid('WorkItems::Type', number);
const item = ({ id }: { id: number }) => gid('WorkItem', id);
const shown = 'workItem { id iid title state workItemType { name } }';

beforeAll(async () => {
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  await world.issue(elsewhere, owner);
});

describe('workItemCreate', () => {
  it('creates one with widgets, in a project by either name of its path', async () => {
    const [label, milestone, parent] = [
      await world.label(project, owner),
      await world.milestone(project, owner),
      await world.issue(project, owner),
    ];
    for (const path of ['namespacePath', 'projectPath']) {
      const input = {
        [path]: project.fullPath,
        title: 'Part',
        workItemTypeId: type(5),
        confidential: true,
        descriptionWidget: { description: 'Text' },
        labelsWidget: { labelIds: [gid('ProjectLabel', label.id)] },
        milestoneWidget: { milestoneId: gid('Milestone', milestone.id) },
        assigneesWidget: { assigneeIds: [gid('User', reporter.id)] },
        hierarchyWidget: { parentId: item(parent) },
        startAndDueDateWidget: { dueDate: '2031-05-06', startDate: null },
      };
      const features =
        'features { hierarchy { parent { id } } startAndDueDate { dueDate } assignees { assignees { nodes { username } } } }';
      const { workItem } = await done(reporter, 'workItemCreate', input, shown.replace('}', `} ${features}`));
      const found = await rest(workItem);
      expect(workItem).toMatchObject({
        id: item(found),
        title: 'Part',
        state: 'OPEN',
        workItemType: { name: 'Task' },
        features: {
          hierarchy: { parent: { id: item(parent) } },
          startAndDueDate: { dueDate: '2031-05-06' },
          assignees: { assignees: { nodes: [{ username: reporter.username }] } },
        },
      });
      expect(found).toMatchObject({
        description: 'Text',
        labels: [label.title],
        milestone: { id: milestone.id },
        confidential: true,
      });
    }
  });

  it('creates issues and incidents, with links to others', async () => {
    const other = await world.issue(project, owner);
    for (const [number, name] of [
      [1, 'Issue'],
      [2, 'Incident'],
    ] as const) {
      const linkedItemsWidget = { workItemsIds: [item(other)], linkType: 'BLOCKED_BY' };
      const input = {
        namespacePath: project.fullPath,
        title: name,
        workItemTypeId: type(number),
        description: 'Plain',
        linkedItemsWidget,
      };
      const { workItem } = await done(reporter, 'workItemCreate', input, shown);
      expect(workItem.workItemType.name).toBe(name);
      const { body: links } = await world.api(owner).get(`${at}/issues/${workItem.iid}/links`);
      expect(links.map(({ iid, link_type }: Json) => [iid, link_type])).toEqual([[other.iid, 'is_blocked_by']]);
      expect((await rest(workItem)).description).toBe('Plain');
    }
  });

  it('tells of wrong values, and of what is paid, in the payload', async () => {
    const input = { namespacePath: project.fullPath, title: 'x', workItemTypeId: type(1) };
    const count = () => world.db.issue.count({ where: { projectId: project.id } });
    const before = await count();
    for (const wrong of [
      { title: '' },
      { workItemTypeId: type(8) },
      { weightWidget: { weight: 3 } },
      { healthStatusWidget: { healthStatus: 'onTrack' } },
      { iterationWidget: { iterationId: gid('Iteration', 1) } },
      { milestoneWidget: { milestoneId: gid('Milestone', 999_999) } },
      { startAndDueDateWidget: { startDate: '2031-01-01' } },
    ]) {
      await refused(reporter, 'workItemCreate', { ...input, ...wrong }, 'workItem');
    }
    await missing(reporter, 'workItemCreate', { ...input, labelsWidget: { labelIds: [gid('GroupLabel', 999_999)] } });
    await missing(reporter, 'workItemCreate', {
      ...input,
      linkedItemsWidget: { workItemsIds: [gid('WorkItem', 999_999)] },
    });
    expect(await count()).toBe(before);
  });

  it('is for those who see the project; groups have no work items of their own', async () => {
    const input = { namespacePath: project.fullPath, title: 'x', workItemTypeId: type(1) };
    for (const who of [outsider, undefined]) await missing(who, 'workItemCreate', input);
    for (const namespacePath of ['no/project', group.fullPath])
      await missing(owner, 'workItemCreate', { ...input, namespacePath });
    await missing(owner, 'workItemCreate', { title: 'x', workItemTypeId: type(1) });
    await wrongClass(
      owner,
      'workItemCreate',
      { ...input, workItemTypeId: gid('WorkItem', 1) },
      gid('WorkItem', 1),
      'WorkItems::Type',
    );
  });
});

describe('workItemUpdate', () => {
  it('changes what is given alone', LONG, async () => {
    const [add, remove] = [await world.label(project, owner), await world.label(project, owner)];
    const record = await world.issue(project, owner, { labels: [remove.title], description: 'Before' });
    const input = {
      id: item(record),
      title: 'After',
      stateEvent: 'CLOSE',
      labelsWidget: { addLabelIds: [gid('ProjectLabel', add.id)], removeLabelIds: [gid('ProjectLabel', remove.id)] },
      assigneesWidget: { assigneeIds: [gid('User', reporter.id)] },
      startAndDueDateWidget: { dueDate: '2031-05-06' },
    };
    const { workItem } = await done(reporter, 'workItemUpdate', input, shown);
    expect(workItem).toMatchObject({ id: item(record), title: 'After', state: 'CLOSED' });
    expect(await rest(record)).toMatchObject({
      title: 'After',
      state: 'closed',
      labels: [add.title],
      description: 'Before',
      due_date: '2031-05-06',
    });
    const back = {
      id: gid('Issue', record.id),
      stateEvent: 'REOPEN',
      descriptionWidget: { description: 'Now' },
      assigneesWidget: { assigneeIds: [] },
      startAndDueDateWidget: { dueDate: null },
    };
    await done(reporter, 'workItemUpdate', back, shown);
    expect(await rest(record)).toMatchObject({
      state: 'opened',
      description: 'Now',
      assignees: [],
      due_date: null,
      labels: [add.title],
    });
  });

  it('gives an item a parent and children, and takes the parent', async () => {
    const [parent, other] = [await world.issue(project, owner), await world.issue(project, owner)];
    const tasks = [
      await world.issue(project, owner, { type: 'task' }),
      await world.issue(project, owner, { type: 'task' }),
    ];
    const hierarchy =
      'workItem { widgets { ... on WorkItemWidgetHierarchy { parent { id } children { nodes { id } } } } }';
    const shownOf = ({ workItem }: Json) => workItem.widgets.find(({ children }: Json) => children);
    const withChildren = await done(
      reporter,
      'workItemUpdate',
      { id: item(parent), hierarchyWidget: { childrenIds: tasks.map(item) } },
      hierarchy,
    );
    expect(
      shownOf(withChildren)
        .children.nodes.map(({ id }: Json) => id)
        .sort(),
    ).toEqual(tasks.map(item).sort());
    const [task = parent] = tasks;
    const moved = await done(
      reporter,
      'workItemUpdate',
      { id: item(task), hierarchyWidget: { parentId: item(other) } },
      hierarchy,
    );
    expect(shownOf(moved).parent).toEqual({ id: item(other) });
    const freed = await done(
      reporter,
      'workItemUpdate',
      { id: item(task), hierarchyWidget: { parentId: null } },
      hierarchy,
    );
    expect(shownOf(freed).parent).toBeNull();
    await refused(
      reporter,
      'workItemUpdate',
      { id: item(other), hierarchyWidget: { parentId: item(parent) } },
      'workItem',
    );
    await missing(reporter, 'workItemUpdate', {
      id: item(parent),
      hierarchyWidget: { childrenIds: [gid('WorkItem', 999_999)] },
    });
    await refused(
      reporter,
      'workItemUpdate',
      { id: item(parent), hierarchyWidget: { childrenIds: Array(11).fill(item(task)) } },
      'workItem',
    );
  });

  it('tells of wrong values in the payload, and is for those who may', async () => {
    const record = await world.issue(project, owner);
    const id = item(record);
    for (const wrong of [
      { title: '' },
      { weightWidget: { weight: 1 } },
      { milestoneWidget: { milestoneId: gid('Milestone', 999_999) } },
    ]) {
      await refused(reporter, 'workItemUpdate', { id, ...wrong }, 'workItem');
    }
    for (const who of [guest, outsider, undefined]) await missing(who, 'workItemUpdate', { id, title: 'Mine' });
    await missing(reporter, 'workItemUpdate', { id: gid('WorkItem', 999_999), title: 'x' });
    await wrongClass(reporter, 'workItemUpdate', { id: gid('User', 1), title: 'x' }, gid('User', 1), 'WorkItem');
    expect((await rest(record)).title).toBe(record.title);
  });
});

describe('workItemConvert', () => {
  it('makes an issue a task, an incident, and an issue again', async () => {
    const record = await world.issue(project, owner);
    for (const [number, name] of [
      [5, 'Task'],
      [2, 'Incident'],
      [1, 'Issue'],
    ] as const) {
      const { workItem } = await done(
        reporter,
        'workItemConvert',
        { id: item(record), workItemTypeId: type(number) },
        shown,
      );
      expect([workItem.workItemType.name, (await rest(record)).issue_type]).toEqual([name, name.toLowerCase()]);
    }
    await refused(reporter, 'workItemConvert', { id: item(record), workItemTypeId: type(3) }, 'workItem');
    for (const who of [guest, outsider, undefined])
      await missing(who, 'workItemConvert', { id: item(record), workItemTypeId: type(5) });
    await missing(reporter, 'workItemConvert', { id: gid('WorkItem', 999_999), workItemTypeId: type(5) });
    await wrongClass(
      reporter,
      'workItemConvert',
      { id: gid('Note', 1), workItemTypeId: type(5) },
      gid('Note', 1),
      'WorkItem',
    );
  });
});

describe('workItemDelete', () => {
  it('deletes one, for owners', async () => {
    const record = await world.issue(project, owner);
    for (const who of [reporter, guest, outsider, undefined])
      await missing(who, 'workItemDelete', { id: item(record) });
    expect((await rest(record)).iid).toBe(record.iid);
    await done(owner, 'workItemDelete', { id: item(record) });
    expect((await world.api(owner).get(`${at}/issues/${record.iid}`)).status).toBe(404);
    await missing(owner, 'workItemDelete', { id: item(record) });
    await wrongClass(owner, 'workItemDelete', { id: gid('MergeRequest', 1) }, gid('MergeRequest', 1), 'WorkItem');
  });
});

describe('workItemAddLinkedItems and workItemRemoveLinkedItems', () => {
  const links = async ({ iid }: { iid: number }) =>
    (await world.api(owner).get(`${at}/issues/${iid}/links`)).body.map((one: Json) => [one.iid, one.link_type]).sort();

  it('link items in each way, several at once, and end links', LONG, async () => {
    const [record, one, two] = [
      await world.issue(project, owner),
      await world.issue(project, owner),
      await world.issue(project, owner),
    ];
    for (const [linkType, expected] of [
      ['RELATED', 'relates_to'],
      ['BLOCKS', 'blocks'],
      ['BLOCKED_BY', 'is_blocked_by'],
    ]) {
      await done(reporter, 'workItemAddLinkedItems', {
        id: item(record),
        workItemsIds: [item(one), item(two)],
        linkType,
      });
      expect(await links(record)).toEqual([
        [one.iid, expected],
        [two.iid, expected],
      ]);
      await done(reporter, 'workItemRemoveLinkedItems', { id: item(record), workItemsIds: [item(one)] });
      expect(await links(record)).toEqual([[two.iid, expected]]);
      await done(reporter, 'workItemRemoveLinkedItems', { id: item(record), workItemsIds: [item(two)] });
    }
    await done(reporter, 'workItemAddLinkedItems', { id: item(record), workItemsIds: [item(one)] });
    expect(await links(record)).toEqual([[one.iid, 'relates_to']]);
  });

  it.each(['workItemAddLinkedItems', 'workItemRemoveLinkedItems'])('%s: wrong items and people', async (name) => {
    const [record, other] = [await world.issue(project, owner), await world.issue(project, owner)];
    const input = { id: item(record), workItemsIds: [item(other)] };
    await refused(reporter, name, { ...input, workItemsIds: [] });
    await refused(reporter, name, { ...input, workItemsIds: Array(11).fill(item(other)) });
    await missing(reporter, name, { ...input, workItemsIds: [item(other), gid('WorkItem', 999_999)] });
    await missing(reporter, name, { ...input, id: gid('WorkItem', 999_999) });
    for (const who of [guest, outsider, undefined]) await missing(who, name, input);
    await wrongClass(reporter, name, { ...input, workItemsIds: [gid('Epic', 1)] }, gid('Epic', 1), 'WorkItem');
    expect(await links(record)).toEqual([]);
  });

  it('workItemAddLinkedItems tells of links that are there in the payload', async () => {
    const [record, other] = [await world.issue(project, owner), await world.issue(project, owner)];
    await done(reporter, 'workItemAddLinkedItems', { id: item(record), workItemsIds: [item(other)] });
    await refused(reporter, 'workItemAddLinkedItems', { id: item(record), workItemsIds: [item(other)] });
  });

  it('do nothing where the document leaves them out', async () => {
    const [record, one, two] = [
      await world.issue(project, owner),
      await world.issue(project, owner),
      await world.issue(project, owner),
    ];
    const query = `mutation ($input: WorkItemAddLinkedItemsInput!, $isWanted: Boolean!) {
      workItemAddLinkedItems(input: $input) @include(if: $isWanted) { errors }
    }`;
    const input = { id: item(record), workItemsIds: [item(one), item(two)] };
    const body = { query, variables: { input, isWanted: false } };
    const headers = { 'PRIVATE-TOKEN': owner.token };
    const answer = await world.send('POST', '/api/graphql', { headers, body });
    expect([answer.body, await links(record)]).toEqual([{ data: {} }, []]);
  });
});
