// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const runner = (data: object = {}, projectId?: number) =>
  world.db.runner.create({
    data: {
      ...{ description: world.unique('runner'), tokenHash: Buffer.from(world.unique('hash')) },
      ...data,
      ...(projectId === undefined ? {} : { projects: { create: { projectId } } }),
    },
  });

it('lists the runners of a project with what they do, in any state or one', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const busy = await runner({ contactedAt: new Date(), version: '17.5', tagList: ['<fast>'] }, project.id);
  const paused = await runner({ active: false }, project.id);
  const elsewhere = await runner({}, (await world.project({ owner })).id);
  const job = await takenJob(world, owner, project);
  await world.db.job.update({ where: { id: job.id }, data: { runnerId: busy.id } });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/runners`;
  await browser.get(at);
  for (const text of [
    busy.description,
    paused.description,
    '17.5',
    '&lt;fast&gt;',
    'Runs jobs',
    `/-/jobs/${job.id}"`,
    'online',
  ]) {
    expect(browser.page).toContain(text);
  }
  expect(browser.page).not.toContain(`#${elsewhere.id} ${elsewhere.description}`);
  await browser.get(`${at}?status=paused`);
  expect(browser.page).toContain(paused.description);
  expect(browser.page).not.toContain(`#${busy.id} ${busy.description}`);
});

it('shows the token of a new runner once, and to nobody else', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/runners`;
  await browser.get(`${at}/new`);
  expect((await browser.submit(at, { description: 'x'.repeat(300), tagList: 'a, b' })).status).toBe(422);
  expect(browser.page).toContain('value="a, b"');
  await browser.submit(at, {
    description: 'Builder',
    tagList: 'fast, linux',
    runUntagged: 'false',
    accessLevel: 'ref_protected',
  });
  expect(browser.answer.status).toBe(200);
  const token = /class="secret">([^<]+)</.exec(browser.page)?.[1] ?? '';
  expect(token.length).toBeGreaterThan(15);
  expect(browser.answer.headers['cache-control']).toBe('no-store');
  const checked = await world.send('POST', '/api/v4/runners/verify', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  expect(checked.status).toBe(200);
  const made = await world.db.runner.findFirstOrThrow({ where: { description: 'Builder' } });
  expect(made).toMatchObject({ tagList: ['fast', 'linux'], runUntagged: false, refProtected: true });
  await browser.get(at);
  expect(browser.page).toContain('Builder');
  expect(browser.page).not.toContain(token);
});

it('pauses, resumes, changes and deletes runners, for masters', async () => {
  const [owner, developer] = [await world.user(), await world.user()];
  const project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  const one = await runner({}, project.id);
  const shared = await runner({ isShared: true });
  const list = `/${project.fullPath}/-/runners`;
  const at = `${list}/${one.id}`;
  const other = await signedIn(world, developer);
  expect((await other.get(list)).status).toBe(403);
  await other.get(`/${project.fullPath}/-/pipelines`);
  expect(other.page).not.toContain(`${list}"`);
  for (const word of ['pause', 'edit', 'delete'])
    expect((await other.confirm(`${at}/${word}`)).status).toBeGreaterThanOrEqual(400);
  const browser = await signedIn(world, owner);
  await browser.get(list);
  expect(browser.page).toContain(`action="${at}/pause"`);
  expect(browser.page).not.toContain(`${list}/${shared.id}/`);
  expect((await browser.submit(`${at}/pause`)).headers.location).toBe(list);
  expect((await world.db.runner.findUniqueOrThrow({ where: { id: one.id } })).active).toBe(false);
  expect((await browser.submit(`${at}/resume`)).headers.location).toBe(list);
  await browser.get(`${at}/edit`);
  const fields = { description: 'Other', tagList: '', runUntagged: ['false', 'true'], locked: ['false', 'true'] };
  expect((await browser.submit(`${at}/edit`, fields)).headers.location).toBe(list);
  expect(await world.db.runner.findUniqueOrThrow({ where: { id: one.id } })).toMatchObject({
    description: 'Other',
    active: true,
    locked: true,
  });
  expect((await browser.submit(`${list}/${shared.id}/pause`)).status).toBe(403);
  await browser.get(`${at}/delete`);
  expect(browser.page).toContain(`Delete runner #${one.id} Other?`);
  expect((await browser.confirm(`${at}/delete`)).headers.location).toBe(list);
  expect(await world.db.runner.count({ where: { id: one.id } })).toBe(0);
});

it('does the same for groups, whose owners have the section', async () => {
  const [owner, member] = [await world.user(), await world.user()];
  const group = await world.group({ owner, visibility: 'internal' });
  const at = `/groups/${group.fullPath}/-/runners`;
  const other = await signedIn(world, member);
  await other.get(`/groups/${group.fullPath}`);
  expect(other.page).not.toContain(at);
  expect((await other.get(at)).status).toBe(403);
  const browser = await signedIn(world, owner);
  await browser.get(`/groups/${group.fullPath}`);
  expect(browser.page).toContain(at);
  await browser.get(`${at}/new`);
  await browser.submit(at, { description: 'Of the group', tagList: '' });
  expect(browser.page).toMatch(/class="secret">[^<]{16,}</);
  const made = await world.db.runner.findFirstOrThrow({ where: { groupId: group.id } });
  await browser.get(at);
  expect(browser.page).toContain(`#${made.id} Of the group`);
  expect((await browser.submit(`${at}/${made.id}/pause`)).headers.location).toBe(at);
});

it('takes as many statements for many runners as for few', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const path = `/${project.fullPath}/-/runners?status=never_contacted`;
  await runner({}, project.id);
  await runner({}, project.id);
  const few = await world.statements(() => browser.get(path));
  for (let at = 0; at < 4; at++) await runner({}, project.id);
  const many = await world.statements(() => browser.get(path));
  expect(many).toHaveLength(few.length);
});
