import type { Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { textsForAddress } from '#src/access/credentials/mail/recipient_texts.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { composeReply } from '#src/domain/notifications/mailing/compose_reply.ts';
import { cut } from '#src/domain/notifications/mailing/cut.ts';
import { incomingAddress } from '#src/domain/notifications/mailing/incoming_address.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import { htmlOfTexts } from '#src/domain/tracking/markdown/of_texts.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Sends mail about an issue to somebody without an account who takes part in it. */
    'service_desk.tell': Told;
  }
}

/** What is told: that a request has come, that its issue was closed, or that there is a comment. */
export interface Told {
  participantId: number;
  event: 'received' | 'closed' | 'commented';
  noteId: number | null;
}

/** Characters of a comment; the rest is left out. */
const MAX_TEXT_CHARACTERS = 20_000;

const EVENTS: Partial<Record<Keyed['event'], Told['event']>> = { newNote: 'commented', closeIssue: 'closed' };

/** Has those who take part in an issue by mail told of a comment, or that it was closed; others are not found, and nothing is done. */
export async function tellParticipants({ db, jobs }: { db: Db; jobs: JobQueue }, happening: Keyed): Promise<void> {
  const event = EVENTS[happening.event];
  if (event === undefined || !('subject' in happening) || happening.subject.type !== 'Issue') return;
  const { subject, key, noteId = null } = happening;
  const participants = await db.issueEmailParticipant.findMany({
    where: { issueId: subject.id },
    select: { id: true },
  });
  if (participants.length === 0) return;
  await db.$transaction(async (tx) => {
    // The job that does this may run twice.
    const { count } = await tx.mailEvent.updateMany({
      where: { key, recipientsFound: false },
      data: { recipientsFound: true },
    });
    if (count === 0) return;
    for (const { id } of participants) {
      await jobs.enqueue(tx, 'service_desk.tell', { participantId: id, event, noteId });
    }
  });
}

interface Read {
  email: string;
  messageId: string | null;
  issueId: number;
  iid: number;
  title: string;
  projectId: number;
  project: string;
  version: number;
  /** Of a comment; null for other events, and if it is gone or not for everybody who sees the issue. */
  body: string | null;
  author: string | null;
  /** The address of who wrote it by mail. */
  externalAuthor: string | null;
}

/**
 * Sends mail about an issue to somebody without an account, where the project has a service desk still. They are not told of their own
 * comments, nor of internal ones. Throws errors of the mail server, to be retried later.
 */
export async function tellParticipant(
  { db, repositories, secret, mailer, baseUrl }: Outgoing & Pick<Context, 'db' | 'repositories' | 'secret'>,
  { participantId, event, noteId }: Told,
): Promise<void> {
  const [read] = await db.$queryRaw<Read[]>`
    SELECT e.email, e.message_id AS "messageId", i.id AS "issueId", i.iid, i.title, p.id AS "projectId", p.name AS project,
      p.service_desk_version AS version, n.body, u.name AS author, n.external_author AS "externalAuthor"
    FROM issue_email_participants e JOIN issues i ON i.id = e.issue_id AND i.deleted_at IS NULL
      JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL AND p.service_desk_enabled
      LEFT JOIN notes n ON n.id = ${noteId}::int AND n.subject_type = 'Issue' AND n.subject_id = i.id AND NOT n.system
        AND n.source_type IS DISTINCT FROM ${INTERNAL}
      LEFT JOIN users u ON u.id = n.author_id
    WHERE e.id = ${participantId}`;
  if (!read || (event === 'commented' && (read.body === null || read.externalAuthor === read.email))) return;
  const { email, projectId, version, issueId } = read;
  const base = await baseUrl();
  const text = event === 'commented' ? cut(read.body ?? '', MAX_TEXT_CHARACTERS) : '';
  const visitor = { db, repositories, actor: null, clientAddress: null };
  const wanted = [{ text, projectId, flavour: 'gfm' as const }];
  const [html = ''] = text === '' ? [] : await htmlOfTexts(visitor, base, wanted, async () => null, { images: false });
  const replyTo = incomingAddress(db, secret, { kind: 'participant', version, participantId });
  const told = { ...read, event, text, html, replyTo, key: `${issueId}_${participantId}_${event}_${noteId ?? 0}` };
  await mailer.send(composeReply(told, base, await textsForAddress(db, email)));
}
