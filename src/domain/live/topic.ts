import type { Change, ChangeKind } from '#src/domain/live/change.ts';
import type { ProjectAncestry } from '#src/domain/live/places.ts';

/** The scope of a subscription: the records of a project, of a group with its subgroups, of the projects of a user, of a job. */
export interface Topic {
  kind: ChangeKind;
  scope: 'project' | 'group' | 'viewer' | 'job';
  id: number;
}

export function topicKey({ kind, scope, id }: Topic): string {
  return `${kind} ${scope} ${id}`;
}

/** The keys of the topics that a change belongs to. Without the project's ancestry only those of its project and its job. */
export function topicsOf({ kind, id, projectId }: Change, place?: ProjectAncestry): string[] {
  const keys = [topicKey({ kind, scope: 'project', id: projectId })];
  if (kind === 'trace') keys.push(topicKey({ kind, scope: 'job', id }));
  for (const group of place?.lineage ?? []) keys.push(topicKey({ kind, scope: 'group', id: group }));
  for (const user of place?.members ?? []) keys.push(topicKey({ kind, scope: 'viewer', id: user }));
  return keys;
}
