import { audit } from '#src/access/audit/record.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { endOf, type MemberIds } from '#src/domain/members/audit.ts';
import { keepAnOwner } from '#src/domain/members/last_owner.ts';
import { type ChangeableMember, memberToChange } from '#src/domain/members/list.ts';
import { auditPlace, authorizeMembers, findSource, type SourceRef } from '#src/domain/members/source.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';

/** What else ends with a membership. */
export interface Removal {
  /** Leaves the memberships of subgroups, and of projects in the group, which else end too. */
  skipSubresources?: boolean | null | undefined;
  /** Takes the user off the assignees and reviewers of what is in the project or group. */
  unassignIssuables?: boolean | null | undefined;
}

/**
 * Ends a direct membership. Members may leave, except for the last owner of a group and the owner of the project's personal
 * namespace. Returns the membership as it was. Throws NotFound for source and member, Forbidden.
 */
export async function removeMember(
  context: Context,
  ref: SourceRef,
  userId: number,
  { skipSubresources, unassignIssuables }: Removal = {},
): Promise<ChangeableMember> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  if (actor.id !== userId) authorizeMembers(actor, source);
  const member = await memberToChange(context, source, userId);
  if (source.kind === 'project' && source.record.ownerId === userId) throw new Forbidden();
  await context.db.$transaction(async (tx) => {
    await keepAnOwner(tx, source, member);
    const { count } = await tx.member.deleteMany({ where: { id: member.id } });
    if (count === 0) throw new NotFound('Member');
    const target = { type: 'User', id: userId } as const;
    await audit(tx, context, { action: 'member_deleted', place: auditPlace(source), target });
    if (source.kind === 'project') {
      const user = { id: userId };
      await recordChange(tx, context, { type: 'projectChanged', project: source.record, user, action: 'left' });
    } else if (!skipSubresources) await leaveBelow(tx, context, source.record.id, userId);
    if (unassignIssuables) {
      const { id } = source.record;
      const place = source.kind === 'project' ? { projectId: id } : { groupId: id };
      await recordChange(tx, context, { type: 'userUnassigned', place, user: { id: userId } });
    }
  });
  return member;
}

/** Ends the memberships of a user in the subgroups of a group, and in the projects of both, with their events in the feeds. */
async function leaveBelow(tx: Transaction, context: Context, groupId: number, userId: number): Promise<void> {
  const gone = await tx.$queryRaw<MemberIds[]>`
    WITH inside AS (SELECT n.id FROM namespaces n WHERE n.lineage @> ARRAY[${groupId}]::int[]),
      gone AS (DELETE FROM members m WHERE m.user_id = ${userId} AND (m.namespace_id IN (SELECT id FROM inside)
        OR m.project_id IN (SELECT p.id FROM projects p WHERE p.namespace_id IN (SELECT id FROM inside))) RETURNING m.user_id, m.project_id, m.namespace_id),
      told AS (INSERT INTO events (project_id, author_id, action)
        SELECT project_id, ${userId}, 'left' FROM gone WHERE project_id IS NOT NULL)
    SELECT user_id AS "userId", project_id AS "projectId", namespace_id AS "groupId" FROM gone`;
  await audit(tx, context, ...gone.map((one) => endOf(one, 'member_deleted')));
}
