/** Records whose state is sent to subscriptions, with their tables. */
export const STATES = {
  issue: { table: 'issues', project: 'project_id' },
  merge_request: { table: 'merge_requests', project: 'target_project_id' },
  pipeline: { table: 'pipelines', project: 'project_id' },
} as const;

export type StateKind = keyof typeof STATES;

/** What subscriptions can watch. */
export type ChangeKind = StateKind | 'event' | 'trace';

/** A record that was added or changed, as IDs only. */
export interface Change {
  kind: ChangeKind;
  /** ID of the record; for job logs, of the job. */
  id: number;
  projectId: number;
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

/** Parses a notification; null for those of later versions. */
export function parseChange(payload: string): Change | null {
  const told = TOLD.exec(payload);
  if (!told) return null;
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
export function recordOf({ kind, id }: Change): string {
  return `${kind} ${id}`;
}

/**
 * The key of a pending change: pending changes of one record are read once. Chunks of a log from before and after a subscription
 * began stay separate, as only the later ones are sent to it.
 */
export function waitingKey(change: Change): string {
  return change.kind === 'trace' ? `${recordOf(change)} ${change.joins}` : recordOf(change);
}
