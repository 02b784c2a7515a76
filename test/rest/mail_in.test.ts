import { beforeEach, describe, expect, it } from 'vitest';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { handleMail } from '#src/domain/mail_in/handle.ts';
import { receiveMail } from '#src/domain/mail_in/receive.ts';
import { incomingAddress, readKey, writeKey } from '#src/domain/notifications/mailing/incoming_address.ts';
import { addressOf } from '../support/accounts.ts';
import { LONG } from '../support/long.ts';
import { MAIL_IN, mailAddress, receive, writeMail } from '../support/mail_in.ts';
import { startMailbox } from '../support/mailbox.ts';
import { signedIn } from '../support/oauth.ts';
import { SECRET, startWorld, type TestUser } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url, mailIn: MAIL_IN });
const owner = await world.user();

beforeEach(async () => {
  await world.db.signInFailures.deleteMany();
});

/** An issue of a private project, a member of it, and the address for the member's answers. */
async function withIssue(
  level: 'guest' | 'reporter' | 'developer' | null = 'reporter',
  visibility: 'private' | 'public' = 'private',
) {
  const project = await world.project({ owner, visibility });
  const user = await world.user();
  if (level) await world.member(project, user, level);
  const issue = await world.issue(project, owner);
  return {
    project,
    user,
    issue,
    to: mailAddress({ kind: 'issue', userId: user.id, version: 0, id: issue.id, noteId: null }),
  };
}

const notesOn = (issueId: number) =>
  world.db.note.findMany({
    where: { subjectType: 'Issue', subjectId: issueId, system: false },
    orderBy: { id: 'asc' },
  });
const outcomes = async () => {
  const last = { orderBy: { id: 'desc' }, take: 1, select: { outcome: true, reason: true } } as const;
  return world.db.mailInMessage.findMany(last);
};
const newIssueAddress = (user: TestUser, projectId: number) =>
  mailAddress({ kind: 'newIssue', userId: user.id, version: 0, projectId });

describe('The address of a key', () => {
  it('survives a change of case, fits into an address, and is nothing without the signature', () => {
    const largest = 2_147_483_647;
    const key = { kind: 'mergeRequest', userId: largest, version: 46_655, id: largest, noteId: largest } as const;
    const written = writeKey(SECRET, key);
    expect(written).toMatch(/^[0-9a-z-]+$/);
    expect(written.length).toBeLessThanOrEqual(50);
    expect(readKey(SECRET, written.toUpperCase())).toEqual(key);
    for (const forged of [
      written.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      written.replace(/^m/, 'i'),
      writeKey('another secret '.repeat(3), key),
      '',
      'i-1-0-1',
      `${written}0`,
    ]) {
      expect([forged, readKey(SECRET, forged)]).toEqual([forged, null]);
    }
  });
});

