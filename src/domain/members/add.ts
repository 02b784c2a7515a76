import { type Auditing, audit } from '#src/access/audit/record.ts';
import { OWNER } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, userIdOf } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { auditMember } from '#src/domain/members/audit.ts';
import { isLastOwner } from '#src/domain/members/last_owner.ts';
import { checkGrant, levelErrors } from '#src/domain/members/level.ts';
import type { ChangedMember } from '#src/domain/members/list.ts';
import { mayBeMember } from '#src/domain/members/may_be_member.ts';
import type { MemberOutcome } from '#src/domain/members/outcomes.ts';
import {
  auditPlace,
  authorizeMembers,
  findSource,
  lockAccess,
  ofSource,
  type Source,
  type SourceRef,
  sourceIds,
} from '#src/domain/members/source.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import {
  AlreadyExists,
  BadRequest,
  type DomainError,
  NotFound,
  ValidationFailed,
  WrongState,
} from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const user = alias('User', 'u');

export interface NewMember {
  userId: number;
  /** 10 guest, 20 reporter, 30 developer, 40 master, 50 owner (of groups). */
  accessLevel: number;
  /** The day of expiry, on which it is already without effect: `YYYY-MM-DD`. */
  expiresAt?: string | null | undefined;
  /** The user who gives the membership; the actor when absent. */
  givenById?: number | undefined;
}

