/** Records of which subscriptions are told the state, with the tables that they are in. */
export const STATES = {
  issue: { table: 'issues', project: 'project_id' },
  merge_request: { table: 'merge_requests', project: 'target_project_id' },
  pipeline: { table: 'pipelines', project: 'project_id' },
} as const;

export type StateKind = keyof typeof STATES;

/** What subscriptions are told of. */
export type ChangeKind = StateKind | 'event' | 'trace';

/** A record that was added or changed, by its IDs alone. */
export interface Change {
  kind: ChangeKind;
  /** Of the record; of a trace, of its job. */
  id: number;
  projectId: number;
  /** Where the part of a trace begins, in bytes; absent where that is not known. */
  position?: number | undefined;
  /** From where a lost subscription goes on behind it (docs/graphql.md, Subscriptions); null until it is known. */
  cursor: string | null;
  /** When this process heard of it, on the clock of `performance`; absent where it was read. */
  heardAt?: number | undefined;
  /** How many subscriptions to traces had begun when this process heard of it; absent where it was read. */
  joins?: number | undefined;
}

/** The channel on which triggers of the database tell of changes. */
export const CHANGES = 'gantry_changes';

const TOLD = /^(issue|merge_request|pipeline|event|trace) (\d{1,10}) (\d{1,10})(?: (\d{1,15}))?$/;

/** The change that a notification announces; null for notifications of later versions. */
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

/** Which record it is, as a text. */
export function recordOf({ kind, id }: Change): string {
  return `${kind} ${id}`;
}

/**
 * The key under which a change waits to be read: changes of one record that wait together are read once. Parts of a trace
 * from before and after a subscription began stay apart, as it is sent the later ones only.
 */
export function waitingKey(change: Change): string {
  return change.kind === 'trace' ? `${recordOf(change)} ${change.joins}` : recordOf(change);
}
