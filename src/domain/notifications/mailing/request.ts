import crypto from 'node:crypto';
import type { NotificationEvent } from '#src/domain/changes/notification_events.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Finds out who gets mail about what happened, and leaves a job for each. */
    'mail.find_recipients': { happenings: Keyed[] };
    /** Sends the mail about one thing that happened to one user, if the user still wants it and may see what it is about. */
    'mail.tell': { happening: Keyed; userId: number };
  }
}

/** Something that happened to an issue or merge request, in the project that it is in. */
export interface RecordHappening {
  event: Exclude<NotificationEvent, PipelineHappening['event']>;
  projectId: number;
  subject: { type: 'Issue' | 'MergeRequest'; id: number };
  /** Who did it, and gets no mail. */
  actorId: number;
  /** The new note. */
  noteId?: number;
  /** Who was assigned before and now; null for nobody. */
  assignees?: { from: number | null; to: number | null };
}

/** The end of a pipeline. */
export interface PipelineHappening {
  event: 'failedPipeline' | 'successPipeline';
  projectId: number;
  pipelineId: number;
}

export type Happening = RecordHappening | PipelineHappening;

/** What happened, with what names it among all that ever happened. */
export type Keyed = Happening & { key: string };

/** Has mail sent about what happened, when the transaction commits. Leaves nothing behind if the server does not send mail. */
export async function requestMail(
  tx: Transaction,
  { db, jobs }: ChangeContext,
  happenings: readonly Happening[],
): Promise<void> {
  if (!jobs || happenings.length === 0 || !sendsMail(db)) return;
  const keyed = happenings.map((happening) => ({ ...happening, key: crypto.randomUUID() }));
  await jobs.enqueue(tx, 'mail.find_recipients', { happenings: keyed });
}
