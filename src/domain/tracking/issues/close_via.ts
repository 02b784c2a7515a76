import type { Actor } from '#src/access/permissions/actor.ts';
import type { Source } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import { PROJECT_BASE, type ProjectRow } from '#src/domain/projects/find.ts';
import { projectsWithIds } from '#src/domain/projects/named.ts';
import { changeState, mayUpdate } from '#src/domain/tracking/issues/update.ts';
import { sourceKey } from '#src/domain/tracking/references/mentions.ts';
import { assigneesOf } from '#src/domain/tracking/subjects/assignees.ts';
import { Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const BASE = select('Project', PROJECT_BASE);

/**
 * Closes an issue because a commit or merge request says so, if it is open and the actor may close it; once per commit or merge
 * request, so that a reopened issue stays open. Returns whether it was closed.
 */
export async function closeIssueVia(
  context: ChangeContext,
  actor: Actor,
  { id, projectId }: { id: number; projectId: number },
  via: Source,
): Promise<boolean> {
  const [project] = await queryJson<ProjectRow[]>(context.db, projectsWithIds(actor, [projectId], BASE));
  if (!project) return false;
  return context.db.$transaction(async (tx) => {
    const issue = await lockOpen(tx, id);
    if (!issue || !mayUpdate(actor, project, issue)) return false;
    const mention = `closed ${sourceKey(via)}`;
    const isDone = await tx.note.count({ where: { subjectType: 'Issue', subjectId: id, mention } });
    if (isDone > 0 || !(await changeState(tx, id, 'closed'))) return false;
    await tx.issue.update({ where: { id }, data: { updatedAt: new Date() } });
    await recordSubjectChanges(tx, context, actor, { type: 'Issue', id, iid: issue.iid, title: issue.title, project }, [
      { kind: 'closed', via },
    ]);
    return true;
  });
}

interface Open {
  iid: number;
  title: string;
  confidential: boolean;
  authorId: number;
  assigneeIds: number[];
}

async function lockOpen(tx: Transaction, id: number): Promise<Open | undefined> {
  const [issue] = await tx.$queryRaw<Open[]>`
    SELECT iid, title, confidential, author_id AS "authorId", ${assigneesOf('Issue', sql`i.id`)} AS "assigneeIds"
    FROM issues i
    WHERE id = ${id} AND state = 'opened' AND deleted_at IS NULL FOR UPDATE`;
  return issue;
}
