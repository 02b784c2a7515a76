import { activeUser } from '#src/access/credentials/authenticate.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { readContent } from '#src/domain/mail_in/content.ts';
import { filesIn, titleIn } from '#src/domain/mail_in/files.ts';
import type { ReadMail } from '#src/domain/mail_in/message.ts';
import { readMail } from '#src/domain/mail_in/read.ts';
import { addressedKey } from '#src/domain/mail_in/receive.ts';
import { AlreadyHandled, MailRefused } from '#src/domain/mail_in/refusal.ts';
import { replyIn } from '#src/domain/mail_in/reply.ts';
import { answerAsParticipant, openRequest } from '#src/domain/mail_in/service_desk.ts';
import { answerTo, settle } from '#src/domain/mail_in/settle.ts';
import type { IncomingKey, UserKey } from '#src/domain/notifications/mailing/incoming_address.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { createIssue } from '#src/domain/tracking/issues/create.ts';
import { locateNoteable, type Noteable } from '#src/domain/tracking/noteable.ts';
import { createNote, requireCommenting } from '#src/domain/tracking/notes/create.ts';
import { INTERNAL } from '#src/domain/tracking/subjects/seen_sources.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { DomainError, Forbidden, NotFound, RateLimited, Unavailable } from '#src/platform/errors.ts';

/**
 * Does what a message asks for, with the rights that its user has now, and records what became of it in the same transaction: what
 * was done remains once, whenever this is interrupted. Does nothing if it was handled before. Throws errors of the database and of
 * stores, to be retried later.
 */
export async function handleMail(context: Omit<Context, 'actor'>, messageId: number): Promise<void> {
  const { db } = context;
  const content = await readContent(db, messageId);
  if (!content) return;
  const read = await readMail(content);
  const found = 'mail' in read ? addressedKey(db, context.secret, read.mail) : null;
  if (!('mail' in read) || !found) {
    // It could be read when it came: the settings or the key of the server are others now.
    await db
      .$transaction((tx) => settle(tx, messageId, 'dropped', 'The address is not valid any more.'))
      .catch(ifHandled);
    return;
  }
  const { mail } = read;
  try {
    await obey(context, found.key, mail, (tx) => settle(tx, messageId, 'accepted', null));
  } catch (error) {
    if (error instanceof AlreadyHandled) return;
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    await db
      .$transaction(async (tx) => {
        await settle(tx, messageId, 'refused', refusal.message);
        await answerTo(tx, context, mail, found.key, refusal);
      })
      .catch(ifHandled);
  }
}

function ifHandled(error: unknown): void {
  if (!(error instanceof AlreadyHandled)) throw error;
}

/** What the sender is told; null for what may go better later. */
function refusalOf(error: unknown): MailRefused | null {
  if (error instanceof MailRefused) return error;
  if (!(error instanceof DomainError) || error instanceof RateLimited || error instanceof Unavailable) return null;
  if (error instanceof NotFound) return new MailRefused('gone');
  if (error instanceof Forbidden) return new MailRefused('forbidden');
  return new MailRefused({ text: error.message });
}

type Settle = (tx: Transaction) => Promise<void>;

/** Throws MailRefused, DomainErrors, AlreadyHandled. */
async function obey(context: Omit<Context, 'actor'>, key: IncomingKey, mail: ReadMail, done: Settle): Promise<void> {
  if (key.kind === 'request') return openRequest(context, key, mail, done);
  if (key.kind === 'participant') return answerAsParticipant(context, key, mail, done);
  const actor = await activeUser(context.db, key.userId);
  if (!actor) throw new MailRefused('account');
  await requireSender(context, key, mail);
  const asUser: Context = { ...context, actor };
  if (key.kind === 'newIssue') await openIssue(asUser, key.projectId, mail, done);
  else await answer(asUser, key, mail, done);
}

/** The sender must have written from a confirmed address of the user, who must not have reset the address meanwhile. */
async function requireSender(
  { db }: Pick<Context, 'db'>,
  { userId, version }: UserKey,
  { from }: ReadMail,
): Promise<void> {
  const [user] = await db.$queryRaw<{ version: number; confirmed: boolean }[]>`
    SELECT u.mail_in_version AS version, EXISTS (
      SELECT 1 WHERE lower(u.email) = ${from} AND u.confirmed_at IS NOT NULL
      UNION ALL SELECT 1 FROM emails e WHERE e.user_id = u.id AND lower(e.email) = ${from} AND e.confirmed_at IS NOT NULL
    ) AS confirmed FROM users u WHERE u.id = ${userId}`;
  if (!user?.confirmed) throw new MailRefused('sender');
  if (user.version !== version) throw new MailRefused('withdrawn');
}

async function openIssue(context: Context, projectId: number, mail: ReadMail, done: Settle): Promise<void> {
  const project = await findProject(context, projectId);
  authorize(requireActor(context), 'create_issue', project);
  const title = titleIn(mail);
  if (title === '') throw new MailRefused('untitled');
  const files = await filesIn(context, project.id, mail);
  const description = [mail.text.trim(), ...files].filter((part) => part !== '').join('\n\n');
  const given = { project: project.id, title, description };
  await createIssue(context, given, async () => ({
    ...given,
    openIn: async (tx, open) => {
      await done(tx);
      return open();
    },
  }));
}

async function answer(
  context: Context,
  { kind, id, noteId }: Extract<UserKey, { id: number }>,
  mail: ReadMail,
  done: Settle,
): Promise<void> {
  const noteable = await locateNoteable(context, { type: kind === 'issue' ? 'Issue' : 'MergeRequest', id });
  requireCommenting(requireActor(context), noteable);
  const text = replyIn(mail.text);
  if (text === '' && mail.attachments.length === 0) throw new MailRefused('empty');
  const discussionId = noteId === null ? null : await threadOf(context, noteable, noteId);
  const files = await filesIn(context, noteable.project.id, mail);
  const body = [text, ...files].filter((part) => part !== '').join('\n\n');
  await createNote(context, { on: { type: noteable.type, id }, body, discussionId, alongside: done });
}

/**
 * The thread in which an answer to a note belongs: that of the note if it has one, and an internal note, whose answers must not be
 * seen by more people. Answers to others stand by themselves. Throws NotFound for a note that is gone.
 */
async function threadOf({ db }: Context, { type, id }: Noteable, noteId: number): Promise<number | null> {
  const note = await db.note.findFirst({
    where: { id: noteId, subjectType: type, subjectId: id },
    select: { discussionId: true, startsThread: true, sourceType: true },
  });
  if (!note) throw new NotFound('Note');
  const isThread = note.discussionId !== null || note.startsThread || note.sourceType === INTERNAL;
  return isThread ? (note.discussionId ?? noteId) : null;
}
