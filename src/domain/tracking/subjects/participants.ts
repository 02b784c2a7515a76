import type { Context } from '#src/access/permissions/actor.ts';
import type { Subject } from '#src/domain/changes/change.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { targetColumn } from '#src/domain/tracking/subjects/todos.ts';
import { isActivePerson, userMatches } from '#src/domain/users/matching.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const user = alias('User', 'u');

/** Which participants. */
export interface ParticipantFilter {
  /** As in userMatches. */
  search?: string | null | undefined;
  /** Only people who may sign in. */
  activePeople?: boolean | null | undefined;
}

/**
 * The participants of each issue or merge request, in one statement: its author, assignees and reviewers, the authors of its notes, and
 * users with a todo because it mentions them, other than in internal notes. The caller must have checked that the actor can see the records.
 */
export async function listParticipants<R>(
  { db, actor }: Context,
  type: Subject['type'],
  ids: readonly number[],
  { search, activePeople }: ParticipantFilter,
  page: PageRequest,
  selection: Selection<'User', R>,
): Promise<Page<R>[]> {
  const records = type === 'Issue' ? sql`issues` : sql`merge_requests`;
  const pageOf = ({ id }: Asked<{ id: number }>) => {
    const participants = sql`SELECT r.author_id FROM ${records} r WHERE r.id = ${id}
      UNION SELECT unnest(${assigneesOf(type, id)})
      UNION SELECT rv.user_id FROM merge_request_reviewers rv WHERE ${type} = 'MergeRequest' AND rv.merge_request_id = ${id}
      UNION SELECT nt.author_id FROM notes nt WHERE nt.subject_type = ${type} AND nt.subject_id = ${id} AND NOT nt.system
        AND nt.source_type IS NULL
      UNION SELECT t.user_id FROM todos t WHERE t.${targetColumn({ type })} = ${id}
        AND t.action IN ('mentioned', 'directly_addressed')
        AND NOT EXISTS (SELECT 1 FROM notes i WHERE i.id = t.note_id AND i.source_type IS NOT NULL)`;
    const conditions = [sql`${user.id} IN (${participants})`];
    if (activePeople) conditions.push(isActivePerson(user));
    if (search?.trim()) conditions.push(userMatches(user, actor, search.trim()));
    const list = { rows: user, where: all(conditions), order: order('User', ['id']) };
    return pageOfRows(selection, list, page);
  };
  const parents = ids.map((id) => ({ id }));
  return readPages<R>(db, page, perParent(parents, { id: 'int' }, pageOf));
}
