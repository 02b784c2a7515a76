import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followMailbox } from '#src/domain/mail_in/follow_mailbox.ts';
import { verifyMailbox } from '#src/platform/outbound/mail/imap.ts';
import { startMailIn } from '#src/platform/outbound/mail/mail_in.ts';
import { addressOf } from '../support/accounts.ts';
import { ImapServer } from '../support/imap_server.ts';
import { LONG } from '../support/long.ts';
import { MAIL_IN, mailAddress, type WrittenMail, writeMail } from '../support/mail_in.ts';
import { SECRET, startWorld } from '../support/world.ts';

const world = await startWorld({ mailIn: MAIL_IN });
const owner = await world.user();
const reported: unknown[] = [];
let mailbox: ImapServer;
let followers: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  mailbox = new ImapServer();
  await mailbox.start();
});

afterEach(async () => {
  for (const follower of followers) await follower.stop();
  followers = [];
  reported.length = 0;
  await mailbox.stop();
});

/** Follows the mailbox as a process does. */
function follow(url = mailbox.url, db = world.db) {
  const stopping = new AbortController();
  const { jobs } = world;
  const report = (error: unknown) => reported.push(error);
  const ended = followMailbox({ db, jobs, secret: SECRET, ownAddress: null, url, report, signal: stopping.signal });
  const follower = {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
  followers.push(follower);
  return follower;
}

/** A project, and what a member sends to open issues there. */
async function withProject() {
  const project = await world.project({ owner });
  const to = mailAddress({ kind: 'newIssue', userId: owner.id, version: 0, projectId: project.id });
  const message = (subject: string, more: Partial<WrittenMail> = {}) =>
    writeMail({ from: addressOf(owner), to, subject, text: 'Hello', ...more });
  const titles = async () => {
    const issues = await world.db.issue.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } });
    return issues.map(({ title }) => title);
  };
  const opened = (...wanted: string[]) =>
    world.until(async () => JSON.stringify(await titles()) === JSON.stringify(wanted), 30_000);
  return { message, titles, opened };
}

const empty = () => world.until(async () => mailbox.messages.length === 0, 30_000);

describe('A mailbox', () => {
  it('is emptied of what is there and of what comes, and left with what is for nobody here, as read', async () => {
    const { message, opened } = await withProject();
    mailbox.deliver(message('First'));
    follow();
    await opened('First');
    await empty();
    const spam = mailbox.deliver(writeMail({ from: 'a@example.org', to: 'b@example.org', text: 'Buy' }));
    const away = mailbox.deliver(message('Away', { headers: { 'Auto-Submitted': 'auto-replied' } }));
    const huge = mailbox.deliver(Buffer.alloc(25 * 1024 * 1024 + 1, 'a'));
    const second = mailbox.deliver(message('Second'));
    await opened('First', 'Second');
    await world.until(async () => mailbox.flagsOf(second) === null, 30_000);
    expect([spam, away, huge].map((uid) => mailbox.flagsOf(uid))).toEqual([['\\Seen'], ['\\Seen'], ['\\Seen']]);
    expect(reported).toEqual([new Error('A message of over 26214400 bytes is left in the mailbox')]);
    expect(mailbox.commands.filter((command) => /BODY\.PEEK/.test(command))).toHaveLength(4);
  });

  it('is read by one process at a time, and by the other when that ends', LONG, async () => {
    const { message, opened } = await withProject();
    const first = follow();
    await world.until(async () => mailbox.logins === 1, 30_000);
    follow();
    mailbox.deliver(message('One'));
    await opened('One');
    await empty();
    expect(mailbox.logins).toBe(1);
    await first.stop();
    mailbox.deliver(message('Two'));
    await opened('One', 'Two');
    expect(mailbox.logins).toBe(2);
  });

  it(
    'loses nothing and gives nothing twice when the connection ends before a stored message is deleted',
    LONG,
    async () => {
      const { message, titles, opened } = await withProject();
      mailbox.endingAt = 'UID STORE';
      mailbox.deliver(message('Once'));
      follow();
      await opened('Once');
      mailbox.deliver(message('After'));
      await opened('Once', 'After');
      await empty();
      await world.idle();
      expect(await titles()).toEqual(['Once', 'After']);
      expect(mailbox.logins).toBe(2);
    },
  );

  it('is tried again when it cannot be reached, and a message stays when it could not be stored', LONG, async () => {
    const { message, opened } = await withProject();
    const failing = Object.create(world.db, {
      $transaction: { value: () => Promise.reject(new Error('no database')), configurable: true },
    });
    startMailIn(failing, MAIL_IN);
    const uid = mailbox.deliver(message('Kept'));
    const first = follow(mailbox.url, failing);
    await world.until(async () => reported.length > 0, 30_000);
    await first.stop();
    expect(mailbox.flagsOf(uid)).toEqual([]);
    follow();
    await opened('Kept');
  });

  it('is not opened with a wrong password, or a wrong name', LONG, async () => {
    await verifyMailbox(mailbox.url);
    await expect(verifyMailbox(mailbox.url.replace('p%40ss', 'wrong'))).rejects.toThrow();
    await expect(verifyMailbox(mailbox.url.replace('Incoming', 'Elsewhere'))).rejects.toThrow();
    expect(mailbox.commands.some((command) => command.startsWith('EXAMINE'))).toBe(true);
  });
});