describe('A reply by mail', () => {
  it('becomes a comment of the user, without what it quotes, and its quick actions are done', LONG, async () => {
    const { project, user, issue, to } = await withIssue();
    const text = 'I see it, too.\n\n/close\n\n-- \nAda\n\nOn Mon, 30 Nov 2026 at 10:00, Gantry wrote:\n> What is it?\n';
    expect(await receive(world, { from: `Ada <${addressOf(user)}>`, to, text })).toMatchObject({ is: 'accepted' });
    expect(await notesOn(issue.id)).toMatchObject([{ body: 'I see it, too.', authorId: user.id }]);
    const { body } = await world.api(owner).get(`/projects/${project.id}/issues/${issue.iid}`);
    expect(body.state).toBe('closed');
    expect(await outcomes()).toEqual([{ outcome: 'accepted', reason: null }]);
    expect(await world.db.mailInPart.count()).toBe(0);
  });

  it('comes to the address that a notification names', LONG, async () => {
    const { project, user, issue } = await withIssue();
    await world.idle();
    await world.api(user).post(`/projects/${project.id}/issues/${issue.iid}/subscribe`);
    await world.api(owner).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'What do you think?' });
    const mail = await mailbox.next(addressOf(user));
    const [, replyTo = ''] = /^Reply-To: (\S+)/m.exec(mail.raw) ?? [];
    const [first] = await notesOn(issue.id);
    const key = { kind: 'issue', userId: user.id, version: 0, id: issue.id, noteId: first?.id ?? 0 } as const;
    expect(replyTo).toBe(incomingAddress(world.db, SECRET, key));
    expect(mail.text).toContain('Reply to this email to comment.');
    await receive(world, { from: addressOf(user), to: `Gantry <${replyTo.toUpperCase()}>`, text: 'Good.' });
    expect(await notesOn(issue.id)).toMatchObject([{ authorId: owner.id }, { body: 'Good.', authorId: user.id }]);
  });

  it('to an internal note stays internal', LONG, async () => {
    const { project, user, issue } = await withIssue();
    const note = { body: 'Not for the public', internal: true };
    const { body } = await world.api(owner).post(`/projects/${project.id}/issues/${issue.iid}/notes`, note);
    const to = mailAddress({ kind: 'issue', userId: user.id, version: 0, id: issue.id, noteId: body.id });
    await receive(world, { from: addressOf(user), to, text: 'I agree' });
    const answer = await world.api(owner).get(`/projects/${project.id}/issues/${issue.iid}/notes`);
    expect(answer.body.find((one: { body: string }) => one.body === 'I agree')).toMatchObject({ internal: true });
  });

  it('counts once, however often it comes, and from whichever process', LONG, async () => {
    const { user, issue, to } = await withIssue();
    const content = writeMail({ from: addressOf(user), to, text: 'Once' });
    const receiving = { db: world.db, jobs: world.jobs, secret: SECRET, ownAddress: null };
    const results = await Promise.all([receiveMail(receiving, content), receiveMail(receiving, content)]);
    expect(results.map(({ is }) => is).sort()).toEqual(['accepted', 'repeated']);
    await world.idle();
    expect(await receive(world, content)).toMatchObject({ is: 'repeated' });
    expect(await notesOn(issue.id)).toHaveLength(1);
  });

  it('is written with its outcome or not at all, when two processes handle it, or one ends in between', async () => {
    const { user, issue, to } = await withIssue();
    const content = writeMail({ from: addressOf(user), to, text: 'Once' });
    // As if the job was lost: the message is stored, and nothing has been done.
    const lost = { enqueue: async () => undefined };
    await receiveMail({ db: world.db, jobs: lost, secret: SECRET, ownAddress: null }, content);
    const { id } = await world.db.mailInMessage.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const { actor: _, ...context } = world.as(owner);
    const ending = {
      ...context,
      followers: [...context.followers, { noteWritten: async () => Promise.reject(new Error('ended')) }],
    };
    await expect(handleMail(ending, id)).rejects.toThrow('ended');
    expect(await notesOn(issue.id)).toEqual([]);
    expect(await world.db.mailInMessage.findUniqueOrThrow({ where: { id } })).toMatchObject({ outcome: null });
    await Promise.all([handleMail(context, id), handleMail(context, id)]);
    await handleMail(context, id);
    expect(await notesOn(issue.id)).toHaveLength(1);
  });

  it('is refused in plain words where the user may not comment any more, and once an hour or so', LONG, async () => {
    const { project, user, issue, to } = await withIssue();
    await world.db.member.deleteMany({ where: { projectId: project.id, userId: user.id } });
    await receive(world, { from: addressOf(user), to, subject: 'Re: secret', text: 'Hello' });
    expect(await notesOn(issue.id)).toEqual([]);
    const mail = await mailbox.next(addressOf(user));
    expect(mail.subject).toBe('Your message was not accepted');
    expect(mail.text).toContain('“Re: secret”');
    expect(mail.text).toContain('no longer exists, or you can no longer see it');
    expect(mail.raw).toContain('Auto-Submitted: auto-replied');
    for (let count = 0; count < 7; count += 1)
      await receive(world, { from: addressOf(user), to, text: `Hello ${count}` });
    expect(mailbox.to(addressOf(user))).toHaveLength(5);
  });

  it('is refused for users who are blocked, and for those outside of a locked discussion', LONG, async () => {
    const { user, issue, to } = await withIssue(null, 'public');
    await world.db.issue.update({ where: { id: issue.id }, data: { discussionLocked: true } });
    await receive(world, { from: addressOf(user), to, text: 'Hello' });
    expect(await outcomes()).toMatchObject([{ outcome: 'refused', reason: 'You do not have permission to do this.' }]);
    await world.db.user.update({ where: { id: user.id }, data: { state: 'blocked' } });
    expect(await activeUser(world.db, user.id)).toBeNull();
    await receive(world, { from: addressOf(user), to, text: 'Hello' });
    expect(await outcomes()).toMatchObject([{ outcome: 'refused', reason: 'Your account is not active.' }]);
    expect(await notesOn(issue.id)).toEqual([]);
  });

  it('is refused from addresses that the user has not confirmed, and for addresses that were reset', LONG, async () => {
    const { user, issue, to } = await withIssue();
    const email = `second-${user.username}@example.net`;
    const second = await world.db.email.create({ data: { userId: user.id, email } });
    for (const from of [email, addressOf(owner)]) {
      await receive(world, { from, to, text: 'Hello' });
      expect(await outcomes()).toMatchObject([
        { outcome: 'refused', reason: expect.stringContaining('confirmed email address') },
      ]);
    }
    expect(await notesOn(issue.id)).toEqual([]);
    await world.db.email.update({ where: { id: second.id }, data: { confirmedAt: new Date() } });
    await receive(world, { from: email.toUpperCase(), to, text: 'Hello' });
    expect(await notesOn(issue.id)).toMatchObject([{ authorId: user.id }]);
    await world.db.user.update({ where: { id: user.id }, data: { mailInVersion: 1 } });
    await receive(world, { from: email, to, text: 'Hello again' });
    expect(await outcomes()).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('you reset') }]);
    expect(await notesOn(issue.id)).toHaveLength(1);
  });

  it('is not received for a forged address, for none of this server, or from several senders', async () => {
    const { user, issue, to } = await withIssue();
    const from = addressOf(user);
    const forged = to.replace(/.@/, (last) => (last === '0@' ? '1@' : '0@'));
    for (const message of [
      { from, to: forged },
      { from, to: 'somebody@else.example' },
      { from: `${from}, ${addressOf(owner)}`, to },
    ]) {
      expect(await receive(world, { ...message, text: 'Hello' })).toMatchObject({ is: 'refused' });
    }
    expect(
      await receive(world, writeMail({ from, to, text: 'Hello', headers: { from: addressOf(owner) } })),
    ).toMatchObject({ is: 'refused' });
    expect(await notesOn(issue.id)).toEqual([]);
    expect(mailbox.to(from)).toEqual([]);
  });

  it('is dropped without an answer if a program sent it, or this server', LONG, async () => {
    const { user, issue, to } = await withIssue();
    const from = addressOf(user);
    for (const headers of [
      { 'Auto-Submitted': 'auto-replied' },
      { Precedence: 'bulk' },
      { 'X-Autoreply': 'yes' },
      { 'Return-Path': '<>' },
    ] as Record<string, string>[]) {
      expect(await receive(world, { from, to, text: 'Out of office', headers })).toMatchObject({ is: 'dropped' });
    }
    for (const own of ['gantry@example.org', to]) {
      expect(await receive(world, { from: own, to, text: 'Hello' })).toMatchObject({ is: 'dropped' });
    }
    expect(await receive(world, { from, to, text: 'Me', headers: { 'Auto-Submitted': 'no' } })).toMatchObject({
      is: 'accepted',
    });
    expect(await notesOn(issue.id)).toHaveLength(1);
    expect(mailbox.to(from)).toEqual([]);
  });

  it('waits when there are too many from one sender', LONG, async () => {
    const { user, to } = await withIssue();
    await receive(world, { from: addressOf(user), to, text: 'Hello' });
    await world.db.$executeRaw`UPDATE sign_in_failures SET count = 1000 WHERE key = ${`mail in of ${user.id}`}`;
    expect(await receive(world, { from: addressOf(user), to, text: 'Again' })).toMatchObject({ is: 'later' });
  });

  it('brings its files, and is written from HTML where there is no plain text', LONG, async () => {
    const { user, issue, to } = await withIssue();
    const html =
      '<html><head><style>p {}</style></head><body><p>See <a href="https://example.com/a?b=1&amp;c=2">the page</a> &lt;now&gt;</p><script>alert(1)</script>' +
      '<ul><li>one</li><li>two</li></ul><div>On Monday, Gantry wrote:</div><blockquote><p>What?</p></blockquote></body></html>';
    const attachments = [
      { name: 'shot.png', type: 'image/png', content: Buffer.from('picture') },
      { name: '../no tes.txt', content: Buffer.from('notes') },
    ];
    await receive(world, { from: addressOf(user), to, html, attachments });
    const [note] = await notesOn(issue.id);
    expect(note?.body).toMatch(
      /^See \[the page\]\(https:\/\/example\.com\/a\?b=1&c=2\) <now>\n\n- one\n- two\n\n!\[shot\]\(\/uploads\/[0-9a-f]{32}\/shot\.png\)\n\n\[no_tes\.txt\]\(\/uploads\/[0-9a-f]{32}\/no_tes\.txt\)$/,
    );
    expect(await world.db.upload.count({ where: { userId: user.id } })).toBe(2);
  });

  it('is refused with files that are too large, before any is stored', LONG, async () => {
    const { user, issue, to } = await withIssue();
    const attachments = [
      { name: 'small.txt', content: Buffer.from('small') },
      { name: 'large.bin', content: Buffer.alloc(10 * 1024 * 1024 + 1) },
    ];
    await receive(world, { from: addressOf(user), to, text: 'Files', attachments });
    expect(await outcomes()).toMatchObject([{ outcome: 'refused', reason: 'Too large: files can be at most 10 MB' }]);
    expect(await notesOn(issue.id)).toEqual([]);
    expect(await world.db.upload.count({ where: { userId: user.id } })).toBe(0);
  });

  it('is refused without any words of its own', async () => {
    const { user, to } = await withIssue();
    await receive(world, { from: addressOf(user), to, text: '> quoted\n> only\n' });
    expect(await outcomes()).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('no text') }]);
  });

  it('is refused if it is huge, too deep, has too many parts or no form at all', LONG, async () => {
    const { user, to } = await withIssue();
    const head = `From: ${addressOf(user)}\r\nTo: ${to}\r\n`;
    const deep = Array.from(
      { length: 3000 },
      (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
    ).join('');
    const attachments = Array.from({ length: 21 }, (_, at) => ({ name: `${at}.txt`, content: Buffer.from('x') }));
    const refused = [
      Buffer.alloc(25 * 1024 * 1024 + 1, 'a'),
      Buffer.from(`${head}${deep}`),
      writeMail({ from: addressOf(user), to, text: 'x', attachments }),
      Buffer.from(`${head}X-Long: ${'a'.repeat(300_000)}\r\n\r\nHello`),
      Buffer.alloc(0),
      Buffer.from([0, 255, 13, 10, 0]),
    ];
    for (const content of refused) expect(await receive(world, content)).toMatchObject({ is: 'refused' });
    const odd = Buffer.from(
      `${head}Content-Type: multipart/mixed; boundary=x\r\nMessage-ID: \r\n\r\n--x\r\nContent-Type: text/plain; charset=nonsense\r\n\r\nHi \0 there`,
    );
    expect(await receive(world, odd)).toMatchObject({ is: 'accepted' });
    expect(await outcomes()).toMatchObject([{ outcome: 'accepted' }]);
  });
});

