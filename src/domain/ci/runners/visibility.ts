import { MASTER, OWNER } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, reachesApi } from '#src/access/permissions/actor.ts';
import { featureThere } from '#src/access/permissions/features.ts';
import { groupAccessLevel, openTo, projectLevels } from '#src/access/permissions/visibility.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
/** Projects with jobs. */
const job = alias('Project', 'jp');

/** Messages for what an actor may not do to a runner (behaviour.md 1.2). */
export const REASONS = {
  shared: 'Runner is shared',
  ofGroup: 'Runner is a group runner',
  locked: 'Runner is locked',
  noAccess: 'No access granted',
  manyProjects: 'Runner associated with more than one project',
  onlyProject: 'Only one project associated with the runner. Please remove the runner instead',
} as const;

/** A statement for the IDs of the runners of projects that the actor is a master of, and of groups that the actor owns. */
export function administeredRunners(actor: Pick<Actor, 'id'>): Prisma.Sql {
  return sql`SELECT rp.runner_id FROM (${projectLevels(actor)}) l JOIN runner_projects rp ON rp.project_id = l.project_id
    JOIN projects lp ON lp.id = l.project_id AND lp.deleted_at IS NULL WHERE l.level >= ${MASTER}
    UNION ALL SELECT gr.id FROM runners gr JOIN namespaces gn ON gn.id = gr.group_id AND gn.deleted_at IS NULL
      WHERE ${groupAccessLevel(actor, alias('Namespace', 'gn'))} >= ${OWNER}`;
}

/** A statement for the IDs of the projects whose jobs the actor may read, by the same rule as the ability `read_pipeline`. */
export function projectsOfReadableJobs(actor: Pick<Actor, 'id' | 'admin' | 'external'>): Prisma.Sql {
  if (actor.admin) return sql`SELECT jp.id FROM projects jp WHERE jp.deleted_at IS NULL AND jp.jobs_enabled`;
  return sql`SELECT jp.id FROM projects jp LEFT JOIN (${projectLevels(actor)}) l ON l.project_id = jp.id
    WHERE jp.deleted_at IS NULL AND ${featureThere('jobs', job, sql`l.level > 0`)}
      AND (${openTo(actor, job)} OR l.level >= CASE WHEN jp.public_jobs THEN 10 ELSE 20 END)`;
}

/** The facts about a runner that decide access to it. */
export interface RunnerAccess {
  id: number;
  isShared: boolean;
  locked: boolean;
  groupId: number | null;
  /** How many projects it is enabled for. */
  projects: number;
  /** Whether the actor administers one of them, or its group. */
  isAdministered: boolean;
}

/** Those facts for a runner and the actor; null if there is no such runner. */
export async function runnerAccess(
  db: Pick<Db, '$queryRaw'>,
  actor: Pick<Actor, 'id'>,
  id: number,
): Promise<RunnerAccess | null> {
  const [row] = await runnersAccess(db, actor, [id]);
  return row ?? null;
}

function runnersAccess(
  db: Pick<Db, '$queryRaw'>,
  actor: Pick<Actor, 'id'>,
  ids: readonly number[],
): Promise<RunnerAccess[]> {
  return db.$queryRaw<RunnerAccess[]>`
    SELECT r.id, r.is_shared AS "isShared", r.locked, r.group_id AS "groupId",
      (SELECT count(*)::int FROM runner_projects own WHERE own.runner_id = r.id) AS projects,
      r.id IN (${administeredRunners(actor)}) AS "isAdministered"
    FROM runners r WHERE r.id = ANY(${[...ids]}::int[])`;
}

/** The runners that the actor may see in full: shared ones, those of administered projects, for administrators all. */
export async function fullyVisible(context: Context, runners: readonly { id: number; isShared: boolean }[]) {
  const { actor, db } = context;
  if (!actor || !reachesApi(actor)) return runners.map(() => false);
  if (actor.admin || runners.every(({ isShared }) => isShared)) return runners.map(() => true);
  const ids = runners.map(({ id }) => id);
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT r.id FROM runners r WHERE r.id = ANY(${ids}::int[]) AND r.id IN (${administeredRunners(actor)})`;
  const administered = new Set(rows.map(({ id }) => id));
  return runners.map(({ id, isShared }) => isShared || administered.has(id));
}

/** What the actor may do with runners. */
export interface RunnerRights {
  mayUpdate: boolean;
  mayDelete: boolean;
}

/** What the actor may do with each of the runners, in one statement; nothing with those that are gone. */
export async function runnerRights(
  { actor, db }: Pick<Context, 'actor' | 'db'>,
  ids: readonly number[],
): Promise<RunnerRights[]> {
  if (!actor) return ids.map(() => ({ mayUpdate: false, mayDelete: false }));
  const rows = await runnersAccess(db, actor, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const runner = byId.get(id);
    const mayUpdate = runner !== undefined && (actor.admin || (!runner.isShared && runner.isAdministered));
    return { mayUpdate, mayDelete: mayUpdate && (actor.admin || !isOfManyProjects(runner)) };
  });
}

/** Whether a runner, which is of projects, is of several: only administrators delete those. */
export function isOfManyProjects({ isShared, projects }: Pick<RunnerAccess, 'isShared' | 'projects'>): boolean {
  return !isShared && projects > 1;
}

/** Throws Forbidden with the reason unless the actor may change the runner. */
export function requireChangeable(actor: Actor, { isShared, isAdministered }: RunnerAccess): void {
  if (actor.admin) return;
  if (isShared) throw new Forbidden(REASONS.shared);
  if (!isAdministered) throw new Forbidden(REASONS.noAccess);
}
