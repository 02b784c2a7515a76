// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { projectWithCommit } from '../support/ci.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const CONFIG = 'unit:\n  script: make\n';

async function scheduled(data: object = {}) {
  const owner = await world.user();
  const { project } = await projectWithCommit(world, owner, { config: CONFIG, visibility: 'internal' });
  const values = {
    description: 'Nightly',
    ref: 'refs/heads/master',
    cron: '30 4 * * *',
    cronTimezone: 'Europe/Berlin',
  };
  const by = { projectId: project.id, ownerId: owner.id, nextRunAt: new Date('2027-01-15T03:30:00Z') };
  const schedule = await world.db.pipelineSchedule.create({ data: { ...by, ...values, ...data } });
  return { owner, project, schedule, at: `/${project.fullPath}/-/pipeline_schedules` };
}

it('lists schedules with their next run in their time zone, active or inactive ones', async () => {
  const { owner, project, schedule, at } = await scheduled();
  const off = await world.db.pipelineSchedule.create({
    data: {
      projectId: project.id,
      ownerId: owner.id,
      description: '<b>Off</b>',
      ref: 'refs/heads/master',
      cron: '0 0 * * *',
      active: false,
    },
  });
  const { schedule: elsewhere } = await scheduled();
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain(`${at}/${schedule.id}"`);
  expect(browser.page).toContain('15 Jan 2027, 04:30 (Europe/Berlin)');
  expect(browser.page).toContain('&lt;b&gt;Off');
  expect(browser.page).not.toContain(`pipeline_schedules/${elsewhere.id}"`);
  await browser.get(`${at}?status=inactive`);
  expect(browser.page).toContain(`${at}/${off.id}"`);
  expect(browser.page).not.toContain(`${at}/${schedule.id}"`);
});

it('creates, changes and deletes schedules, and says beside the fields what is wrong', async () => {
  const { owner, project, at } = await scheduled();
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/new`);
  const fields = {
    description: 'Weekly',
    ref: 'master',
    cron: 'sometimes',
    cronTimezone: 'UTC',
    isActive: ['false', 'true'],
  };
  expect((await browser.submit(at, fields)).status).toBe(422);
  expect(browser.page).toContain('id="cron-problem"');
  expect(browser.page).toContain('value="sometimes"');
  const made = (await browser.submit(at, { ...fields, cron: '@weekly' })).headers.location ?? '';
  expect(made).toMatch(new RegExp(`^${at}/\\d+$`));
  await browser.get(`${made}/edit`);
  expect(browser.page).toContain('value="@weekly"');
  expect(
    (
      await browser.submit(`${made}/edit`, {
        description: 'Rarely',
        before: 'master',
        ref: 'master',
        cron: '@monthly',
        cronTimezone: 'UTC',
        isActive: 'false',
      })
    ).headers.location,
  ).toBe(made);
  const saved = await world.db.pipelineSchedule.findFirstOrThrow({
    where: { projectId: project.id, description: 'Rarely' },
  });
  expect(saved).toMatchObject({ cron: '@monthly', active: false, ref: 'refs/heads/master' });
  await browser.get(`${made}/delete`);
  expect(browser.page).toContain('Delete schedule Rarely?');
  expect((await browser.confirm(`${made}/delete`)).headers.location).toBe(at);
  expect(await world.db.pipelineSchedule.count({ where: { id: saved.id } })).toBe(0);
});

it('leaves a schedule to its owner, whom a master can succeed; others only see it', async () => {
  const { owner, project, schedule, at } = await scheduled();
  const [master, reporter] = [await world.user(), await world.user()];
  await world.member(project, master, 'master');
  await world.member(project, reporter, 'reporter');
  const one = `${at}/${schedule.id}`;
  const other = await signedIn(world, reporter);
  await other.get(one);
  expect(other.answer.status).toBe(200);
  for (const text of [`action="${one}/`, `${one}/edit`, `${one}/delete`]) expect(other.page).not.toContain(text);
  expect((await other.get(`${one}/edit`)).status).toBe(404);
  await other.get(one);
  for (const word of ['play', 'take_ownership', 'delete', 'edit']) {
    expect((await other.confirm(`${one}/${word}`, { description: 'Mine' })).status).toBeGreaterThanOrEqual(400);
  }
  expect(await world.db.pipelineSchedule.findUniqueOrThrow({ where: { id: schedule.id } })).toMatchObject({
    ownerId: owner.id,
    description: 'Nightly',
  });
  const browser = await signedIn(world, master);
  await browser.get(one);
  expect(browser.page).not.toContain(`${one}/edit`);
  expect((await browser.submit(`${one}/take_ownership`)).headers.location).toBe(one);
  await browser.follow();
  expect(browser.page).toContain(`${one}/edit`);
  expect(browser.page).not.toContain('Take ownership');
});

it('starts a pipeline at once, and leads to it', async () => {
  const { owner, project, schedule, at } = await scheduled();
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/${schedule.id}`);
  const { location } = (await browser.submit(`${at}/${schedule.id}/play`)).headers;
  expect(location).toMatch(new RegExp(`^/${project.fullPath}/-/pipelines/\\d+$`));
  await browser.follow();
  expect(browser.page).toContain(`/-/pipeline_schedules/${schedule.id}">Nightly</a>`);
});

it('keeps variables for the owner and masters, of whom the owner changes them', async () => {
  const { owner, project, schedule, at } = await scheduled();
  const [master, developer] = [await world.user(), await world.user()];
  await world.member(project, master, 'master');
  await world.member(project, developer, 'developer');
  const one = `${at}/${schedule.id}`;
  const browser = await signedIn(world, owner);
  await browser.get(one);
  expect((await browser.submit(`${one}/variables`, { key: 'no good', value: 'x', type: 'env_var' })).status).toBe(422);
  expect(browser.page).toContain('id="key-problem"');
  expect(
    (await browser.submit(`${one}/variables`, { key: 'PLACE', value: 'moon <base>', type: 'file' })).headers.location,
  ).toBe(one);
  await browser.follow();
  expect(browser.page).toContain('moon &lt;base&gt;');
  expect(browser.page).toContain('<span class="badge">file</span>');
  const other = await signedIn(world, developer);
  await other.get(one);
  for (const text of ['PLACE', 'moon']) expect(other.page).not.toContain(text);
  expect((await other.submit(`${one}/variables`, { key: 'MINE', value: 'x' })).status).toBeGreaterThanOrEqual(400);
  const reader = await signedIn(world, master);
  await reader.get(one);
  expect(reader.page).toContain('moon');
  expect(reader.page).not.toContain(`${one}/variables/update`);
  await browser.get(one);
  expect((await browser.submit(`${one}/variables/update`, { key: 'PLACE', value: 'mars' })).headers.location).toBe(one);
  await browser.follow();
  expect(browser.page).toContain('mars');
  expect((await browser.confirm(`${one}/variables/delete`, { key: 'PLACE' })).headers.location).toBe(one);
  expect(await world.db.pipelineScheduleVariable.count({ where: { scheduleId: schedule.id } })).toBe(0);
});
