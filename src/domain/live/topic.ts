import { type Change, type ChangeKind, isDeletedProject } from '#src/domain/live/change.ts';
import type { Ancestry } from '#src/domain/live/places.ts';

/** The scope of a subscription: the records of a project, of a group with its subgroups, of the projects of a user, of a job. */
export interface Topic {
  kind: ChangeKind;
  scope: 'project' | 'group' | 'viewer' | 'job';
  id: number;
}

export function topicKey({ kind, scope, id }: Topic): string {
  return `${kind} ${scope} ${id}`;
}

/**
 * The keys of the topics that a change belongs to. Without the ancestry of its project or group only those of its project, its job
 * and its user.
 */
export function topicsOf(change: Change, place?: Ancestry): string[] {
  const { kind, id, projectId, userId } = change;
  const topic = (scope: Topic['scope'], of: number) => topicKey({ kind, scope, id: of });
  if (userId !== undefined) return [topic('viewer', userId)];
  const keys: string[] = [];
  if (projectId !== 0) keys.push(topic('project', projectId));
  else if (isDeletedProject(change)) keys.push(topic('project', id));
  if (kind === 'trace') keys.push(topic('job', id));
  for (const project of place?.projects ?? []) keys.push(topic('project', project));
  for (const group of place?.lineage ?? []) keys.push(topic('group', group));
  for (const user of place?.members ?? []) keys.push(topic('viewer', user));
  return keys;
}
