import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, refusalOf } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The variables with which a runner, or a service of the job, prints all that it knows. */
const DEBUGGING = ['CI_DEBUG_TRACE', 'CI_DEBUG_SERVICES'];

/** The values with which they are off. Runners read others in ways of their own, and put variables in place of their names. */
const OFF = ['', '0', 'f', 'false', 'n', 'no', 'off'];

/** Whether a job with these variables may print all of them; of several with one key the last counts. */
export function printsVariables(variables: readonly { key: string; value: string }[]): boolean {
  return DEBUGGING.some((name) => {
    const value = variables.findLast(({ key }) => key === name)?.value ?? '';
    return !OFF.includes(value.trim().toLowerCase());
  });
}

/** Notes that the log of a job holds all of its variables, as these or its runner say. */
export async function markDebugLog(db: Pick<Db, '$executeRaw'>, jobId: number): Promise<void> {
  await db.$executeRaw`INSERT INTO job_traces (job_id, debug) SELECT id, true FROM jobs WHERE id = ${jobId}
    ON CONFLICT (job_id) DO UPDATE SET debug = true WHERE NOT job_traces.debug`;
}

/** Whether the actor, who may see the jobs of the project, may read a log; `debug` is one that holds variables. */
export function mayReadLog(actor: Actor | null, project: ProjectRow, debug: boolean): boolean {
  return can(actor, 'read_job_output', project) && (!debug || can(actor, 'read_debug_log', project));
}

/** Like mayReadLog, for a log that is looked up. Throws Forbidden, or Unauthenticated for anonymous callers. */
export async function requireLogReadable(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  project: ProjectRow,
  jobId: number,
): Promise<void> {
  if (mayReadLog(actor, project, true)) return;
  const debug = (await db.jobTrace.count({ where: { jobId, debug: true } })) > 0;
  if (!mayReadLog(actor, project, debug)) throw refusalOf(actor);
}
