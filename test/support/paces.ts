import { JOB_PACES } from '#src/entrances/server/background_jobs.ts';
import type { JobPaces } from '#src/platform/background/queue.ts';

/** How jobs run in tests: none by itself, so that what a test finds does not depend on the minute in which it runs. */
export const PACES_WITHOUT_SCHEDULES: JobPaces = Object.fromEntries(
  Object.entries(JOB_PACES).map(([name, { atOnce }]) => [name, atOnce === undefined ? {} : { atOnce }]),
);
