import type { AuditAction, AuditTarget } from '#src/access/audit/actions.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { LEVEL_NAMES } from '#src/access/permissions/level_names.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPage, readRow, readRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const event = alias('AuditEvent', 'ae');
const NEWEST_FIRST = order('AuditEvent', ['createdAt', 'id'], 'desc');

/** A project or group whose audit log is read. */
export type AuditedPlace = { kind: 'project'; record: ProjectRow } | { kind: 'group'; record: GroupRow };

/** Which audit events are listed; all must hold. */
export interface AuditEventFilter {
  action?: AuditAction | null | undefined;
  targetType?: AuditTarget | null | undefined;
  /** Of who did it, ignoring case. */
  authorUsername?: string | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
}

/** The kinds of places, as clients of v4 name them. */
export type AuditEntity = 'User' | 'Group' | 'Project' | 'Gitlab::Audit::InstanceScope';

/** Which places the audit events of the whole server are of. */
export interface AuditEntityFilter {
  entityType?: AuditEntity | null | undefined;
  /** Number of the user, group or project, which entityType names. */
  entityId?: number | null | undefined;
}

/** The audit events of the whole server, newest first, for administrators. Throws Unauthenticated, Forbidden, BadRequest. */
export async function listAllAuditEvents<R>(
  context: Context,
  filter: AuditEventFilter & AuditEntityFilter,
  page: PageRequest,
  selection: Selection<'AuditEvent', R>,
): Promise<Page<R>> {
  requireAdmin(context);
  const where = all([...ofEntity(filter), ...matching(filter)]);
  return readPage(context.db, selection, { rows: event, where, order: NEWEST_FIRST }, page);
}

/**
 * The audit events of projects, or of groups, newest first, in one statement, for masters of the projects and owners of the groups;
 * Forbidden in place of the others. A group's are those of the group itself, without those of what is in it.
 */
export async function listAuditEvents<R>(
  context: Context,
  places: readonly AuditedPlace[],
  filter: AuditEventFilter,
  page: PageRequest,
  selection: Selection<'AuditEvent', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const column = places[0]?.kind === 'project' ? event.projectId : event.groupId;
  const pageOf = ({ source }: Asked<{ source: number }>) => {
    const where = all([sql`${column} = ${source}`, ...matching(filter)]);
    return pageOfRows(selection, { rows: event, where, order: NEWEST_FIRST }, page);
  };
  return forPermittedParents(
    places,
    (place) => authorizeAudit(actor, place),
    (permitted) => {
      const parents = permitted.map(({ record }) => ({ source: record.id }));
      return readPages<R>(context.db, page, perParent(parents, { source: 'int' }, pageOf));
    },
  );
}

/** An audit event of any place, for administrators. Throws Unauthenticated, Forbidden, NotFound. */
export async function findAuditEvent<R>(
  context: Context,
  id: number,
  selection: Selection<'AuditEvent', R>,
): Promise<R> {
  requireAdmin(context);
  return one(context, sql`${event.id} = ${id}`, selection);
}

/** An audit event of a project or group, for those who may read its audit log. Throws Unauthenticated, Forbidden, NotFound. */
export async function findAuditEventOf<R>(
  context: Context,
  place: AuditedPlace,
  id: number,
  selection: Selection<'AuditEvent', R>,
): Promise<R> {
  authorizeAudit(requireActor(context), place);
  const column = place.kind === 'project' ? event.projectId : event.groupId;
  return one(context, sql`${event.id} = ${id} AND ${column} = ${place.record.id}`, selection);
}

/** The audit events with these IDs, for administrators; none for others. */
export async function findAuditEventsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'AuditEvent', R>,
): Promise<R[]> {
  if (!requireActor(context).admin) return [];
  return readRows(context.db, selection, { rows: event, where: sql`${event.id} = ANY(${[...ids]}::int[])` });
}

/** Which kind of place an audit event is of. */
export function entityOf({
  projectId,
  groupId,
  userId,
}: Pick<Columns['AuditEvent'], 'projectId' | 'groupId' | 'userId'>): AuditEntity {
  if (projectId !== null) return 'Project';
  if (groupId !== null) return 'Group';
  return userId === null ? 'Gitlab::Audit::InstanceScope' : 'User';
}

/** What happened, in words: `Member updated: access level from developer to master`. */
export function auditMessage({
  action,
  attribute,
  oldValue,
  newValue,
}: Pick<Columns['AuditEvent'], 'action' | 'attribute' | 'oldValue' | 'newValue'>): string {
  const words = action.replaceAll('_', ' ');
  const what = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  if (attribute === null) return what;
  const from = oldValue === null ? '' : ` from ${inWords(attribute, oldValue)}`;
  const to = newValue === null ? '' : ` to ${inWords(attribute, newValue)}`;
  return `${what}: ${attribute.replaceAll('_', ' ')}${from}${to}`;
}

/** A value as people read it: access levels by their names. */
function inWords(attribute: string, value: string): string {
  return /(?:^|_)access(?:_level)?$/.test(attribute) ? (LEVEL_NAMES[Number(value)] ?? value) : value;
}

async function one<R>({ db }: Context, where: Prisma.Sql, selection: Selection<'AuditEvent', R>): Promise<R> {
  const found = await readRow(db, selection, { rows: event, where });
  if (!found) throw new NotFound('Audit Event');
  return found;
}

function authorizeAudit(actor: Actor, { kind, record }: AuditedPlace): void {
  authorize(actor, kind === 'project' ? 'read_audit_event' : 'read_group_audit_event', record);
}

function ofEntity({ entityType, entityId }: AuditEntityFilter): Prisma.Sql[] {
  if (entityType == null) {
    if (entityId != null) throw new BadRequest('entity_type is missing', 'entityType', 'valuesMissing');
    return [];
  }
  if (entityType === 'Gitlab::Audit::InstanceScope') {
    return [sql`${event.projectId} IS NULL AND ${event.groupId} IS NULL AND ${event.userId} IS NULL`];
  }
  const column = { User: event.userId, Group: event.groupId, Project: event.projectId }[entityType];
  return [entityId == null ? sql`${column} IS NOT NULL` : sql`${column} = ${entityId}`];
}

function matching({ action, targetType, authorUsername, createdAfter, createdBefore }: AuditEventFilter): Prisma.Sql[] {
  const author = authorUsername?.replaceAll('\0', ' ');
  return [
    sql`TRUE`,
    ...(action == null ? [] : [sql`${event.action} = ${action}`]),
    ...(targetType == null ? [] : [sql`${event.targetType} = ${targetType}`]),
    ...(author == null
      ? []
      : [sql`${event.authorId} = (SELECT u.id FROM users u WHERE lower(u.username) = lower(${author}))`]),
    ...(createdAfter ? [sql`${event.createdAt} >= ${createdAfter.toISOString()}::timestamptz`] : []),
    ...(createdBefore ? [sql`${event.createdAt} <= ${createdBefore.toISOString()}::timestamptz`] : []),
  ];
}