/** Makes a user a member. Throws NotFound for the source, Forbidden, Conflict, ValidationFailed. */
export async function addMember(context: Context, ref: SourceRef, input: NewMember): Promise<ChangedMember> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  authorizeMembers(actor, source);
  const [found] = await context.db.$queryRaw<{ member: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM members m WHERE ${ofSource(source, 'm')} AND m.user_id = u.id AND ${notExpired('m')}) AS member
    FROM users u WHERE u.id = ${input.userId} AND ${mayBeMember(user, source)}`;
  if (found?.member) throw alreadyMember(input.userId);
  const errors = levelErrors(source, input.accessLevel);
  if (!found) errors.invite_email = ['is invalid'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  checkGrant(actor, source, input.accessLevel);
  await context.db.$transaction((tx) => insertMember(tx, context, source, input));
  return { source, userId: input.userId };
}

/** The error for a user who is a member already: `existing` is the user. */
function alreadyMember(userId: number): AlreadyExists {
  return new AlreadyExists('Member already exists', { type: 'User', where: { id: userId } }, 'user_id');
}

/** Names users by number, or by username. */
export interface NamedUsers {
  userIds?: readonly number[] | null | undefined;
  usernames?: readonly string[] | null | undefined;
}

/** A project, or a group of which nothing but the ID matters, that somebody becomes a member of. */
type JoinedPlace = Extract<Source, { kind: 'project' }> | { kind: 'group'; record: { id: number } };

/** What changing members needs. */
export type MemberContext = ChangeContext & Pick<Context, 'actor'> & Auditing;

/** Users that one call may make members. */
export const MAX_ADDED_MEMBERS = 100;

/**
 * Makes several users members. Those who are members already get the new level and expiry. Returns why others could not be added,
 * by their username, or by their number where there is no such user, and what came of each. Throws NotFound for the source, Forbidden, ValidationFailed.
 */
export async function addMembers(
  context: Context,
  ref: SourceRef,
  { userIds, usernames }: NamedUsers,
  membership: Omit<NewMember, 'userId'>,
): Promise<{ source: Source; refused: ReadonlyMap<string, DomainError>; outcomes: readonly MemberOutcome[] }> {
  const actor = requireActor(context);
  const source = await findSource(context, ref);
  authorizeMembers(actor, source);
  const named = [...(userIds ?? []), ...(usernames ?? [])];
  const errors = levelErrors(source, membership.accessLevel);
  if (named.length > MAX_ADDED_MEMBERS) errors.user_id = [`has more than ${MAX_ADDED_MEMBERS} values`];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  checkGrant(actor, source, membership.accessLevel);
  const users = await queryRows<{ id: number; username: string }>(
    context.db,
    sql`SELECT ${user.id}, ${user.username} FROM ${table(user)} WHERE ${mayBeMember(user, source)}
      AND (${user.id} = ANY(${[...(userIds ?? [])]}::int[])
        OR lower(${user.username}) = ANY(lower_texts(${[...(usernames ?? [])]}::text[]))) ORDER BY ${user.id}`,
  );
  const byId = new Map(users.map((one) => [one.id, one]));
  const byName = new Map(users.map((one) => [one.username.toLowerCase(), one]));
  const missing = [
    ...(userIds ?? []).filter((id) => !byId.has(id)).map(String),
    ...(usernames ?? []).filter((name) => !byName.has(name.toLowerCase())),
  ];
  const refused = new Map<string, DomainError>(missing.map((name) => [name, noUser()]));
  await context.db.$transaction(async (tx) => {
    for (const { id: userId, username } of users) {
      if (!(await putMember(tx, context, source, { userId, ...membership }))) {
        refused.set(username, lastOwner());
      }
    }
  });
  const outcome = (list: MemberOutcome['list'], position: number, one: (typeof users)[number] | undefined) => ({
    ...{ list, position, userId: one?.id ?? null },
    refused: one ? (refused.get(one.username) ?? null) : noUser(),
  });
  const outcomes = [
    ...(userIds ?? []).map((id, position) => outcome('userIds', position, byId.get(id))),
    ...(usernames ?? []).map((name, position) => outcome('usernames', position, byName.get(name.toLowerCase()))),
  ];
  return { source, refused, outcomes };
}

/** The error for somebody who is no user. */
export function noUser(): NotFound {
  return new NotFound('User', 'User not found');
}

/** The error for the last owner of a group, who keeps that level. */
export function lastOwner(): WrongState {
  return new WrongState('The group must keep an owner');
}

/**
 * Makes a user a member, or gives a member the new level and expiry. False if the group would lose its last owner by that. The
 * caller has checked the rights.
 */
export async function putMember(
  tx: Transaction,
  context: MemberContext,
  source: Source,
  input: NewMember,
): Promise<boolean> {
  const { userId, accessLevel, expiresAt = null } = input;
  const { id } = source.record;
  const where = { userId, ...(source.kind === 'project' ? { projectId: id } : { namespaceId: id }) };
  await lockAccess(tx, source, userId);
  const member = await tx.member.findFirst({
    where: { ...where, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
  });
  if (!member) {
    await insertMember(tx, context, source, input);
    return true;
  }
  if ((accessLevel < OWNER || expiresAt) && (await isLastOwner(tx, source, member))) return false;
  const changes = { accessLevel, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
  await tx.member.update({ where: { id: member.id }, data: changes });
  await auditMember(tx, context, source, member, changes);
  return true;
}

/** What came of naming users as members: the membership of a single one, or why some of several could not be added. */
export type AddedMembers = { source: Source; outcomes: readonly MemberOutcome[] } & (
  | { changed: ChangedMember; refused: null }
  | { changed: null; refused: ReadonlyMap<string, DomainError> }
);

/** Makes users members: a single one as addMember does, several as addMembers does. */
export async function addNamedMembers(
  context: Context,
  ref: SourceRef,
  { userIds, usernames }: NamedUsers,
  membership: Omit<NewMember, 'userId'>,
): Promise<AddedMembers> {
  const [userId, ...others] = userIds ?? [];
  if (others.length > 0 || (usernames?.length ?? 0) > (userId === undefined ? 1 : 0)) {
    return { changed: null, ...(await addMembers(context, ref, { userIds, usernames }, membership)) };
  }
  const [username] = usernames ?? [];
  if (userId === undefined && username === undefined)
    throw new BadRequest('user_id is invalid', 'userIds', 'valueInvalid');
  // An unknown username resolves to no ID.
  const named = userId ?? (await userIdNamed(context, username ?? '')) ?? 0;
  const changed = await addMember(context, ref, { userId: named, ...membership });
  const list = userId === undefined ? ('usernames' as const) : ('userIds' as const);
  const outcomes = [{ list, position: 0, userId: changed.userId, refused: null }];
  return { source: changed.source, changed, refused: null, outcomes };
}

async function userIdNamed({ db }: Context, username: string): Promise<number | undefined> {
  // As a list, since a single value would be a pattern, in which `_` is any character.
  const where = { username: { in: [username], mode: 'insensitive' as const } };
  return (await db.user.findFirst({ where, select: { id: true } }))?.id;
}

/** Inserts the membership, replacing an expired one; settles any access request. Throws Conflict if the user is a member. */
export async function insertMember(
  tx: Transaction,
  context: MemberContext,
  source: JoinedPlace,
  input: NewMember,
): Promise<void> {
  const { userId, accessLevel, expiresAt = null } = input;
  const givenById = input.givenById ?? (context.actor && userIdOf(context.actor));
  const columns = source.kind === 'project' ? sql`project_id, user_id` : sql`namespace_id, user_id`;
  await lockAccess(tx, source, userId);
  const added = await tx.$executeRaw`
    INSERT INTO members (user_id, project_id, namespace_id, access_level, expires_at, created_by_id)
    VALUES (${userId}, ${sourceIds(source)}, ${accessLevel}, ${expiresAt}::date, ${givenById})
    ON CONFLICT (${columns}) DO UPDATE
      SET access_level = EXCLUDED.access_level, expires_at = EXCLUDED.expires_at, created_at = EXCLUDED.created_at,
        created_by_id = EXCLUDED.created_by_id
      WHERE members.expires_at <= (now() AT TIME ZONE 'UTC')::date`;
  if (added === 0) throw alreadyMember(userId);
  const { record, kind } = source;
  const where = kind === 'project' ? { projectId: record.id } : { namespaceId: record.id };
  await tx.accessRequest.deleteMany({ where: { userId, ...where } });
  const event = { action: 'member_created', place: auditPlace(source), target: { type: 'User', id: userId } } as const;
  await audit(tx, context, { ...event, attribute: 'access_level', to: accessLevel });
  if (kind === 'project') {
    await recordChange(tx, context, {
      type: 'projectChanged',
      project: record,
      user: { id: userId },
      action: 'joined',
    });
  }
}
