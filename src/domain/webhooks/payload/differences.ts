import type { Change, LastChange } from '#src/domain/changes/change.ts';

/** The previous and current value of a field. */
export interface Difference {
  previous: unknown;
  current: unknown;
}

/** The changes in a payload, by the names of the REST records. Labels are identified by ID. */
export interface Differences {
  changes: Record<string, Difference>;
  labels: { added: number[]; removed: number[] };
  /** The assignees before, by ID; null if they are the same. */
  assigneesBefore: readonly number[] | null;
  /** Likewise. */
  reviewersBefore: readonly number[] | null;
  /** Seconds of work that were added, or taken away. */
  timeChange: number;
  /** Whether the source branch has moved. */
  hasCommits: boolean;
}

const COLUMNS = {
  title: 'title',
  description: 'description',
  milestone: 'milestone_id',
  dueDate: 'due_date',
  targetBranch: 'target_branch',
  discussionLocked: 'discussion_locked',
  issueType: 'type',
  severity: 'severity',
  squash: 'squash',
  mergeStatus: 'merge_status',
} as const;

const LAST_CHANGE = {
  updatedById: 'updated_by_id',
  lastEditedById: 'last_edited_by_id',
  lastEditedAt: 'last_edited_at',
} as const;

/** Times are written as in all payloads. */
function written(value: string | number | null): string | number | null {
  return typeof value === 'string' ? new Date(value).toISOString() : value;
}

const STATES = {
  closed: ['opened', 'closed'],
  reopened: ['closed', 'opened'],
  merged: ['opened', 'merged'],
} as const;

/** The numbers of states in payloads. */
export const STATE_IDS: Readonly<Record<string, number>> = { opened: 1, closed: 2, merged: 3 };

/** The type of an issue in payloads, such as `Issue`. */
export const typeWord = (type: string) => type.charAt(0).toUpperCase() + type.slice(1);

/** The severity of an issue in payloads, such as `HIGH`. */
export const severityWord = (severity: string) => severity.toUpperCase();

/** Converts changes to differences of a record's fields. */
export function differences(given: readonly Change[]): Differences {
  const changes: Record<string, Difference> = {};
  const labels = { added: [] as number[], removed: [] as number[] };
  let timeChange = 0;
  let assigneesBefore: readonly number[] | null = null;
  let reviewersBefore: readonly number[] | null = null;
  for (const change of given) {
    switch (change.kind) {
      case 'title':
      case 'description':
      case 'milestone':
      case 'dueDate':
      case 'targetBranch':
      case 'discussionLocked':
      case 'squash':
      case 'mergeStatus':
        changes[COLUMNS[change.kind]] = { previous: change.from, current: change.to };
        break;
      case 'lastChange':
        for (const [key, name] of Object.entries(LAST_CHANGE) as [keyof LastChange, string][]) {
          const [previous, current] = [change.from[key], change.to[key]];
          if (previous !== current) changes[name] = { previous: written(previous), current: written(current) };
        }
        break;
      case 'confidential':
        changes.confidential = { previous: !change.to, current: change.to };
        break;
      case 'closed':
      case 'reopened':
      case 'merged': {
        const [previous, current] = STATES[change.kind];
        changes.state = { previous, current };
        changes.state_id = { previous: STATE_IDS[previous], current: STATE_IDS[current] };
        break;
      }
      case 'assignees':
        assigneesBefore = change.from;
        if (change.from[0] !== change.to[0]) {
          changes.assignee_id = { previous: change.from[0] ?? null, current: change.to[0] ?? null };
        }
        break;
      case 'reviewers':
        reviewersBefore = change.from;
        break;
      case 'issueType':
      case 'severity': {
        const worded = change.kind === 'severity' ? severityWord : typeWord;
        changes[COLUMNS[change.kind]] = { previous: worded(change.from), current: worded(change.to) };
        break;
      }
      case 'discussionsResolved':
        changes.blocking_discussions_resolved = { previous: false, current: true };
        break;
      case 'mergeWhenPipelineSucceeds':
      case 'mergeCanceled': {
        const isSet = change.kind === 'mergeWhenPipelineSucceeds';
        changes.merge_when_pipeline_succeeds = { previous: !isSet, current: isSet };
        break;
      }
      case 'timeSpent':
        timeChange += change.seconds;
        break;
      case 'timeReset':
        timeChange -= change.seconds;
        break;
      case 'labels':
        labels.added.push(...change.added);
        labels.removed.push(...change.removed);
        break;
    }
  }
  // Texts written while the issue was confidential are not sent with the event that makes it public.
  if (changes.confidential?.current === false) {
    for (const name of Object.keys(changes)) if (name !== 'confidential') delete changes[name];
    assigneesBefore = null;
    labels.added = [];
    labels.removed = [];
  }
  return {
    changes,
    labels,
    assigneesBefore,
    reviewersBefore,
    timeChange,
    hasCommits: given.some(({ kind }) => kind === 'commits'),
  };
}
