import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { listIssues } from '#src/domain/tracking/issues/list.ts';
import type { MergeRequestFilter } from '#src/domain/tracking/merge_requests/filter.ts';
import { listMergeRequestsAcross } from '#src/domain/tracking/merge_requests/list_across.ts';
import { countTodos } from '#src/domain/tracking/todos/list.ts';
import { select } from '#src/platform/records/selection.ts';

/** What waits for a user. */
export interface OpenCounts {
  assignedIssues: number;
  assignedMergeRequests: number;
  reviewRequestedMergeRequests: number;
  todos: number;
}

const ONLY_TOTAL = { limit: 1, offset: 0, withTotal: true };
const NEWEST_FIRST = { by: 'created_at', direction: 'desc' } as const;

/** How much waits for the actor, as far as the actor can still see it. Throws Unauthenticated, InsufficientScope. */
export async function countOpen(context: Context): Promise<OpenCounts> {
  requireActor(context);
  const ofMergeRequests = async (scope: MergeRequestFilter['scope']) => {
    const filter = { scope, state: 'opened' } as const;
    const selection = select('MergeRequest', { id: true });
    const [page] = await listMergeRequestsAcross(
      context,
      [{ group: null }],
      filter,
      NEWEST_FIRST,
      ONLY_TOTAL,
      selection,
    );
    if (page instanceof Error) throw page;
    return page?.total ?? 0;
  };
  const mine = { scope: 'assigned_to_me', state: 'opened' } as const;
  const issues = await listIssues(context, mine, NEWEST_FIRST, ONLY_TOTAL, select('Issue', { id: true }));
  return {
    assignedIssues: issues.total ?? 0,
    assignedMergeRequests: await ofMergeRequests('assigned_to_me'),
    reviewRequestedMergeRequests: await ofMergeRequests('reviews_for_me'),
    todos: (await countTodos(context)).pending,
  };
}
