/** Records whose state is sent to subscriptions, with their tables. */
export const STATES = {
  issue: { table: 'issues', project: 'project_id' },
  merge_request: { table: 'merge_requests', project: 'target_project_id' },
  pipeline: { table: 'pipelines', project: 'project_id' },
} as const;

export type StateKind = keyof typeof STATES;

/** Records whose changes have no cursor: after a lost connection, subscribers read them again. */
export const CURSORLESS = ['award', 'label', 'board', 'release', 'feature_flag', 'project', 'todo', 'deleted'] as const;

export type CursorlessKind = (typeof CURSORLESS)[number];

/** What subscriptions can watch. */
export type ChangeKind = StateKind | 'event' | 'trace' | CursorlessKind;

export function isCursorless(kind: ChangeKind): kind is CursorlessKind {
  return (CURSORLESS as readonly string[]).includes(kind);
}

/** A record that was added or changed, as IDs only. */
export interface Change {
  kind: ChangeKind;
  /** ID of the record; for job logs, of the job. */
  id: number;
  /** 0 for what belongs to a namespace or a user. */
  projectId: number;
  /** The namespace that it belongs to, where that is no project: the group of a label or board, and of a deleted project where it was. */
  namespaceId?: number | undefined;
  /** The user whom it concerns alone. */
  userId?: number | undefined;
  /** Of awards, the type that they are on (`Issue`); of what was deleted, what it was (`merge_request`). */
  of?: string | undefined;
  /** The visibility of a deleted project. */
  visibility?: string | undefined;
  /** Offset of a job log's chunk in bytes; absent if unknown. */
  position?: number | undefined;
  /** The cursor from which a lost subscription resumes after this change (docs/graphql.md, Subscriptions); null until known. */
  cursor: string | null;
  /** When this process received it, on the clock of `performance`; absent if it was read. */
  heardAt?: number | undefined;
  /** How many subscriptions to job logs had begun when this process received it; absent if it was read. */
  joins?: number | undefined;
}

/** The channel on which database triggers notify of changes. */
export const CHANGES = 'gantry_changes';

const TOLD = /^(issue|merge_request|pipeline|event|trace) (\d{1,10}) (\d{1,10})(?: (\d{1,15}))?$/;
const OWNED =
  /^(award|label|board|release|feature_flag|project|todo|deleted) (\d{1,10}) ([pnu])(\d{1,10})(?: (\w{1,20}))?(?: (\w{1,20}))?$/;

/** Parses a notification; null for those of later versions. */
export function parseChange(payload: string): Change | null {
  const told = TOLD.exec(payload);
  if (!told) return parseOwned(payload);
  const [, kind, id, projectId, position] = told;
  return {
    kind: kind as ChangeKind,
    id: Number(id),
    projectId: Number(projectId),
    ...(position === undefined ? {} : { position: Number(position) }),
    cursor: null,
  };
}

/** Identifies the record, as a text. */
export function recordOf({ kind, id, of }: Change): string {
  return of === undefined ? `${kind} ${id}` : `${kind} ${of} ${id}`;
}

/** Whether it tells that a whole project was deleted. */
export function isDeletedProject({ kind, of }: Change): boolean {
  return kind === 'deleted' && of === 'project';
}

/** Whether a change of a group's record also concerns the projects in the group: they use its labels. */
export function reachesProjects({ kind, of, projectId }: Change): boolean {
  return projectId === 0 && (kind === 'label' || (kind === 'deleted' && of === 'label'));
}

function parseOwned(payload: string): Change | null {
  const told = OWNED.exec(payload);
  if (!told) return null;
  const [, kind, id, owner, ownerId, of, visibility] = told;
  return {
    kind: kind as ChangeKind,
    id: Number(id),
    projectId: owner === 'p' ? Number(ownerId) : 0,
    ...(owner === 'n' && { namespaceId: Number(ownerId) }),
    ...(owner === 'u' && { userId: Number(ownerId) }),
    of,
    visibility,
    cursor: null,
  };
}

/**
 * The key of a pending change: pending changes of one record are read once. Chunks of a log from before and after a subscription
 * began stay separate, as only the later ones are sent to it.
 */
export function waitingKey(change: Change): string {
  return change.kind === 'trace' ? `${recordOf(change)} ${change.joins}` : recordOf(change);
}
