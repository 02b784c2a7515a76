import type { SubjectChanged } from '#src/domain/changes/change.ts';
import type { RecordHappening } from '#src/domain/notifications/mailing/request.ts';

/** The changes that users can choose to get mail about. For a moved issue, mail is about the original. */
export function mailOf({ actor, subject: { type, id, project }, changes }: SubjectChanged): RecordHappening[] {
  if (changes.some(({ kind }) => kind === 'movedFrom')) return [];
  const common = { projectId: project.id, subject: { type, id }, actorId: actor.id };
  return changes.flatMap((change): RecordHappening[] => {
    switch (change.kind) {
      case 'opened':
        return [{ ...common, event: `new${type}` }];
      case 'closed':
        return [{ ...common, event: `close${type}` }];
      case 'reopened':
        return [{ ...common, event: `reopen${type}` }];
      case 'merged':
        return [{ ...common, event: 'mergeMergeRequest' }];
      case 'assignees':
        return [{ ...common, event: `reassign${type}`, ...people('assignee', change) }];
      case 'reviewers':
        return [{ ...common, event: 'reassignMergeRequest', ...people('reviewer', change) }];
      case 'reviewRequestedAgain':
        return [{ ...common, event: 'reassignMergeRequest', ...people('reviewer', { from: [], to: [change.userId] }) }];
      default:
        return [];
    }
  });
}

/** Who was added and removed; the first of each is there for servers of the version before, which knew of one assignee. */
function people(
  role: 'assignee' | 'reviewer',
  { from, to }: { from: readonly number[]; to: readonly number[] },
): Pick<RecordHappening, 'people' | 'assignees'> {
  const [added, removed] = [to.filter((id) => !from.includes(id)), from.filter((id) => !to.includes(id))];
  return {
    people: { role, added, removed },
    ...(role === 'assignee' && { assignees: { from: from[0] ?? null, to: to[0] ?? null } }),
  };
}
