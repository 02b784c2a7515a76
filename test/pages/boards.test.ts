// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const SCRIPT = '<script>alert(1)</script>';

/** A project in a group, each with a board that has the lists `Doing` and `Review`, labels of the group. */
async function planned() {
  const owner = await world.user();
  const group = await world.group({ owner, visibility: 'private' });
  const project = await world.project({ owner, namespaceId: group.id });
  const api = world.api(owner);
  const boards: Record<'project' | 'group', number> = { project: 0, group: 0 };
  boards.project = (await world.db.board.findFirstOrThrow({ where: { projectId: project.id } })).id;
  boards.group = (await world.db.board.create({ data: { groupId: group.id } })).id;
  const labels: number[] = [];
  for (const name of ['Doing', 'Review']) {
    const { body } = await api.post(`/groups/${group.id}/labels`, { name, color: '#00aa00' });
    labels.push(body.id);
    await api.post(`/projects/${project.id}/boards/${boards.project}/lists`, { label_id: body.id });
    await api.post(`/groups/${group.id}/boards/${boards.group}/lists`, { label_id: body.id });
  }
  const at = {
    project: `/${project.fullPath}/-/boards/${boards.project}`,
    group: `/groups/${group.fullPath}/-/boards/${boards.group}`,
  };
  return { owner, group, project, boards, labels, at };
}

let all: Awaited<ReturnType<typeof planned>>;
beforeAll(async () => {
  all = await planned();
});

/** The titles on the cards of each column, by its heading. */
function columnsOn(page: string): Record<string, string[]> {
  const sections = page.split('<section class="board-list"').slice(1);
  return Object.fromEntries(
    sections.map((section) => {
      const heading = /<h2[^>]*>([\s\S]*?)<span class="count">/
        .exec(section)?.[1]
        ?.replace(/<[^>]*>/g, '')
        .trim();
      const titles = [...section.matchAll(/class="card-title">(?:<svg[\s\S]*?<\/svg> )?<a [^>]*>([^<]*)</g)];
      return [heading ?? '', titles.map(([, title]) => title ?? '')];
    }),
  );
}

const listsOf = (boardId: number) =>
  world.db.boardList.findMany({ where: { boardId }, orderBy: [{ rank: 'asc' }, { id: 'asc' }] });
const titlesOf = async (id: number) =>
  (await world.db.issueLabel.findMany({ where: { issueId: id }, select: { label: { select: { title: true } } } }))
    .map(({ label }) => label.title)
    .sort();

