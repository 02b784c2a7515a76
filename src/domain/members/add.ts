import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { checkGrant, levelErrors } from '#src/domain/members/level.ts';
import type { ChangedMember } from '#src/domain/members/list.ts';
import {
  authorizeMembers,
  findSource,
  lockAccess,
  ofSource,
  type Source,
  type SourceRef,
  sourceIds,
} from '#src/domain/members/source.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { Conflict, ValidationFailed } from '#src/platform/errors.ts';

const { sql } = Prisma;

export interface NewMember {
  userId: number;
  /** 10 guest, 20 reporter, 30 developer, 40 master, 50 owner (of groups). */
  accessLevel: number;
  /** The day of expiry, on which it is already without effect: `YYYY-MM-DD`. */
  expiresAt?: string | null | undefined;
}

/** Makes a user a member. Throws NotFound for the source, Forbidden, Conflict, ValidationFailed. */
export async function addMember(context: Context, ref: SourceRef, input: NewMember): Promise<ChangedMember> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  authorizeMembers(actor, source);
  const [user] = await context.db.$queryRaw<{ member: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM members m WHERE ${ofSource(source, 'm')} AND m.user_id = u.id AND ${notExpired('m')}) AS member
    FROM users u WHERE u.id = ${input.userId} AND NOT u.ghost AND NOT u.bot`;
  if (user?.member) throw new Conflict('Member already exists', undefined, 'user_id');
  const errors = levelErrors(source, input.accessLevel);
  if (!user) errors.invite_email = ['is invalid'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  checkGrant(actor, source, input.accessLevel);
  await context.db.$transaction((tx) => insertMember(tx, context, source, input));
  return { source, userId: input.userId };
}

/** Inserts the membership, replacing an expired one; settles any access request. Throws Conflict if the user is a member. */
export async function insertMember(
  tx: Transaction,
  context: ChangeContext,
  source: Source,
  input: NewMember,
): Promise<void> {
  const { userId, accessLevel, expiresAt = null } = input;
  const columns = source.kind === 'project' ? sql`project_id, user_id` : sql`namespace_id, user_id`;
  await lockAccess(tx, source, userId);
  const added = await tx.$executeRaw`
    INSERT INTO members (user_id, project_id, namespace_id, access_level, expires_at)
    VALUES (${userId}, ${sourceIds(source)}, ${accessLevel}, ${expiresAt}::date)
    ON CONFLICT (${columns}) DO UPDATE
      SET access_level = EXCLUDED.access_level, expires_at = EXCLUDED.expires_at, created_at = EXCLUDED.created_at
      WHERE members.expires_at <= (now() AT TIME ZONE 'UTC')::date`;
  if (added === 0) throw new Conflict('Member already exists', undefined, 'user_id');
  const { record, kind } = source;
  const where = kind === 'project' ? { projectId: record.id } : { namespaceId: record.id };
  await tx.accessRequest.deleteMany({ where: { userId, ...where } });
  if (kind === 'project') {
    await recordChange(tx, context, {
      type: 'projectChanged',
      project: record,
      user: { id: userId },
      action: 'joined',
    });
  }
}
