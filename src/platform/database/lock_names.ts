/*
 * Every advisory lock of the server: all share the numbers of one database, so that two of the same number or name would hold
 * up each other. Locks by name have the number hashtextextended(name, 0).
 */

/** Applying migrations; `prisma migrate deploy` takes the same number, so that the two exclude each other. */
export const MIGRATE_LOCK = 72_707_369;

/** Preparing what processes share, at the start. */
export const START_LOCK = 72_707_370;

/** Backups, exclusive; removing objects of any repository, shared. */
export const ALL_OBJECTS_LOCK = 'objects of all repositories';

/** Making one project the fork of another. */
export const FORK_LINKS_LOCK = 'fork links';

/** Setting feature toggles. */
export const FEATURE_TOGGLES_LOCK = 'feature toggles';

/** Making broadcast messages. */
export const BROADCAST_MESSAGES_LOCK = 'broadcast messages';

/** Deleting an administrator. */
export const ADMINISTRATORS_LOCK = 'administrators';

/** What is locked of a repository; see src/domain/repository/lock.ts. */
export type RepositoryLock = 'repository' | 'branch' | 'removal' | 'maintenance' | 'objects';

/** A lock on a repository, or on `more` in it. The owner is the ID of a project, or the kind of another owner and its ID. */
export function repositoryLock(kind: RepositoryLock, owner: number | string, more = ''): string {
  return `${kind} ${owner}${more}`;
}

/** Deciding which job of a resource group runs. */
export function resourceGroupLock(projectId: number, name: string): string {
  return `resource group ${projectId} ${name}`;
}

/** Finding or creating the pipeline of the statuses of a commit. */
export function statusesLock(projectId: number, oid: string, ref: string): string {
  return `statuses ${projectId} ${oid} ${ref}`;
}

/** Changing the integration of one kind in a place. */
export function integrationLock(which: string): string {
  return `integration ${which}`;
}

/** Creating a webhook of a project, a group or the server. */
export function hooksLock(place: string): string {
  return `hooks of ${place}`;
}

/** Changing the access of a user to a project or group. */
export function accessLock(kind: 'project' | 'group', sourceId: number, userId: number): string {
  return `access ${kind} ${sourceId} ${userId}`;
}
