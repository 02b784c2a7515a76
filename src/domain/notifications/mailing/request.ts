import crypto from 'node:crypto';
import type { NotificationEvent } from '#src/domain/changes/notification_events.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Finds the recipients of mail about events, and enqueues a job for each. */
    'mail.find_recipients': { happenings: Keyed[] };
    /** Sends the mail about one event to one user, if the user still wants it and may see its record. */
    'mail.tell': { happening: Keyed; userId: number };
  }
}

/** An event on an issue or merge request, with its project. */
export interface RecordHappening {
  event: Exclude<NotificationEvent, PipelineHappening['event']>;
  projectId: number;
  subject: { type: 'Issue' | 'MergeRequest'; id: number };
  /** The actor, who gets no mail; null if the server did it. */
  actorId: number | null;
  /** Of a reminder the due date, as YYYY-MM-DD. */
  dueDate?: string;
  /** The new note, or the first of a review. */
  noteId?: number;
  /** All notes of a review. */
  noteIds?: number[];
  /** The first assignee before and after; null if none. */
  assignees?: { from: number | null; to: number | null };
  /** The users added and removed as assignees or reviewers; absent from jobs of the version before. */
  people?: { role: 'assignee' | 'reviewer'; added: number[]; removed: number[] };
}

/** Who was added and removed; undefined if the event is about something else. */
export function peopleIn({ people, assignees }: RecordHappening): RecordHappening['people'] {
  if (people || !assignees) return people;
  const { from, to } = assignees;
  return { role: 'assignee', added: to === null ? [] : [to], removed: from === null ? [] : [from] };
}

/** The new notes. */
export function notesIn({ noteId, noteIds }: Pick<RecordHappening, 'noteId' | 'noteIds'>): number[] {
  return noteIds ?? (noteId === undefined ? [] : [noteId]);
}

/** The end of a pipeline. */
export interface PipelineHappening {
  event: 'failedPipeline' | 'successPipeline';
  projectId: number;
  pipelineId: number;
}

export type Happening = RecordHappening | PipelineHappening;

/** An event with a unique key. */
export type Keyed = Happening & { key: string };

/**
 * Enqueues mail about events, when the transaction commits, and records the order of those on issues and merge requests. Does
 * nothing if the server does not send mail.
 */
export async function requestMail(
  tx: Transaction,
  { db, jobs }: ChangeContext,
  happenings: readonly Happening[],
): Promise<void> {
  if (!jobs || happenings.length === 0 || !sendsMail(db)) return;
  const keyed: Keyed[] = happenings.map((happening) => ({ ...happening, key: crypto.randomUUID() }));
  await recordOrder(tx, keyed);
  await jobs.enqueue(tx, 'mail.find_recipients', { happenings: keyed });
}

/** A reminder of an issue that is due. */
export interface Reminder {
  projectId: number;
  issueId: number;
  /** As YYYY-MM-DD. */
  dueDate: string;
}

/** Enqueues reminders, when the transaction commits; each issue once for a due date. */
export async function requestReminders(tx: Transaction, jobs: JobQueue, reminders: readonly Reminder[]): Promise<void> {
  const happenings = reminders.map(({ projectId, issueId: id, dueDate }): RecordHappening & Keyed => {
    return {
      key: `due.${id}.${dueDate}`,
      event: 'issueDue',
      projectId,
      subject: { type: 'Issue', id },
      actorId: null,
      dueDate,
    };
  });
  const data = happenings.map((happening) => mailEventOf(happening));
  const added = await tx.mailEvent.createManyAndReturn({ data, skipDuplicates: true, select: { key: true } });
  const keys = new Set(added.map(({ key }) => key));
  const fresh = happenings.filter(({ key }) => keys.has(key));
  if (fresh.length > 0) await jobs.enqueue(tx, 'mail.find_recipients', { happenings: fresh });
}

/** Records events on issues and merge requests, in order, in the transaction in which they happen. */
async function recordOrder(tx: Transaction, happenings: readonly Keyed[]): Promise<void> {
  const data = happenings.flatMap((happening) => ('subject' in happening ? [mailEventOf(happening)] : []));
  if (data.length > 0) await tx.mailEvent.createMany({ data });
}

function mailEventOf(happening: RecordHappening & Keyed) {
  const { type: subjectType, id: subjectId } = happening.subject;
  return { key: happening.key, subjectType, subjectId, happening: { ...happening } };
}
