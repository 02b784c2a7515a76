// Proves for every case what others show for some, or takes long: the long run has it.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { registerRunner, sharedToken } from '../support/runner.ts';
import { startRunnerWorld } from '../support/runner_world.ts';

const { world, owner } = await startRunnerWorld();

/** So many pipelines of a project, each of a job that is done and one that needs it and waits, beside one whose turn has not come. */
async function waitingJobs(count: number): Promise<void> {
  const { id: projectId } = await world.project({ owner });
  const by = { projectId, userId: owner.id };
  await world.db.$executeRaw`
    WITH made AS (INSERT INTO pipelines (project_id, user_id, ref, sha, source, status)
      SELECT ${projectId}, ${owner.id}, 'master', repeat('1', 40), 'api', 'running' FROM generate_series(1, ${count}) RETURNING id)
    INSERT INTO jobs (project_id, user_id, pipeline_id, name, stage, stage_index, status, needs)
    SELECT ${by.projectId}, ${by.userId}, made.id, job.name, 'test', job.stage, job.status::job_status, job.needs
    FROM made, (VALUES ('build', 0, 'success', NULL::text[]), ('test', 1, 'pending', ARRAY['build']), ('deploy', 2, 'created', ARRAY['test']))
      AS job (name, stage, status, needs)`;
}

async function hundredRunners() {
  const token = await sharedToken(world);
  return Promise.all(Array.from({ length: 100 }, () => registerRunner(world, { token })));
}

/** How many statements pick a job: those that make one run. */
const picking = (statements: readonly string[]) =>
  statements.filter((text) => /UPDATE jobs SET status = 'running'/.test(text)).length;

describe('A thousand jobs that wait, and a hundred runners', { timeout: 120_000 }, () => {
  it('are picked by one statement a job, as many for each request as if there were one', async () => {
    const runners = await hundredRunners();
    const [first, second] = runners;
    if (!first || !second) throw new Error('no runners');
    await waitingJobs(1);
    // Contacts are noted once in a minute.
    for (const runner of runners) await runner.request();
    await waitingJobs(1);
    const alone = await world.statements(async () => expect((await first.request()).status).toBe(201));
    await waitingJobs(1_000);
    const among = await world.statements(async () => expect((await second.request()).status).toBe(201));
    expect([picking(alone), picking(among), among.length]).toEqual([1, 1, alone.length]);
  });

  it('go to one runner each, however many ask at once', async () => {
    const runners = await hundredRunners();
    await waitingJobs(1_000);
    const answers = await Promise.all(runners.map((runner) => runner.request()));
    const taken = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as number);
    expect(taken.length).toBeGreaterThan(50);
    expect(new Set(taken).size).toBe(taken.length);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(await world.db.job.count({ where: { status: 'running' } })).toBe(taken.length);
  });
});
