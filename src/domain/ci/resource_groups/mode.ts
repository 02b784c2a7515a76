import { Prisma } from '#src/platform/database/db.ts';

const { sql, empty } = Prisma;

/** Which job of a resource group is the next: of what waits, or of what will, by the age of pipelines. */
export const PROCESS_MODES = ['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'] as const;
export type ProcessMode = (typeof PROCESS_MODES)[number];

/** Whether jobs whose turn has not come yet hold up those of other pipelines behind them. */
export const isStrict = (mode: ProcessMode): boolean => mode === 'oldest_first' || mode === 'newest_first';

/** Whether newer pipelines come first. */
export const isNewestFirst = (mode: ProcessMode): boolean => mode === 'newest_first' || mode === 'newest_ready_first';

/** The states of the jobs that are in the queue of a group. */
export function queuedStates(mode: ProcessMode): Prisma.Sql {
  return isStrict(mode) ? sql`('created', 'scheduled', 'waiting_for_resource')` : sql`('waiting_for_resource')`;
}

/** Jobs of the pipeline that is first in the queue, those first that wait. */
export function queueOrder(mode: ProcessMode): Prisma.Sql {
  return sql`pipeline_id ${isNewestFirst(mode) ? sql`DESC` : empty}, status = 'waiting_for_resource' DESC, id`;
}
