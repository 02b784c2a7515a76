import { requestReminders } from '#src/domain/notifications/mailing/request.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Reminds people of the issues that are due tomorrow. */
    'issues.remind': Record<string, never>;
  }
}

/** Issues per transaction. */
const BATCH_SIZE = 100;

/**
 * Enqueues mail about the open issues that are due tomorrow, in UTC, each once for a due date: to those who take part, as their
 * notification settings want it. Issues of archived projects are left out.
 */
export async function remindOfDue({ db, jobs }: { db: Db; jobs: JobQueue }): Promise<void> {
  for (let after = 0; ; ) {
    const due = await db.$queryRaw<{ id: number; projectId: number; dueDate: string; isLive: boolean }[]>`
      SELECT i.id, i.project_id AS "projectId", i.due_date::text AS "dueDate",
        NOT p.archived AND p.deleted_at IS NULL AS "isLive"
      FROM issues i JOIN projects p ON p.id = i.project_id
      WHERE i.state = 'opened' AND i.deleted_at IS NULL AND i.due_date IS NOT NULL AND i.id > ${after}
        AND i.due_date = (now() AT TIME ZONE 'UTC')::date + 1 ORDER BY i.id LIMIT ${BATCH_SIZE}`;
    const reminders = due.flatMap(({ id, projectId, dueDate, isLive }) =>
      isLive ? [{ projectId, issueId: id, dueDate }] : [],
    );
    if (reminders.length > 0) await db.$transaction((tx) => requestReminders(tx, jobs, reminders));
    after = due.at(-1)?.id ?? after;
    if (due.length < BATCH_SIZE) return;
  }
}
