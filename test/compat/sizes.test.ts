import { expect, it } from 'vitest';
import { compatOf } from '../support/compat.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ask = compatOf(world);
const owner = await world.user();
const project = await world.project({ owner, visibility: 'public' });
const times = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join(' ');
const tooLarge = {
  errors: [{ message: expect.stringContaining('answer is too large'), extensions: { code: 'QUERY_TOO_LARGE' } }],
};

it('An answer has 200,000 values at most, however few of them are read', async () => {
  const data = Array.from({ length: 100 }, (_, n) => ({
    projectId: project.id,
    iid: n + 1,
    title: `Issue ${n}`,
    authorId: owner.id,
  }));
  const issues = await world.db.issue.createManyAndReturn({ data });
  const notes = issues.flatMap(({ id }) =>
    Array.from({ length: 10 }, () => ({
      subjectType: 'Issue' as const,
      subjectId: id,
      authorId: owner.id,
      body: 'Note',
    })),
  );
  await world.db.note.createMany({ data: notes });
  const query = (fields: number) => `query ($path: ID!) { project(fullPath: $path) { issues(first: 100) { nodes {
    notes { nodes { ${times(fields, (n) => `f${n}: body`)} } } } } } }`;
  const few = await ask(query(100), { path: project.fullPath }, owner);
  expect([few.body.errors, few.body.data.project.issues.nodes.length]).toEqual([undefined, 100]);
  expect((await ask(query(210), { path: project.fullPath }, owner)).body).toMatchObject(tooLarge);
});

it('An answer has 20 million characters at most, however few of them are read', LONG, async () => {
  await world.db.issue.updateMany({ where: { projectId: project.id }, data: { description: 'x'.repeat(10_000) } });
  const query = (fields: number) => `query ($path: ID!) { project(fullPath: $path) { issues(first: 100) { nodes {
    ${times(fields, (n) => `f${n}: description`)} } } } }`;
  const few = await ask(query(10), { path: project.fullPath }, owner);
  expect([few.body.errors, few.body.data.project.issues.nodes.length]).toEqual([undefined, 100]);
  expect((await ask(query(30), { path: project.fullPath }, owner)).body).toMatchObject(tooLarge);
});
