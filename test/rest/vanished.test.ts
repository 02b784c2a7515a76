// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import type { Transaction } from '#src/platform/database/db.ts';
import { projectWithCommit } from '../support/ci.ts';
import type { Answer } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);

/** The answer to a request that has found everything when what it needs is deleted, before it writes. */
async function overtaken(
  remove: (tx: Transaction) => Promise<unknown>,
  request: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  await world.db.$transaction(async (tx) => {
    await remove(tx);
    answer = request();
    await world.until(async () => {
      const [waiting] = await world.db.$queryRaw<[{ count: number }]>`
        SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return waiting.count > 0;
    });
  });
  if (!answer) throw new Error('Nothing was asked');
  return answer;
}

it('a trigger that is deleted while it is fired starts nothing, and is not found', LONG, async () => {
  const { project } = await projectWithCommit(world, owner, { config: 'unit: {script: x}' });
  await world.idle();
  const { body: trigger } = await api.post(`/projects/${project.id}/triggers`, { description: 'x' });
  const answer = await overtaken(
    (tx) => tx.trigger.delete({ where: { id: trigger.id } }),
    () => world.api().post(`/projects/${project.id}/trigger/pipeline`, { token: trigger.token, ref: 'master' }),
  );
  expect(answer).toMatchObject({ status: 404, body: { message: '404 Not Found' } });
  expect(await world.db.pipeline.count({ where: { projectId: project.id, source: 'trigger' } })).toBe(0);
});

itEveryNth<[string, (sha: string) => [string, object]]>(5, [
  ['a variable', () => ['variables', { key: 'KEY', value: 'x' }]],
  ['a status', (sha) => [`statuses/${sha}`, { state: 'success', ref: 'other' }]],
  ['a comment', (sha) => [`repository/commits/${sha}/comments`, { note: 'x' }]],
  ['a snippet', () => ['snippets', { title: 'x', file_name: 'x', content: 'x', visibility: 'private' }]],
  ['a deployment', (sha) => ['deployments', { environment: 'e', sha, ref: 'master', status: 'success' }]],
])('%s for a project that is removed meanwhile is for none', async (_what, request) => {
  const { project, sha } = await projectWithCommit(world, owner, { config: 'unit: {script: x}' });
  await world.idle();
  const [path, given] = request(sha);
  const answer = await overtaken(
    (tx) => tx.$executeRaw`DELETE FROM projects WHERE id = ${project.id}`,
    () => api.post(`/projects/${project.id}/${path}`, given),
  );
  expect(answer).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } });
});

it('what else goes wrong in the database stays an error of the server', async () => {
  const { project } = await projectWithCommit(world, owner, { config: 'unit: {script: x}' });
  await world.db.$executeRaw`ALTER TABLE variables RENAME COLUMN value_encrypted TO elsewhere`;
  const answer = await api.post(`/projects/${project.id}/variables`, { key: 'KEY', value: 'x' });
  await world.db.$executeRaw`ALTER TABLE variables RENAME COLUMN elsewhere TO value_encrypted`;
  expect(answer).toMatchObject({ status: 500, body: { message: '500 Internal Server Error' } });
});