describe('A new issue by mail', () => {
  it('has the subject as its title and the text as its description, with the rights of the user', async () => {
    const { project, user } = await withIssue('guest');
    const message = {
      from: addressOf(user),
      to: 'Gantry <list@example.org>',
      subject: '=?utf-8?q?It_br=C3=A4ks?=',
      text: 'Here:\n\n> a log\n',
    };
    const headers = { 'Delivered-To': newIssueAddress(user, project.id) };
    await receive(world, { ...message, headers, attachments: [{ name: 'a.txt', content: Buffer.from('a') }] });
    const issue = await world.db.issue.findFirstOrThrow({ where: { projectId: project.id, authorId: user.id } });
    expect(issue).toMatchObject({
      title: 'It bräks',
      description: expect.stringMatching(/^Here:\n\n> a log\n\n\[a\.txt\]\(\/uploads\//),
    });
    expect(await outcomes()).toMatchObject([{ outcome: 'accepted' }]);
  });

  it('is refused without a subject, and for those who cannot see the project', LONG, async () => {
    const { project, user } = await withIssue('guest');
    await receive(world, { from: addressOf(user), to: newIssueAddress(user, project.id), subject: ' ', text: 'Hello' });
    expect(await outcomes()).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('no subject') }]);
    const stranger = await world.user();
    await receive(world, { from: addressOf(stranger), to: newIssueAddress(stranger, project.id), text: 'Hello' });
    expect(await outcomes()).toMatchObject([
      { outcome: 'refused', reason: expect.stringContaining('no longer exists') },
    ]);
    expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(1);
  });
});

