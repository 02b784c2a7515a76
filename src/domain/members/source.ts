import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { accessLock } from '#src/platform/database/lock_names.ts';
import { BadRequest, DomainError } from '#src/platform/errors.ts';

/** A project or group, which can have members. */
export type Source = { kind: 'project'; record: ProjectRow } | { kind: 'group'; record: GroupRow };

/** What of a source says which it is. */
export interface MemberPlace {
  kind: Source['kind'];
  record: { id: number };
}

/** Identifies a source. */
export interface SourceRef {
  kind: Source['kind'];
  ref: IdOrPath;
}

/** The project or group, if the actor may see it and the credential allows what the request does. Throws InsufficientScope, NotFound. */
export async function findSource(context: Context, { kind, ref }: SourceRef): Promise<Source> {
  readerOf(context);
  return kind === 'project'
    ? { kind, record: await findProject(context, ref) }
    : { kind, record: await findGroup(context, ref) };
}

/** As findSource, for a project or a group. Throws BadRequest unless exactly one is named. */
export function sourceAt(context: Context, { project, group }: OwnerRef): Promise<Source> {
  if (project != null && group == null) return findSource(context, { kind: 'project', ref: project });
  if (group != null && project == null) return findSource(context, { kind: 'group', ref: group });
  throw new BadRequest('Name either a project or a group', 'project');
}

/** A condition for the members, or access requests, of the source, on an alias of their table. */
export function ofSource({ kind, record }: Source, alias: string): Prisma.Sql {
  const column = Prisma.raw(`${alias}.${kind === 'project' ? 'project_id' : 'namespace_id'}`);
  return Prisma.sql`${column} = ${record.id}`;
}

/** The two columns that identify the source, as values for `project_id, namespace_id`. */
export function sourceIds({ kind, record }: MemberPlace): Prisma.Sql {
  return kind === 'project' ? Prisma.sql`${record.id}::int, NULL::int` : Prisma.sql`NULL::int, ${record.id}::int`;
}

/** Where the audit log has what was done to the source. */
export function auditPlace({ kind, record }: MemberPlace): { projectId: number } | { groupId: number } {
  return kind === 'project' ? { projectId: record.id } : { groupId: record.id };
}

/** Throws Forbidden unless the actor may read the members. Groups require no access level for that. */
export function authorizeReading(actor: Actor | null, { kind, record }: Source): void {
  if (kind === 'project') authorize(actor, 'read_member', record);
}

/** Throws Forbidden unless the actor may add, update and remove members. */
export function authorizeMembers(actor: Actor | null, { kind, record }: Source): void {
  authorize(actor, kind === 'project' ? 'admin_project_member' : 'admin_group_member', record);
}

/** Throws Forbidden unless the actor may see, approve and deny access requests. */
export function authorizeRequests(actor: Actor | null, { kind, record }: Source): void {
  authorize(actor, kind === 'project' ? 'admin_access_request' : 'admin_group_access_request', record);
}

/** Finds the project or group with one of these IDs if the actor can see it, null for others; batched. */
export type SourceOf = (ids: { projectId: number | null; groupId: number | null }) => Promise<Source | null>;

/** Whether the actor may do with a source what a check of this file says. */
export function passes(
  check: (actor: Actor | null, source: Source) => void,
  actor: Actor | null,
  source: Source,
): boolean {
  try {
    check(actor, source);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

/** Serializes everything that determines a user's access to the source. */
export async function lockAccess(tx: Transaction, { kind, record }: MemberPlace, userId: number): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${accessLock(kind, record.id, userId)}, 0))`;
}
