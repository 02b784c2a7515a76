import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { type IssueFilter, issueConditions } from '#src/domain/tracking/issues/filter.ts';
import { type IssueOrder, issuePage, orderOf } from '#src/domain/tracking/issues/page.ts';
import { inNoList } from '#src/domain/tracking/issues/sources.ts';
import { ofLabelsThere, searchOf } from '#src/domain/tracking/subjects/filter.ts';
import { searchHits } from '#src/domain/tracking/subjects/hits.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { between } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const issue = alias('Issue', 'i');

/** A label, a milestone or a board of a group. */
interface GroupParent {
  group: GroupRow;
  /** Whose: the label with that ID, or the milestone, or the board, of whose lists they are in none. */
  labelId?: number;
  milestoneId?: number;
  boardId?: number;
}

/**
 * The issues with each label or milestone of a group, or in none of the lists of each board, in all projects that the actor can
 * see, in one statement.
 *
 * @param inSubgroups whether those in subgroups are among them
 * @param onlyInside whether those outside of the group, which may have the label of a group around it, are not
 */
export async function listIssuesAcross<R>(
  context: Context,
  parents: readonly GroupParent[],
  filter: IssueFilter,
  order: IssueOrder,
  page: PageRequest,
  selection: Selection<'Issue', R>,
  { inSubgroups = true, onlyInside = false }: { inSubgroups?: boolean; onlyInside?: boolean } = {},
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const isOfLabel = parents.some(({ labelId }) => labelId !== undefined);
  const isOfBoard = parents.some(({ boardId }) => boardId !== undefined);
  const pageOf = ({ id, group }: Asked<{ id: number; group: number }>) => {
    const conditions = [
      isOfLabel
        ? sql`${issue.id} IN (SELECT bl.issue_id FROM issue_labels bl WHERE bl.label_id = ${id})`
        : isOfBoard
          ? inNoList(issue.id, id)
          : sql`${issue.milestoneId} = ${id}`,
      within(issue.projectId, 'issues'),
      ...(inSubgroups ? [] : [directlyIn(issue.projectId, group)]),
      ...(onlyInside ? [inside(issue.projectId, group)] : []),
      issueVisible(issue, actor, within(issue.projectId, 'confidential')),
      ...issueConditions(issue, filter, actor, ofLabelsThere),
    ];
    const source = sql`${table(issue)} WHERE ${all(conditions)}`;
    const more = between(issue, orderOf(order), page);
    const paged = more.length === 0 ? source : sql`${table(issue)} WHERE ${all([...conditions, ...more])}`;
    return issuePage(selection, { source, paged, total: null, params: { actor } }, order, page);
  };
  const asked = parents.map(({ group, labelId, milestoneId, boardId }) => ({
    id: labelId ?? milestoneId ?? boardId ?? 0,
    group: group.id,
  }));
  const common = [placesAround(actor, parents), ...searchHits(searchOf(filter))];
  return readPages<R>(context.db, page, perParent(asked, { id: 'int', group: 'int' }, pageOf, common));
}

/** The subquery `places` with the projects of the trees of groups that the parents are in. */
function placesAround(actor: Parameters<typeof seenPlaces>[0], parents: readonly { group: GroupRow }[]): Prisma.Sql {
  const topmost = [
    ...new Set(
      parents.flatMap(
        ({
          group: {
            lineage: [top],
          },
        }) => top ?? [],
      ),
    ),
  ];
  return seenPlaces(actor, sql`n.lineage && ${topmost}::int[]`);
}

/** Whether a project is in a group or a group inside. */
export function inside(projectId: Prisma.Sql, group: number | Prisma.Sql): Prisma.Sql {
  return sql`${projectId} IN (SELECT gp.id FROM projects gp JOIN namespaces gn ON gn.id = gp.namespace_id
    WHERE gn.lineage @> ARRAY[${group}]::int[])`;
}

/** Whether a project is directly in a group. */
export function directlyIn(projectId: Prisma.Sql, group: number | Prisma.Sql): Prisma.Sql {
  return sql`${projectId} IN (SELECT gp.id FROM projects gp WHERE gp.namespace_id = ${group})`;
}
