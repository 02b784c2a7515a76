import type { UserUnassigned } from '#src/domain/changes/change.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/**
 * Takes a user off the assignees of issues and merge requests, and the reviewers, in a project or in all projects of a group: where
 * the user is the first assignee, the next one is from now on.
 */
export async function unassignUser(tx: Transaction, { place, user: { id } }: UserUnassigned): Promise<void> {
  const inside = (projectId: Prisma.Sql) =>
    'projectId' in place
      ? sql`${projectId} = ${place.projectId}`
      : sql`${projectId} IN (SELECT p.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
          WHERE n.lineage @> ARRAY[${place.groupId}]::int[])`;
  await unassign(tx, id, {
    records: sql`issues`,
    people: sql`issue_assignees`,
    subjectId: sql`issue_id`,
    isInside: inside(sql`r.project_id`),
  });
  const isInside = inside(sql`r.target_project_id`);
  await unassign(tx, id, {
    records: sql`merge_requests`,
    people: sql`merge_request_assignees`,
    subjectId: sql`merge_request_id`,
    isInside,
  });
  await tx.$executeRaw`DELETE FROM merge_request_reviewers v USING merge_requests r
    WHERE v.user_id = ${id} AND r.id = v.merge_request_id AND ${isInside}`;
}

type Work = Record<'records' | 'people' | 'subjectId' | 'isInside', Prisma.Sql>;

async function unassign(tx: Transaction, id: number, { records, people, subjectId, isInside }: Work): Promise<void> {
  await tx.$executeRaw`DELETE FROM ${people} a USING ${records} r
    WHERE a.user_id = ${id} AND r.id = a.${subjectId} AND ${isInside}`;
  await tx.$executeRaw`UPDATE ${people} a SET position = 0 FROM ${records} r
    WHERE r.assignee_id = ${id} AND a.${subjectId} = r.id AND ${isInside}
      AND a.position = (SELECT min(o.position) FROM ${people} o WHERE o.${subjectId} = r.id)`;
  await tx.$executeRaw`UPDATE ${records} r SET assignee_id = (
    SELECT a.user_id FROM ${people} a WHERE a.${subjectId} = r.id AND a.position = 0)
    WHERE r.assignee_id = ${id} AND ${isInside}`;
}
