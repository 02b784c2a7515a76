import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld({ budget: { statements: 12, rows: 60 } });
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
        extensions: { code: 'QUERY_TOO_LARGE' },
      },
    ]);
    expect(body.data ?? null).toBeNull();
  });

  it('of records is refused in REST too', async () => {
    const path = `/projects/${project.id}/issues?per_page=`;
    expect((await world.api(owner).get(`${path}50`)).status).toBe(200);
    expect(await world.api(owner).get(`${path}100`)).toMatchObject({
      status: 400,
      body: { message: 'The operation needs more than 60 records. Ask for less at once.' },
    });
  });

  it('is followed by operations with budgets of their own', async () => {
    for (let n = 0; n < 3; n += 1) expect((await world.api(owner).get(`/projects/${project.id}`)).status).toBe(200);
  });
});
