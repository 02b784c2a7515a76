import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld({ budget: { statements: 12, rows: 60, bytes: 1_000_000 } });
const owner = await world.user();
const projects = await Promise.all(Array.from({ length: 15 }, () => world.project({ owner })));
const [project] = projects as [(typeof projects)[0]];
for (let n = 0; n < 61; n += 1) await world.issue(project, owner);

describe('An operation over its budget', () => {
  it('of statements is refused with the one reason', async () => {
    const query = `{ ${projects.map(({ id }) => `p${id}: project(ref: ${id}) { name }`).join(' ')} }`;
    const { body } = await world.graphql(query, {}, owner);
    expect(body.errors).toEqual([
      {
        message: 'The operation needs more than 12 database statements. Ask for less at once.',
        extensions: { code: 'QUERY_TOO_LARGE', kind: 'statements', limit: 12, used: 13 },
      },
    ]);
    expect(body.data ?? null).toBeNull();
  });

  it('of records is refused in REST too', LONG, async () => {
    const path = `/projects/${project.id}/issues?per_page=`;
    // Each comes with what it blocks.
    const fits = await world.api(owner).get(`${path}25`);
    expect([fits.status, fits.body.message]).toEqual([200, undefined]);
    expect(await world.api(owner).get(`${path}100`)).toMatchObject({
      status: 400,
      body: { message: 'The operation needs more than 60 records. Ask for less at once.' },
    });
  });

  it('of bytes is refused before what jobs printed is read', LONG, async () => {
    const by = { projectId: project.id, userId: owner.id };
    const { id: pipelineId } = await world.db.pipeline.create({
      data: { ...by, ref: 'main', sha: '1'.repeat(40), source: 'api' },
    });
    for (const name of ['build', 'test']) {
      const { id: jobId } = await world.db.job.create({
        data: { ...by, pipelineId, name, stage: name, stageIndex: 0 },
      });
      await world.db.jobTraceChunk.create({ data: { jobId, position: 0, content: Buffer.alloc(600_000, 'x') } });
    }
    const ask = (first: number) =>
      world.graphql(`{ project(ref: ${project.id}) { jobs(first: ${first}) { nodes { trace } } } }`, {}, owner);
    expect((await ask(1)).body.data.project.jobs.nodes).toEqual([{ trace: 'x'.repeat(600_000) }]);
    const statements = await world.statements(async () => {
      const { body } = await ask(2);
      expect(body.errors[0]).toMatchObject({
        message: 'The operation needs more than 1000000 bytes. Ask for less at once.',
        extensions: { code: 'QUERY_TOO_LARGE' },
      });
    });
    expect(statements.filter((one) => one.includes('string_agg(content'))).toEqual([]);
  });

  it('is followed by operations with budgets of their own', async () => {
    for (let n = 0; n < 3; n += 1) expect((await world.api(owner).get(`/projects/${project.id}`)).status).toBe(200);
  });
});
