import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { notExpired } from '#src/access/permissions/visibility.ts';
import { INVITATION_DAYS } from '#src/domain/members/expire.ts';
import { authorizeMembers, passes, type Source, type SourceOf } from '#src/domain/members/source.ts';
import { normaliseAddress } from '#src/domain/users/emails/address.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readPermitted, readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const invitation = alias('Invitation', 'iv');

/** Whether an invitation, under the alias `iv`, can still be accepted. */
export const PENDING = sql`(iv.created_at > now() - make_interval(days => ${INVITATION_DAYS}) AND ${notExpired('iv')})`;

computedFields('Invitation', {
  // Of addresses that are known to be theirs; the index of each table is on the lower-case address.
  userName: ({ email }) => sql`(SELECT u.name FROM users u WHERE NOT u.ghost AND u.id = COALESCE(
    (SELECT au.id FROM users au WHERE lower(au.email) = ${email} AND au.confirmed_at IS NOT NULL),
    (SELECT ae.user_id FROM emails ae WHERE lower(ae.email) = ${email} AND ae.confirmed_at IS NOT NULL)))`,
});

/** Which invitations are listed. */
export interface InvitationFilter {
  /** The whole address, ignoring case; null or blank for all. */
  search?: string | null | undefined;
}

/** The pending invitations of projects, or of groups, oldest first, for those who administer members; Forbidden in place of others'. */
export async function listInvitations<R>(
  context: Context,
  sources: readonly Source[],
  { search }: InvitationFilter,
  page: PageRequest,
  selection: Selection<'Invitation', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const column = sources[0]?.kind === 'project' ? invitation.projectId : invitation.groupId;
  const conditions = [PENDING];
  if (search?.trim()) conditions.push(sql`${invitation.email} = ${normaliseAddress(search)}`);
  const pageOf = ({ source }: Asked<{ source: number }>) => {
    const where = all([sql`${column} = ${source}`, ...conditions]);
    return pageOfRows(selection, { rows: invitation, where, order: byKey('Invitation') }, page);
  };
  return forPermittedParents(
    sources,
    (source) => authorizeMembers(actor, source),
    (permitted) => {
      const parents = permitted.map(({ record }) => ({ source: record.id }));
      return readPages<R>(context.db, page, perParent(parents, { source: 'int' }, pageOf));
    },
  );
}

/** The pending invitation of an address, for those who administer members. Throws Forbidden, NotFound. */
export async function findInvitation<R>(
  context: Context,
  source: Source,
  email: string,
  selection: Selection<'Invitation', R>,
): Promise<R> {
  authorizeMembers(requireActor(context), source);
  const own = source.kind === 'project' ? invitation.projectId : invitation.groupId;
  const where = sql`${own} = ${source.record.id} AND ${invitation.email} = ${normaliseAddress(email)} AND ${PENDING}`;
  const found = await readRow(context.db, selection, { rows: invitation, where });
  if (!found) throw new NotFound('Invitation');
  return found;
}

const OF_SOURCE = select('Invitation', { id: true, projectId: true, groupId: true });

/**
 * The pending invitations with these IDs, for those who administer members there, in one statement.
 *
 * @param sourceOf finds the project or group if the actor can see it, null for others
 */
export function findInvitationsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Invitation', R>,
  sourceOf: SourceOf,
): Promise<(R & { id: number })[]> {
  const actor = requireActor(context);
  const list = { rows: invitation, ids, keys: OF_SOURCE, only: PENDING };
  return readPermitted(context.db, selection, list, async ({ projectId, groupId }) => {
    const source = await sourceOf({ projectId, groupId });
    return source !== null && passes(authorizeMembers, actor, source);
  });
}
