import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import type { PushRule } from '#src/generated/prisma/client.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import { forPermittedParents } from '#src/platform/records/parents.ts';
import { readPermitted, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const rule = alias('PushRule', 'r');

/** A rule as it is stored. */
export type PushRuleRow = PushRule;

/** The rule that counts for pushes to a project: its own, else that of the innermost group with one; null if there is none. */
export async function ruleOf(db: Db | Transaction, projectId: number): Promise<PushRuleRow | null> {
  const [found] = await db.$queryRaw<{ id: number }[]>`
    SELECT r.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
      JOIN push_rules r ON r.project_id = p.id OR r.group_id = ANY(n.lineage)
    WHERE p.id = ${projectId}
    ORDER BY r.project_id IS NULL, array_position(n.lineage, r.group_id) DESC LIMIT 1`;
  return found ? db.pushRule.findUnique({ where: { id: found.id } }) : null;
}

/** The rules of projects and groups themselves, in one statement; null for those without one, Forbidden in place of others'. */
export function findPushRules<R>(
  { db, actor }: Context,
  places: readonly Owner[],
  selection: Selection<'PushRule', R>,
): Promise<(R | null | Error)[]> {
  return forPermittedParents(
    places,
    ({ project, group }) =>
      project ? authorize(actor, 'admin_push_rule', project) : authorize(actor, 'admin_group_push_rule', group),
    async (permitted) => {
      const projects = permitted.flatMap(({ project }) => project?.id ?? []);
      const groups = permitted.flatMap(({ group }) => group?.id ?? []);
      const where = sql`(${rule.projectId} = ANY(${projects}::int[]) OR ${rule.groupId} = ANY(${groups}::int[]))`;
      const found = await readRows(db, selection.with(OF_PLACE), { rows: rule, where });
      return permitted.map(({ project, group }) => {
        const isOwn = (one: (typeof found)[number]) =>
          project ? one.projectId === project.id : one.groupId === group.id;
        return found.find(isOwn) ?? null;
      });
    },
  );
}

const OF_PLACE = select('PushRule', { id: true, projectId: true, groupId: true });

/**
 * The rules with these IDs that the actor administers, in one statement.
 *
 * @param placeOf finds the project or group if the actor can see it, null for others
 */
export function findPushRulesByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'PushRule', R>,
  placeOf: (ids: { projectId: number | null; groupId: number | null }) => Promise<Owner | null>,
): Promise<(R & { id: number })[]> {
  const actor = requireActor(context);
  return readPermitted(context.db, selection, { rows: rule, ids, keys: OF_PLACE }, async (ids) => {
    const place = await placeOf(ids);
    if (!place) return false;
    return place.project
      ? can(actor, 'admin_push_rule', place.project)
      : can(actor, 'admin_group_push_rule', place.group);
  });
}
