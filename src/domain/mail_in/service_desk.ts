import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { filesIn, titleIn } from '#src/domain/mail_in/files.ts';
import type { ReadMail } from '#src/domain/mail_in/message.ts';
import { MailRefused } from '#src/domain/mail_in/refusal.ts';
import { replyIn } from '#src/domain/mail_in/reply.ts';
import { supportBot } from '#src/domain/mail_in/support_bot.ts';
import { isOneTooMany } from '#src/domain/mail_in/too_many.ts';
import { UNSUBSCRIBE } from '#src/domain/notifications/mailing/compose_reply.ts';
import type { DeskKey } from '#src/domain/notifications/mailing/incoming_address.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { createIssue } from '#src/domain/tracking/issues/create.ts';
import { locateNoteable } from '#src/domain/tracking/noteable.ts';
import { createNote, requireCommenting } from '#src/domain/tracking/notes/create.ts';
import { splitQuickActions } from '#src/domain/tracking/quick_actions/split.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

type Settle = (tx: Transaction) => Promise<void>;
type WithoutActor = Omit<Context, 'actor'>;

/** Messages by which it is said, in an hour, that requests from an address have come. The address may be forged. */
const MAX_RECEIPTS = 5;

/**
 * Opens a confidential issue for somebody without an account, who gets mail about the comments on it. Throws MailRefused where the
 * service desk is off or its address was reset, DomainErrors, AlreadyHandled.
 */
export async function openRequest(
  given: WithoutActor,
  { projectId, version }: Extract<DeskKey, { kind: 'request' }>,
  mail: ReadMail,
  done: Settle,
): Promise<void> {
  const { db, jobs } = given;
  const email = mail.from ?? '';
  await requireOpen(given, projectId, version);
  const context: Context = { ...given, actor: await supportBot(db, given.secret, projectId) };
  const project = await findProject(context, projectId);
  authorize(requireActor(context), 'create_issue', project);
  const title = titleIn(mail);
  if (title === '') throw new MailRefused('untitled');
  const files = await filesIn(context, project.id, mail);
  const description = joined(withoutActions(mail.text.trim()), files);
  const isTold = sendsMail(db) && !(await isOneTooMany(db, 'mail receipt', { sender: email }, MAX_RECEIPTS));
  const issue = { project: project.id, title, description, confidential: true };
  await createIssue(context, issue, async () => ({
    ...issue,
    openIn: async (tx, open) => {
      await done(tx);
      const opened = await open();
      await tx.issue.update({ where: { id: opened.id }, data: { externalAuthor: email } });
      const participant = { issueId: opened.id, email, messageId: mail.messageId };
      const { id } = await tx.issueEmailParticipant.create({ data: participant, select: { id: true } });
      if (isTold) await jobs.enqueue(tx, 'service_desk.tell', { participantId: id, event: 'received', noteId: null });
      return opened;
    },
  }));
}

/**
 * Writes what somebody without an account answers as a comment, or sends them no more mail if that is what they ask for. Throws
 * MailRefused, DomainErrors, AlreadyHandled.
 */
export async function answerAsParticipant(
  given: WithoutActor,
  { participantId, version }: Extract<DeskKey, { kind: 'participant' }>,
  mail: ReadMail,
  done: Settle,
): Promise<void> {
  const { db } = given;
  const participant = await db.issueEmailParticipant.findUnique({
    where: { id: participantId },
    select: { email: true, issue: { select: { id: true, projectId: true } } },
  });
  if (!participant) throw new MailRefused('gone');
  const { email, issue } = participant;
  await requireOpen(given, issue.projectId, version);
  if (mail.from !== email) throw new MailRefused('participant');
  if (mail.subject.trim().toLowerCase() === UNSUBSCRIBE) {
    await db.$transaction(async (tx) => {
      await done(tx);
      await tx.issueEmailParticipant.deleteMany({ where: { id: participantId } });
    });
    return;
  }
  const context: Context = { ...given, actor: await supportBot(db, given.secret, issue.projectId) };
  const on = { type: 'Issue', id: issue.id } as const;
  const noteable = await locateNoteable(context, on);
  requireCommenting(requireActor(context), noteable);
  // The bot is let in as a guest, which those for whom it writes are not.
  if (noteable.discussionLocked) throw new MailRefused('forbidden');
  const text = replyIn(mail.text);
  if (text === '' && mail.attachments.length === 0) throw new MailRefused('empty');
  const body = joined(withoutActions(text), await filesIn(context, noteable.project.id, mail));
  await createNote(context, { on, body, externalAuthor: email, alongside: done });
}

/** Throws MailRefused unless the project has a service desk, whose addresses were not reset since. */
async function requireOpen({ db }: WithoutActor, id: number, version: number): Promise<void> {
  const where = { id, deletedAt: null, serviceDeskEnabled: true, serviceDeskVersion: version };
  if ((await db.project.count({ where })) === 0) throw new MailRefused('desk');
}

/** The text, in which lines that would be quick actions are nothing but text: strangers give no orders. */
function withoutActions(text: string): string {
  const { lines } = splitQuickActions(text, Number.POSITIVE_INFINITY);
  return lines.map((line) => (typeof line === 'string' ? line : `\\${line.written}`)).join('\n');
}

function joined(text: string, files: readonly string[]): string {
  return [text, ...files].filter((part) => part !== '').join('\n\n');
}
