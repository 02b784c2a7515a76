// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
await world.user({ username: 'Ghost' });
const owner = await world.user();
await world.group({ owner, path: 'ghost1' });

it('The ghost is made once, under the next free name, by the first of many deletions at once', async () => {
  const doomed = await Promise.all(Array.from({ length: 6 }, () => world.user()));
  const project = await world.project({ owner, visibility: 'public' });
  for (const user of doomed) await world.issue(project, user);
  const answers = await Promise.all(doomed.map(({ id }) => world.api(admin).delete(`/users/${id}`)));
  expect(answers.map(({ status }) => status)).toEqual(doomed.map(() => 200));
  const ghosts = await world.db.user.findMany({ where: { ghost: true } });
  expect(ghosts.map(({ username }) => username)).toEqual(['ghost2']);
  const authors = (await world.api(owner).get(`/projects/${project.id}/issues`)).body.map(
    ({ author }: { author: { username: string } }) => author.username,
  );
  expect(authors).toEqual(doomed.map(() => 'ghost2'));
});
