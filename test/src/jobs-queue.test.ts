import { afterAll, expect, it } from 'vitest';
import { connect } from '#src/db.ts';
import { type JobHandlers, startJobs } from '#src/jobs/queue.ts';
import { freshDatabase } from '../support/database.ts';

const url = await freshDatabase();
const db = connect(url);
afterAll(() => db.$disconnect());

it('jobs that come while one is worked on are all done as soon as it ends', async () => {
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const all = Promise.withResolvers<void>();
  const done: number[] = [];
  const handlers: Partial<JobHandlers> = {
    'projects.remove': async ({ projectId }) => {
      begun.resolve();
      await go.promise;
      done.push(projectId);
      if (done.length === 6) all.resolve();
    },
  };
  const jobs = await startJobs({ url, handlers: handlers as JobHandlers, report: console.error, db });
  const enqueue = (projectId: number) => db.$transaction((tx) => jobs.enqueue(tx, 'projects.remove', { projectId }));
  await enqueue(1);
  await begun.promise;
  for (const projectId of [2, 3, 4, 5, 6]) await enqueue(projectId);
  go.resolve();
  await all.promise;
  expect(done).toEqual([1, 2, 3, 4, 5, 6]);
  await jobs.stop();
});
