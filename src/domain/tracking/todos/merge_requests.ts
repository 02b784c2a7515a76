import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/**
 * Creates todos for the authors of open merge requests whose head's pipeline failed, and marks them as done once it succeeds. For
 * the transaction that changes the status of the pipeline.
 */
export async function updatePipelineTodos(tx: Transaction, pipelineId: number, status: string): Promise<void> {
  const from = sql`pipelines pl JOIN merge_requests mr ON mr.source_project_id = pl.project_id AND (mr.source_branch = pl.ref OR mr.id = pl.merge_request_id)
      AND mr.sha = pl.sha AND mr.state = 'opened'`;
  if (status === 'failed') await addForAuthors(tx, 'build_failed', from, sql`pl.id = ${pipelineId} AND NOT pl.tag`);
  else if (status === 'success') {
    await tx.$executeRaw`
      UPDATE todos SET state = 'done', updated_at = now()
      WHERE state = 'pending' AND action = 'build_failed'
        AND merge_request_id IN (SELECT mr.id FROM ${from} WHERE pl.id = ${pipelineId} AND NOT pl.tag)`;
  }
}

/** Creates a todo for the author of a merge request that can no longer be merged, in the transaction that detects it. */
export async function addConflictTodo(tx: Transaction, mergeRequestId: number): Promise<void> {
  await addForAuthors(
    tx,
    'unmergeable',
    sql`merge_requests mr`,
    sql`mr.id = ${mergeRequestId} AND mr.state = 'opened'`,
  );
}

async function addForAuthors(
  tx: Transaction,
  action: 'build_failed' | 'unmergeable',
  from: Prisma.Sql,
  where: Prisma.Sql,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO todos (user_id, author_id, project_id, merge_request_id, action)
    SELECT mr.author_id, mr.author_id, mr.target_project_id, mr.id, ${action}::todo_action
    FROM ${from} JOIN users u ON u.id = mr.author_id AND NOT u.ghost AND NOT u.bot WHERE ${where} ORDER BY mr.author_id, mr.id
    ON CONFLICT DO NOTHING`;
}