describe.each(['project', 'group'] as const)('The board of a %s', (kind) => {
  it('has open issues without the labels of its lists, those of each list, and closed ones', async () => {
    const { owner, group, project, at } = await planned();
    const guest = await world.user();
    await world.member(group, guest, 'guest');
    const elsewhere = await world.project({ owner });
    await world.issue(project, owner, { title: `Later ${SCRIPT}`, labels: ['bug'] });
    await world.issue(project, owner, { title: 'Now', labels: ['Doing', 'bug'] });
    await world.issue(project, owner, { title: 'Unspoken', labels: ['Review'], confidential: true });
    const done = await world.issue(project, owner, { title: 'Done', labels: ['Doing'] });
    await world.api(owner).put(`/projects/${project.id}/issues/${done.iid}`, { state_event: 'close' });
    await world.issue(elsewhere, owner, { title: 'Outside' });
    const browser = await signedIn(world, owner);
    await browser.get(at[kind]);
    const later = 'Later &lt;script&gt;alert(1)&lt;/script&gt;';
    expect(columnsOn(browser.page)).toEqual({ Open: [later], Doing: ['Now'], Review: ['Unspoken'], Closed: ['Done'] });
    expect(browser.page).toContain(`href="/${project.fullPath}/-/issues/2"`);
    await browser.get(at[kind].replace(/\/\d+$/, ''));
    expect(browser.answer.headers.location).toBe(at[kind]);
    const reader = await signedIn(world, guest);
    await reader.get(at[kind]);
    expect(columnsOn(reader.page)).toEqual({ Open: [later], Doing: ['Now'], Review: [], Closed: ['Done'] });
    for (const offered of ['>Move<', 'data-iid=', 'Add a list', 'Remove list', 'Edit board', 'New board'])
      expect([offered, reader.page.includes(offered)]).toEqual([offered, false]);
    expect((await (await signedIn(world, await world.user())).get(at[kind])).status).toBe(404);
    expect([303, 404]).toContain((await new Browser(world.send).get(at[kind])).status);
  });

  it('moves an issue between lists, closes it and reopens it, by the form of its card', async () => {
    const { owner, project, at, boards } = await planned();
    const issue = await world.issue(project, owner, { title: 'Task', labels: ['bug'] });
    const [doing, review] = (await listsOf(boards[kind])).map(({ id }) => String(id));
    const browser = await signedIn(world, owner);
    const card = { issueProject: project.fullPath, iid: String(issue.iid) };
    const state = async () => (await world.db.issue.findUniqueOrThrow({ where: { id: issue.id } })).state;
    await browser.get(at[kind]);
    expect(browser.page).not.toContain('Move to');
    const link = /href="([^"]*move=[^"]*)#move"/.exec(browser.page)?.[1]?.replaceAll('&amp;', '&');
    await browser.get(link ?? '');
    expect(browser.page).toContain('Move to');
    expect(browser.page).toContain(`name="toListId" value="${doing}"`);
    await browser.submit(`${at[kind]}/move`, { ...card, toListId: doing ?? '' });
    expect(browser.answer.headers.location).toBe(at[kind]);
    expect(await titlesOf(issue.id)).toEqual(['Doing', 'bug']);
    await browser.submit(`${at[kind]}/move`, { ...card, fromListId: doing ?? '', toListId: review ?? '' });
    expect(await titlesOf(issue.id)).toEqual(['Review', 'bug']);
    await browser.submit(`${at[kind]}/move`, { ...card, fromListId: review ?? '', stateEvent: 'close' });
    expect([await titlesOf(issue.id), await state()]).toEqual([['bug'], 'closed']);
    // As the script sends it, with all fields.
    const reopening = { fromListId: '', toListId: doing ?? '', stateEvent: 'reopen' };
    await browser.submit(`${at[kind]}/move`, { ...card, ...reopening });
    expect([await titlesOf(issue.id), await state()]).toEqual([['Doing', 'bug'], 'opened']);
    await browser.submit(`${at[kind]}/move`, { ...card, fromListId: doing ?? '', toListId: '', stateEvent: '' });
    expect(await titlesOf(issue.id)).toEqual(['bug']);
    await browser.submit(`${at[kind]}/move`, card);
    expect(browser.answer.status).toBe(422);
    expect(browser.page).toContain('Name the list to move the issue from, or to');
  });

  it('gets lists, which are arranged and removed, by those who may manage it alone', async () => {
    const { owner, group, project, at, boards } = await planned();
    const guest = await world.user();
    await world.member(group, guest, 'guest');
    const whose = kind === 'project' ? `/projects/${project.id}` : `/groups/${group.id}`;
    const { body: label } = await world.api(owner).post(`${whose}/labels`, { name: 'Testing', color: '#00aa00' });
    const order = async () => (await listsOf(boards[kind])).map(({ labelId }) => labelId);
    const before = await order();
    const browser = await signedIn(world, owner);
    const reader = await signedIn(world, guest);
    await Promise.all([browser.get(at[kind]), reader.get(at[kind])]);
    expect(browser.page).toContain('>Testing</option>');
    expect(browser.page).not.toContain('>Doing</option>');
    const labelId = Buffer.from(`Label:${label.id}`).toString('base64url');
    await reader.submit(`${at[kind]}/lists`, { labelId });
    expect([reader.answer.status, await order()]).toEqual([422, before]);
    await browser.submit(`${at[kind]}/lists`, { labelId });
    expect(await order()).toEqual([...before, label.id]);
    await browser.submit(`${at[kind]}/lists`, { labelId });
    expect(browser.answer.status).toBe(422);
    const added = (await listsOf(boards[kind])).at(-1)?.id;
    await reader.submit(`${at[kind]}/lists/${added}/move`, { position: '0' });
    await reader.confirm(`${at[kind]}/lists/${added}/delete`);
    expect(await order()).toEqual([...before, label.id]);
    await browser.submit(`${at[kind]}/lists/${added}/move`, { position: '0' });
    expect(await order()).toEqual([label.id, ...before]);
    await browser.confirm(`${at[kind]}/lists/${added}/delete`);
    expect(browser.answer.headers.location).toBe(at[kind]);
    expect(await order()).toEqual(before);
  });

  it('shows the issues that match the filters of its address, which stay while cards are moved', async () => {
    const { owner, group, project, at, boards } = await planned();
    const worker = await world.user();
    await world.member(group, worker, 'developer');
    const milestone = await world.milestone(project, owner, { title: 'One' });
    const issues = [
      { title: 'Wanted', labels: ['bug'], assigneeIds: [worker.id], milestoneId: milestone.id },
      { title: 'Wanted now', labels: ['bug', 'Doing'], assigneeIds: [worker.id], milestoneId: milestone.id },
      { title: 'Wanted by nobody', labels: ['bug', 'Doing'], milestoneId: milestone.id },
      { title: 'Wanted never', labels: ['Doing'], assigneeIds: [worker.id], milestoneId: milestone.id },
      { title: 'Wanted later', labels: ['bug'], assigneeIds: [worker.id] },
      { title: 'Other', labels: ['bug', 'Doing'], assigneeIds: [worker.id], milestoneId: milestone.id },
    ];
    for (const issue of issues) await world.issue(project, owner, issue);
    for (const title of ['Wanted before', 'Other before']) {
      const { iid } = await world.issue(project, owner, { ...issues[0], title });
      await world.api(owner).put(`/projects/${project.id}/issues/${iid}`, { state_event: 'close' });
    }
    const query = `?search=want&assignee=${worker.username}&labels=bug&milestone=One`;
    const browser = await signedIn(world, owner);
    await browser.get(`${at[kind]}${query}&label=&move=`);
    const found = { Open: ['Wanted'], Doing: ['Wanted now'], Review: [], Closed: ['Wanted before'] };
    expect(columnsOn(browser.page)).toEqual(found);
    const escapedQuery = query.replaceAll('&', '&amp;');
    expect(browser.page).toContain(`action="${at[kind]}/move${escapedQuery}"`);
    for (const [name, value] of new URLSearchParams(query)) {
      expect(browser.page).toMatch(new RegExp(`name="${name}"[^>]* value="${value}"`));
    }
    await browser.get(`${at[kind]}${query}&labels=Doing`);
    expect(columnsOn(browser.page)).toEqual({ Open: [], Doing: ['Wanted now'], Review: [], Closed: [] });
    const [doing] = (await listsOf(boards[kind])).map(({ id }) => String(id));
    const card = { issueProject: project.fullPath, iid: '1', toListId: doing ?? '' };
    await browser.submit(`${at[kind]}/move${query}&move=x`, card);
    expect(browser.answer.headers.location).toBe(`${at[kind]}${query}`);
    await browser.follow();
    expect(columnsOn(browser.page)).toEqual({ ...found, Open: [], Doing: ['Wanted now', 'Wanted'] });
    await browser.get(`${at[kind]}?assignee=nobody-of-that-name`);
    expect(columnsOn(browser.page)).toEqual({ Open: [], Doing: [], Review: [], Closed: [] });
  });

  it('costs no more statements with many lists and issues than with few', async () => {
    const { owner, group, project, at, boards } = await planned();
    const browser = await signedIn(world, owner);
    const counted = async () => (await world.statements(() => browser.get(at[kind]))).length;
    for (const label of ['Doing', 'Review', 'bug']) await world.issue(project, owner, { labels: [label] });
    await browser.get(at[kind]);
    const few = await counted();
    const columns = kind === 'project' ? { projectId: project.id } : { groupId: group.id };
    for (let rank = 10; rank < 18; rank += 1) {
      const { id: labelId } = await world.db.label.create({
        data: { groupId: group.id, title: `List ${rank}`, color: '#00aa00' },
      });
      await world.db.boardList.create({ data: { ...columns, boardId: boards[kind], labelId, rank } });
      for (let more = 0; more < 2; more += 1)
        await world.issue(project, owner, { labels: [`List ${rank}`, `Bug ${rank}`] });
    }
    // What the columns need of projects is read at once, or apart where they are ready at different times.
    expect(await counted()).toBeLessThanOrEqual(few + 2);
    expect(columnsOn(browser.page)['List 17']).toHaveLength(2);
  });
});

