import { describe, expect, it } from 'vitest';
import { COUNTED_DAYS } from '#src/domain/repository/fetches.ts';
import { clone, run } from '../support/git_client.ts';
import { remotes } from '../support/git_remote.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
const { address } = remotes(world, owner);
const file = { branch: 'main', content: 'x', commit_message: 'Begin' };
const today = () => new Date().toISOString().slice(0, 10);

async function filled() {
  const project = await world.project({ owner });
  expect((await api.post(`/projects/${project.id}/repository/files/a`, file)).status).toBe(201);
  return project;
}

const statistics = (id: number, who = owner) => world.api(who).get(`/projects/${id}/statistics`);
const totalOf = async (id: number) => (await statistics(id)).body.fetches.total;

describe('GET /projects/:id/statistics', () => {
  it.each(['0', '2'])('counts clones and fetches that send something (version %s of the protocol)', async (version) => {
    const project = await filled();
    expect((await statistics(project.id)).body).toEqual({ fetches: { total: 0, days: [] } });
    const protocol = ['-c', `protocol.version=${version}`];
    const copy = await clone(address(project, owner), ...protocol);
    await world.until(async () => (await totalOf(project.id)) === 1);
    // Nothing has come since: only names of branches are sent.
    await run(copy, ...protocol, 'fetch', '--quiet');
    await run(copy, ...protocol, 'ls-remote', '--quiet');
    const change = { ...file, content: 'y', commit_message: 'Go on' };
    expect((await api.put(`/projects/${project.id}/repository/files/a`, change)).status).toBe(200);
    await run(copy, ...protocol, 'fetch', '--quiet');
    await world.until(async () => (await totalOf(project.id)) === 2);
    expect((await statistics(project.id)).body.fetches.days).toEqual([{ count: 2, date: today() }]);
  });

  it('has the last 30 days, latest first', LONG, async () => {
    const project = await filled();
    const before = (days: number) => new Date(Date.now() - days * 86_400_000);
    const rows = [COUNTED_DAYS, COUNTED_DAYS - 1, 1].map((days) => ({
      projectId: project.id,
      day: before(days),
      count: days,
    }));
    await world.db.projectFetches.createMany({ data: rows });
    const { body } = await statistics(project.id);
    expect(body.fetches.total).toBe(COUNTED_DAYS);
    expect(body.fetches.days.map(({ count }: { count: number }) => count)).toEqual([1, COUNTED_DAYS - 1]);
    await clone(address(project, owner));
    await world.until(async () => (await totalOf(project.id)) === COUNTED_DAYS + 1);
    expect(await world.db.projectFetches.count({ where: { projectId: project.id } })).toBe(3);
  });

  it('is for developers: 403 for reporters, 404 for others', async () => {
    const project = await filled();
    const [developer, reporter, stranger] = [await world.user(), await world.user(), await world.user()];
    await world.member(project, developer, 'developer');
    await world.member(project, reporter, 'reporter');
    const statuses = await Promise.all([developer, reporter, stranger].map((who) => statistics(project.id, who)));
    expect(statuses.map(({ status }) => status)).toEqual([200, 403, 404]);
  });
});
