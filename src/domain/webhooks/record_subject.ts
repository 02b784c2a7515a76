import type { Change, SubjectChanged } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
import { differences } from '#src/domain/webhooks/payload/differences.ts';
import {
  issueFacts,
  mergeRequestFacts,
  type SubjectAction,
  type SubjectEvent,
} from '#src/domain/webhooks/subject_facts.ts';
import type { Transaction } from '#src/platform/database/db.ts';

const ACTIONS: Partial<Record<Change['kind'], SubjectAction>> = {
  opened: 'open',
  closed: 'close',
  reopened: 'reopen',
  merged: 'merge',
  approved: 'approved',
  unapproved: 'unapproved',
  approvalsReset: 'unapproved',
};

/** Changes that cause no event by themselves. */
const SILENT: ReadonlySet<Change['kind']> = new Set([
  'deleted',
  'movedFrom',
  'linked',
  'unlinked',
  'parentAdded',
  'parentRemoved',
  'childAdded',
  'childRemoved',
  'sourceBranchDeleted',
  'suggestionsApplied',
  'discussionsContinued',
  'changesRequested',
  'reviewRequestedAgain',
  'lastChange',
]);

/**
 * Records the event of a changed issue or merge request for hooks, in the transaction of the change and after it: one event for
 * all changes of a command. Its facts are read now.
 */
export async function recordSubjectEvent(
  tx: Transaction,
  { db }: ChangeContext,
  { actor, subject: { type, id }, changes }: SubjectChanged,
): Promise<void> {
  const action = actionOf(changes);
  if (action === null) return;
  const wanted = await hookSubscriptions(db, tx);
  if (!(type === 'Issue' ? wanted.issue : wanted.mergeRequest)) return;
  const event = { action, actorId: actor.id, ...differences(changes) };
  await (type === 'Issue' ? recordIssueEvent(tx, id, event) : recordMergeRequestEvent(tx, id, event));
}

/** Null if there is no event. A changed state takes precedence: other changes are included. */
function actionOf(changes: readonly Change[]): SubjectAction | null {
  if (changes.some(({ kind }) => kind === 'deleted')) return null;
  for (const change of changes) {
    const action = ACTIONS[change.kind];
    if (action) return isPartial(change) ? (PARTIAL[action] ?? action) : action;
  }
  return changes.some(({ kind }) => !SILENT.has(kind)) ? 'update' : null;
}

/** What an approval is called that is not the last that rules ask for, and what is taken back while some are missing. */
const PARTIAL: Partial<Record<SubjectAction, SubjectAction>> = { approved: 'approval', unapproved: 'unapproval' };

function isPartial(change: Change): boolean {
  return ('isWhole' in change && !change.isWhole) || ('wasWhole' in change && !change.wasWhole);
}

async function recordIssueEvent(tx: Transaction, id: number, event: SubjectEvent): Promise<void> {
  await tx.$executeRaw`
    SELECT record_hook_event(k.kind, i.project_id, ${issueFacts(event)})
    FROM issues i CROSS JOIN LATERAL (SELECT CASE WHEN i.confidential THEN 'confidential_issue' ELSE 'issue' END AS kind) k
    WHERE i.id = ${id} AND i.deleted_at IS NULL AND EXISTS (SELECT 1 FROM hooks_for(k.kind, i.project_id))`;
}

async function recordMergeRequestEvent(tx: Transaction, id: number, event: SubjectEvent): Promise<void> {
  await tx.$executeRaw`
    SELECT record_hook_event('merge_request', m.target_project_id, ${mergeRequestFacts(event)})
    FROM merge_requests m
    WHERE m.id = ${id} AND EXISTS (SELECT 1 FROM hooks_for('merge_request', m.target_project_id))`;
}