describe('The address for new issues', () => {
  const ask = '{ project(ref: $id) { viewerMailInAddress } }';
  const asked = async (who: TestUser | undefined, id: number) =>
    (await world.graphql(`query ($id: ProjectRef!) ${ask}`, { id: String(id) }, who)).body.data.project
      ?.viewerMailInAddress;

  it('is shown to those who can open issues, and not to their tokens that cannot', async () => {
    const { project, user } = await withIssue('guest', 'public');
    expect(await asked(user, project.id)).toBe(newIssueAddress(user, project.id));
    expect(await asked(undefined, project.id)).toBeNull();
    const token = await world.token(user, ['read_api']);
    const headers = { 'PRIVATE-TOKEN': token };
    const body = { query: `query ($id: ProjectRef!) ${ask}`, variables: { id: String(project.id) } };
    const read = await world.send('POST', '/graphql', { headers, body });
    expect(read.body.data).toEqual({ project: { viewerMailInAddress: null } });
    await world.api(owner).put(`/projects/${project.id}`, { issues_access_level: 'disabled' });
    expect(await asked(user, project.id)).toBeNull();
  });

  it('is on the page of issues, where it can be reset, and so are those for replies', LONG, async () => {
    const { project, user, to } = await withIssue();
    const before = newIssueAddress(user, project.id);
    const browser = await signedIn(world, user);
    await browser.get(`/${project.fullPath}/-/issues`);
    expect(browser.page).toContain('Email a new issue to this project');
    expect(browser.page).toContain(before);
    await browser.confirm(`/profile/mail_in/reset?back=/${project.fullPath}/-/issues`, {});
    await browser.get(`/${project.fullPath}/-/issues`);
    const after = await asked(user, project.id);
    expect(after).toBe(mailAddress({ kind: 'newIssue', userId: user.id, version: 1, projectId: project.id }));
    expect(browser.page).toContain(after);
    expect(browser.page).not.toContain(before);
    for (const address of [before, to]) {
      await receive(world, { from: addressOf(user), to: address, text: 'Hello' });
      expect(await outcomes()).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining('you reset') }]);
    }
    await receive(world, { from: addressOf(user), to: after, text: 'Hello' });
    expect(await outcomes()).toMatchObject([{ outcome: 'accepted' }]);
  });
});