it('shows twenty issues of each list, and leads to the list of all', async () => {
  const { owner, project, at } = await planned();
  for (let at = 0; at < 21; at += 1) await world.issue(project, owner, { labels: ['Doing'] });
  const browser = await signedIn(world, owner);
  await browser.get(at.project);
  expect(columnsOn(browser.page).Doing).toHaveLength(20);
  expect(browser.page).toContain(`href="/${project.fullPath}/-/issues?labels=Doing">Show all`);
});

describe('Boards', () => {
  it('are created, changed and deleted, several of a project beside each other', async () => {
    const { owner, project, at } = all;
    const base = `/${project.fullPath}/-/boards`;
    const browser = await signedIn(world, owner);
    await browser.get(`${base}/new`);
    await browser.submit(base, { name: ' ' });
    expect(browser.answer.status).toBe(422);
    await browser.submit(base, { name: `Second ${SCRIPT}`, hideClosedList: 'true' });
    const second = browser.answer.headers.location ?? '';
    await browser.follow();
    expect(Object.keys(columnsOn(browser.page))).toEqual(['Open']);
    expect(browser.page).toContain(`href="${at.project}"`);
    expect(browser.page).not.toContain(SCRIPT);
    await browser.get(`${second}/edit`);
    expect(browser.page).toContain('name="hideClosedList" value="true" checked');
    await browser.submit(`${second}/edit`, { name: 'Renamed', hideBacklogList: 'true' });
    await browser.follow();
    expect(Object.keys(columnsOn(browser.page))).toEqual(['Closed']);
    await browser.get(`${second}/delete`);
    await browser.confirm(`${second}/delete`);
    expect(browser.answer.headers.location).toBe(base);
    expect(await world.db.board.count({ where: { projectId: project.id } })).toBe(1);
    await browser.get(at.project);
    expect(browser.page).not.toContain('Delete board');
  });

  it('of a group are none at first, and the page says what to do', async () => {
    const owner = await world.user();
    const group = await world.group({ owner });
    const browser = await signedIn(world, owner);
    await browser.get(`/groups/${group.fullPath}/-/boards`);
    expect(browser.page).toContain(`href="/groups/${group.fullPath}/-/boards/new"`);
    await browser.submit(`/groups/${group.fullPath}/-/boards`, { name: 'First' });
    await browser.follow();
    expect(browser.page).toContain('Each list has the issues with a label');
  });

  it('are found by the pages of their own place alone, which know no board of other names', async () => {
    const { owner, project, boards } = all;
    const elsewhere = await world.project({ owner });
    const browser = await signedIn(world, owner);
    for (const path of [
      `/${elsewhere.fullPath}/-/boards/${boards.project}`,
      `/${project.fullPath}/-/boards/${boards.group}`,
      `/${project.fullPath}/-/boards/something`,
    ]) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    }
  });
});
