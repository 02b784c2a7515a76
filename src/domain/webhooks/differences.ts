import type { Change } from '#src/domain/changes/change.ts';

/** What a field was, and what it is. */
export interface Difference {
  previous: unknown;
  current: unknown;
}

/** What was changed, as payloads say it: by the names of the REST records. Labels are named by their IDs. */
export interface Differences {
  changes: Record<string, Difference>;
  labels: { added: number[]; removed: number[] };
  /** Whether the source branch has moved. */
  hasCommits: boolean;
}

const COLUMNS = {
  title: 'title',
  description: 'description',
  milestone: 'milestone_id',
  assignee: 'assignee_id',
  dueDate: 'due_date',
  targetBranch: 'target_branch',
} as const;

const STATES = {
  closed: ['opened', 'closed'],
  reopened: ['closed', 'opened'],
  merged: ['opened', 'merged'],
} as const;

/** What these changes make of the fields of a record. */
export function differences(given: readonly Change[]): Differences {
  const changes: Record<string, Difference> = {};
  const labels = { added: [] as number[], removed: [] as number[] };
  for (const change of given) {
    switch (change.kind) {
      case 'title':
      case 'description':
      case 'milestone':
      case 'assignee':
      case 'dueDate':
      case 'targetBranch':
        changes[COLUMNS[change.kind]] = { previous: change.from, current: change.to };
        break;
      case 'confidential':
        changes.confidential = { previous: !change.to, current: change.to };
        break;
      case 'closed':
      case 'reopened':
      case 'merged': {
        const [previous, current] = STATES[change.kind];
        changes.state = { previous, current };
        break;
      }
      case 'labels':
        labels.added.push(...change.added);
        labels.removed.push(...change.removed);
        break;
    }
  }
  // What was written while few could read it is not told together with the news that everybody can.
  if (changes.confidential?.current === false) {
    for (const name of Object.keys(changes)) if (name !== 'confidential') delete changes[name];
    labels.added = [];
    labels.removed = [];
  }
  return { changes, labels, hasCommits: given.some(({ kind }) => kind === 'commits') };
}
