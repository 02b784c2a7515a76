// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findRecipients } from '#src/domain/notifications/mailing/distribute.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import { sendNotification } from '#src/domain/notifications/mailing/send.ts';
import { readUnsubscribeToken, unsubscribeToken } from '#src/domain/notifications/mailing/unsubscribe.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createMailer } from '#src/platform/outbound/mail/mailer.ts';
import { Browser } from '../support/browser.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { startMailbox } from '../support/mailbox.ts';
import { SECRET, startWorld, type TestUser } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url });
const [owner, author, assignee] = [await world.user(), await world.user(), await world.user()];
let project: ProjectRow;

const addressOf = ({ username }: TestUser) => `${username}@example.org`;
const subjectsTo = (user: TestUser) => mailbox.to(addressOf(user)).map(({ subject }) => subject);
/** The value of a header of a message as it came. */
const header = (raw: string, name: string) =>
  new RegExp(`^${name}:\\s+(.*(?:\\r\\n[ \\t].*)*)`, 'mi').exec(raw)?.[1]?.replace(/\r\n[ \t]+/g, ' ');

/** The HTML of a message as it came. */
const htmlPart = (raw: string) =>
  (raw.split(/Content-Type: text\/html.*\r\nContent-Transfer-Encoding: quoted-printable/)[1] ?? '')
    .replace(/=\r\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());

beforeAll(async () => {
  project = await world.project({ owner, name: 'Rocket', path: 'rocket', visibility: 'private' });
  for (const user of [author, assignee]) await world.member(project, user, 'developer');
});

async function member(level: 'guest' | 'developer' = 'developer'): Promise<TestUser> {
  const user = await world.user();
  await world.member(project, user, level);
  return user;
}

/** Sets what a user hears of, in the project or, without one, everywhere. */
async function choose(user: TestUser, level: string, where = `/projects/${project.id}`, events = {}) {
  const { status } = await world.api(user).put(`${where}/notification_settings`, { level, ...events });
  expect(status).toBe(200);
}

const issuesOf = (iid: number, at = project) => `/projects/${at.id}/issues/${iid}`;

async function comment(user: TestUser, iid: number, body: string) {
  const answer = await world.api(user).post(`${issuesOf(iid)}/notes`, { body });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** What the last mail job of a user was told. */
async function lastTold(user: TestUser): Promise<{ happening: Keyed; userId: number }> {
  const [job] = await world.db.$queryRaw<{ data: { happening: Keyed; userId: number } }[]>`
    SELECT data FROM pgboss.job WHERE name = 'mail.tell' AND (data->>'userId')::int = ${user.id} ORDER BY created_on DESC LIMIT 1`;
  if (!job) throw new Error('no mail was wanted');
  return job.data;
}

/** Waits until the mail jobs of a user are done, also those that failed and are tried again. */
async function settled(user: TestUser): Promise<void> {
  await world.idle();
  await world.until(async () => {
    const open = await world.db.$queryRaw<unknown[]>`
      SELECT 1 FROM pgboss.job WHERE name = 'mail.tell' AND (data->>'userId')::int = ${user.id} AND state <> 'completed'`;
    return open.length === 0;
  });
}

describe('Mail about an issue', () => {
  it(
    'goes to those who take part in it, is grouped by mail clients, and never goes to whoever acted',
    LONG,
    async () => {
      const named = await member();
      const bystander = await member();
      const issue = await world.issue(project, author, {
        title: 'Engine stalls',
        description: `Ask @${named.username}`,
        assigneeId: assignee.id,
      });
      const first = await mailbox.next(addressOf(assignee));
      expect(first.subject).toBe(`Rocket | Engine stalls (#${issue.iid})`);
      expect(first.link).toBe(`${world.url}/${project.fullPath}/-/issues/${issue.iid}`);
      expect(first.text).toContain(`Name of ${author.username} opened an issue.`);
      expect(first.text).toContain(`Ask @${named.username}`);
      expect(first.text).toContain("because you're assigned");
      expect((await mailbox.next(addressOf(named))).text).toContain('because you were mentioned');
      expect(header(first.raw, 'Auto-Submitted')).toBe('auto-generated');
      expect(header(first.raw, 'Message-ID')).toBe(`<issue_${issue.id}@127.0.0.1>`);
      expect(header(first.raw, 'In-Reply-To')).toBeUndefined();

      const note = await comment(assignee, issue.iid, 'It is the <b onclick="a()">pump</b>');
      const reply = await mailbox.next(addressOf(author));
      expect(reply.subject).toBe(`Re: Rocket | Engine stalls (#${issue.iid})`);
      expect(reply.link).toBe(`${world.url}/${project.fullPath}/-/issues/${issue.iid}?note=${note.id}#note_${note.id}`);
      expect(reply.text).toContain('It is the <b onclick="a()">pump</b>');
      expect(htmlPart(reply.raw)).toContain('<div><p dir="auto">It is the <b>pump</b></p></div>');
      for (const name of ['In-Reply-To', 'References']) {
        expect(header(reply.raw, name)).toBe(`<issue_${issue.id}@127.0.0.1>`);
      }
      expect(header(reply.raw, 'Message-ID')).toMatch(new RegExp(`^<issue_${issue.id}_[\\w-]+@127.0.0.1>$`));
      expect((await mailbox.next(addressOf(named))).subject).toMatch(/^Re: /);

      for (const [event, words] of Object.entries({ close: 'closed', reopen: 'reopened' })) {
        await world.api(author).put(issuesOf(issue.iid), { state_event: event });
        const told = await mailbox.next(addressOf(assignee));
        expect(told.text).toContain(`Name of ${author.username} ${words} the issue.`);
      }
      await world.idle();
      expect(subjectsTo(author)).toHaveLength(1);
      expect(subjectsTo(assignee)).toHaveLength(3);
      expect(subjectsTo(bystander)).toEqual([]);
    },
  );

  it('has Markdown as HTML, with links to what its reader can see and to nothing else', async () => {
    const [reader, stranger] = [await member(), await member('guest')];
    const hidden = await world.project({ owner: author, visibility: 'private' });
    await world.member(hidden, reader, 'reporter');
    const { iid } = await world.issue(hidden, author, { title: 'The secret title' });
    const secret = `${hidden.fullPath}#${iid}`;
    const issue = await world.issue(project, owner);
    // Whoever is named before that is told of the issue, too.
    await world.idle();
    const body = `@${reader.username} @${stranger.username}: *see* ${secret} and [a](doc/a.md) ![a picture](https://example.org/a.png)`;
    await comment(author, issue.iid, body);
    const [read, unread] = [await mailbox.next(addressOf(reader)), await mailbox.next(addressOf(stranger))];
    for (const { text, raw } of [read, unread]) {
      expect(text).toContain(body);
      expect(htmlPart(raw)).toContain(`<em>see</em>`);
      expect(htmlPart(raw)).toContain('<span>a picture</span>');
      expect(htmlPart(raw)).toContain(`href="${world.url}/${reader.username}"`);
    }
    expect(htmlPart(read.raw)).toMatch(
      new RegExp(`title="The secret title"[^>]* href="${world.url}/.*">${secret}</a>`),
    );
    expect(htmlPart(unread.raw)).toContain(`</em> ${secret} and `);
    expect(unread.raw).not.toContain('secret title');
  });

  it(
    'tells the old and the new assignee, and nobody of titles, descriptions, labels and edited notes',
    LONG,
    async () => {
      const [before, after] = [await member(), await member()];
      const issue = await world.issue(project, author, { assigneeId: before.id });
      await mailbox.next(addressOf(before));
      await world.api(author).put(issuesOf(issue.iid), { assignee_id: after.id });
      for (const user of [before, after]) {
        expect((await mailbox.next(addressOf(user))).text).toContain(
          `assigned the issue to Name of ${after.username}.`,
        );
      }
      await world.api(author).put(issuesOf(issue.iid), { assignee_id: null });
      expect((await mailbox.next(addressOf(after))).text).toContain('removed the assignee of the issue.');

      const follower = await member();
      await world.api(follower).post(`${issuesOf(issue.iid)}/subscribe`);
      await world.api(author).put(issuesOf(issue.iid), { title: 'Other', description: 'Other', labels: 'bug' });
      const note = await comment(author, issue.iid, 'First');
      expect((await mailbox.next(addressOf(follower))).text).toContain('First');
      await world.api(author).put(`${issuesOf(issue.iid)}/notes/${note.id}`, { body: 'Second' });
      await world.idle();
      expect(subjectsTo(follower)).toHaveLength(1);
    },
  );

  it('goes to subscribers of the issue and of its labels, and to nobody who unsubscribed', LONG, async () => {
    const [follower, fan, gone] = [await member(), await member(), await member()];
    const label = await world.label(project, owner);
    await world.api(fan).post(`/projects/${project.id}/labels/${label.id}/subscribe`);
    const issue = await world.issue(project, author, { labels: [label.title], assigneeId: gone.id });
    expect((await mailbox.next(addressOf(fan))).text).toContain('you subscribed to one of its labels');
    await mailbox.next(addressOf(gone));
    await world.api(follower).post(`${issuesOf(issue.iid)}/subscribe`);
    await world.api(gone).post(`${issuesOf(issue.iid)}/unsubscribe`);
    await comment(author, issue.iid, `Hello @${gone.username}`);
    expect((await mailbox.next(addressOf(follower))).text).toContain('because you subscribed');
    await world.idle();
    expect(subjectsTo(gone)).toHaveLength(1);
  });

  it('goes where the notification level says', LONG, async () => {
    const levels = { disabled: [0, 0, 0], mention: [0, 0, 1], participating: [0, 1, 1], watch: [1, 1, 1] };
    for (const [level, [asBystander, asAssignee, asMentioned]] of Object.entries(levels)) {
      const user = await member();
      await choose(user, level);
      const issue = await world.issue(project, author);
      await world.idle();
      expect([level, subjectsTo(user).length]).toEqual([level, asBystander]);
      await world.api(author).put(issuesOf(issue.iid), { assignee_id: user.id });
      await world.idle();
      expect([level, subjectsTo(user).length]).toEqual([level, (asBystander ?? 0) + (asAssignee ?? 0)]);
      await comment(author, issue.iid, `@${user.username}?`);
      await settled(user);
      expect([level, subjectsTo(user).length]).toEqual([
        level,
        (asBystander ?? 0) + (asAssignee ?? 0) + (asMentioned ?? 0),
      ]);
    }
  });

  it(
    'goes to those who chose events of its kind, and to those who watch everything in the projects that they are in',
    LONG,
    async () => {
      const [custom, everywhere, stranger] = [await member(), await member(), await world.user()];
      await choose(custom, 'custom', undefined, { close_issue: true });
      for (const user of [everywhere, stranger]) await choose(user, 'watch', '');
      const open = await world.project({ owner, visibility: 'public' });
      await world.issue(open, owner);
      const issue = await world.issue(project, author);
      await world.api(author).put(issuesOf(issue.iid), { state_event: 'close' });
      expect((await mailbox.next(addressOf(custom))).text).toContain('closed the issue');
      await world.idle();
      expect([custom, everywhere, stranger].map((user) => subjectsTo(user).length)).toEqual([1, 2, 0]);
    },
  );

  it(
    'goes to nobody who cannot see it: guests of confidential issues, strangers of private projects',
    LONG,
    async () => {
      const [guest, stranger, reporter] = [await member('guest'), await world.user(), await member()];
      for (const user of [guest, reporter]) await choose(user, 'watch');
      await world.issue(project, author, {
        confidential: true,
        description: `@${guest.username} @${stranger.username} @${reporter.username}`,
      });
      await mailbox.next(addressOf(reporter));
      await world.idle();
      expect([...subjectsTo(guest), ...subjectsTo(stranger)]).toEqual([]);
    },
  );

  it('goes to confirmed addresses of active users alone, and to the one that they chose', LONG, async () => {
    const [blocked, unconfirmed, elsewhere] = [await member(), await member(), await member()];
    await world.db.user.update({ where: { id: blocked.id }, data: { state: 'blocked' } });
    await world.db.user.update({ where: { id: unconfirmed.id }, data: { confirmedAt: null } });
    const email = `${elsewhere.username}+more@example.org`;
    await world.db.email.create({ data: { userId: elsewhere.id, email, confirmedAt: new Date() } });
    expect((await world.api(elsewhere).put('/notification_settings', { notification_email: email })).status).toBe(200);
    const names = [blocked, unconfirmed, elsewhere].map(({ username }) => `@${username}`);
    await world.issue(project, author, { description: names.join(' ') });
    await mailbox.next(email);
    await world.idle();
    expect([blocked, unconfirmed, elsewhere].flatMap(subjectsTo)).toEqual([]);
  });

  it('says in its headers who did it, where and why, so that filters can sort it', LONG, async () => {
    const user = await member();
    await world.db.user.update({ where: { id: assignee.id }, data: { name: 'Änn "the" Lee' } });
    const { id, iid } = await world.issue(project, assignee, { assigneeId: user.id });
    const { raw } = await mailbox.next(addressOf(user));
    const [group = ''] = project.fullPath.split('/');
    const { hostname } = new URL(world.url);
    expect(header(raw, 'From')).toMatch(/^=\?UTF-8\?.*\?= <gantry@example\.org>$/);
    expect(header(raw, 'List-Id')).toBe(`${project.fullPath} <${project.id}.${project.path}.${group}.${hostname}>`);
    const told = ['Project', 'Project-Id', 'Project-Path', 'Issue-ID', 'Issue-IID', 'NotificationReason'];
    expect(told.map((name) => header(raw, `X-GitLab-${name}`))).toEqual([
      'Rocket',
      String(project.id),
      project.fullPath,
      String(id),
      String(iid),
      'assigned',
    ]);
  });

  it('takes no header, no second recipient and no end of line from names and titles', LONG, async () => {
    const user = await member();
    await world.db.user.update({
      where: { id: author.id },
      data: { name: 'A "quoted"\r\nBcc: a@example.net <x@example.net>' },
    });
    const issue = await world.issue(project, author, { title: 'Plain', assigneeId: user.id });
    await mailbox.next(addressOf(user));
    const title = `Über "x"\r\nBcc: evil@example.net\r\n\r\nBody ${'é'.repeat(150)}`;
    await world.db.issue.update({ where: { id: issue.id }, data: { title } });
    await comment(author, issue.iid, '.\r\nBcc: b@example.net\r\n.\r\n');
    const told = await mailbox.next(addressOf(user));
    const [head = ''] = told.raw.split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc:/im);
    expect(Math.max(...head.split('\r\n').map((line) => line.length))).toBeLessThan(500);
    expect(mailbox.received.filter(({ to }) => to.endsWith('example.net'))).toEqual([]);
  });
});

describe('Mail with much in it', () => {
  it('cuts long texts', LONG, async () => {
    const user = await member();
    const { iid, id } = await world.issue(project, author, { title: 'x'.repeat(255), assigneeId: user.id });
    const first = await mailbox.next(addressOf(user));
    // The encoded words of a long subject are joined without the space between them.
    const subject = first.subject.replaceAll('?= =?UTF-8?Q?', '');
    expect(subject).toContain(`_${'x'.repeat(191)}=E2=80=A6_`);
    await world.db.issue.update({ where: { id }, data: { title: 'Short' } });
    await comment(author, iid, `${'🦊'.repeat(19_999)}abc`);
    const { text } = await mailbox.next(addressOf(user));
    expect(text).toContain('🦊a…');
    expect(text).not.toContain('ab');
  });
});

describe('Mail about a merge request', () => {
  it('tells of notes, of its end and of its return', LONG, async () => {
    const request = await world.mergeRequest(project, author, { iid: 900, sourceBranch: 'mail' });
    const at = `/projects/${project.id}/merge_requests/900`;
    const seen = mailbox.to(addressOf(author)).length;
    await world.api(assignee).post(`${at}/notes`, { body: 'Looks good' });
    await world.until(async () => mailbox.to(addressOf(author)).length > seen);
    const told = mailbox.to(addressOf(author)).at(-1);
    expect(told?.subject).toBe('Re: Rocket | Merge 900 (!900)');
    expect(told?.link).toContain(`${world.url}/${project.fullPath}/-/merge_requests/900?note=`);
    expect(header(told?.raw ?? '', 'In-Reply-To')).toBe(`<merge_request_${request.id}@127.0.0.1>`);
    expect((await world.api(owner).put(at, { state_event: 'close' })).status).toBe(200);
    await world.until(async () => mailbox.to(addressOf(author)).length > seen + 1);
    expect(mailbox.to(addressOf(author)).at(-1)?.text).toContain('closed the merge request.');
  });
});

describe('Mail about work in a repository', () => {
  it('tells of a merge request that is opened and merged, and of the issue that it closes', LONG, async () => {
    const { project: place } = await projectWithCommit(world, owner);
    const user = await world.user();
    await world.member(place, user, 'developer');
    const api = world.api(owner);
    const at = `/projects/${place.id}`;
    const { iid } = await world.issue(place, owner, { assigneeId: user.id });
    expect((await mailbox.next(addressOf(user))).text).toContain('opened an issue');
    await api.post(`${at}/repository/branches`, { branch: 'topic', ref: 'master' });
    const file = { branch: 'topic', content: 'x', commit_message: 'Add' };
    expect((await api.post(`${at}/repository/files/new`, file)).status).toBe(201);
    const request = { source_branch: 'topic', target_branch: 'master', title: 'Topic', assignee_id: user.id };
    const { body } = await api.post(`${at}/merge_requests`, { ...request, description: `Closes #${iid}` });
    const first = await mailbox.next(addressOf(user));
    expect(first.subject).toBe(`${place.name} | Topic (!${body.iid})`);
    expect(header(first.raw, 'Message-ID')).toBe(`<merge_request_${body.id}@127.0.0.1>`);
    await world.idle();
    expect((await api.put(`${at}/merge_requests/${body.iid}/merge`)).status).toBe(200);
    const texts = [await mailbox.next(addressOf(user)), await mailbox.next(addressOf(user))].map(({ text }) => text);
    for (const words of ['merged the merge request.', 'closed the issue.']) {
      expect(texts.some((text) => text.includes(words))).toBe(true);
    }
    await world.idle();
    expect([subjectsTo(user).length, subjectsTo(owner)]).toEqual([4, expect.not.arrayContaining([first.subject])]);
  });
});

describe('Mail about pipelines', () => {
  it('tells who pushed a file that is invalid', LONG, async () => {
    const user = await world.user();
    const { project: place } = await projectWithCommit(world, user, { config: 'unit: [' });
    expect((await mailbox.next(addressOf(user))).subject).toMatch(`${place.name} | Pipeline has failed for master`);
  });

  it('tells its author that a pipeline failed, and that it succeeded where that was chosen', LONG, async () => {
    const user = await member();
    const sha = 'a'.repeat(40);
    const pipeline = () =>
      world.db.pipeline.create({
        data: { projectId: project.id, ref: 'main', sha, source: 'api', userId: user.id, status: 'running' },
      });
    const { settlePipeline } = await import('#src/domain/ci/jobs/settle.ts');
    const end = async (status: 'failed' | 'success') => {
      const { id } = await pipeline();
      await world.db.$transaction((tx) => settlePipeline(tx, world.as(owner), id, status));
      return id;
    };
    const failed = await end('failed');
    const told = await mailbox.next(addressOf(user));
    expect(told.subject).toBe(`Rocket | Pipeline has failed for main (#${failed})`);
    expect(told.link).toBe(`${world.url}/${project.fullPath}/-/pipelines/${failed}`);
    await end('success');
    await world.idle();
    expect(subjectsTo(user)).toHaveLength(1);
    await choose(user, 'custom', undefined, { success_pipeline: true });
    await end('success');
    expect((await mailbox.next(addressOf(user))).subject).toContain('has succeeded');
  });
});

describe('Sending', () => {
  /** A user to whom alone an issue is told, whose mail is refused at first. */
  async function refusedAtFirst() {
    const place = await world.project({ owner, visibility: 'private' });
    const user = await world.user();
    await world.member(place, user, 'developer');
    await world.idle();
    mailbox.refusing = 1;
    const { iid } = await world.issue(place, owner, { assigneeId: user.id });
    await world.until(async () => mailbox.refusing === 0);
    expect(subjectsTo(user)).toEqual([]);
    return { user, path: issuesOf(iid, place) };
  }

  it('waits for a mail server that refuses for a while', LONG, async () => {
    const { user } = await refusedAtFirst();
    await settled(user);
    expect(subjectsTo(user)).toHaveLength(1);
  });

  it.each<[string, (user: TestUser, path: string) => Promise<unknown>]>([
    ['lost access', (user) => world.db.member.deleteMany({ where: { userId: user.id } })],
    ['chose to hear of nothing', (user) => choose(user, 'disabled', '')],
    ['unsubscribed', (user, path) => world.api(user).post(`${path}/unsubscribe`)],
    ['was blocked', (user) => world.db.user.update({ where: { id: user.id }, data: { state: 'blocked' } })],
  ])('sends nothing to a user who %s since', LONG, async (_what, change) => {
    const { user, path } = await refusedAtFirst();
    await change(user, path);
    await settled(user);
    expect(subjectsTo(user)).toEqual([]);
  });

  it('sends nobody anything twice, however often the jobs run', LONG, async () => {
    const user = await member();
    await world.issue(project, author, { assigneeId: user.id });
    await settled(user);
    const told = await lastTold(user);
    const { db, jobs } = world.as(owner);
    await findRecipients({ db, jobs }, [told.happening]);
    await settled(user);
    const mailer = createMailer({ url: mailbox.url, from: 'gantry@example.org' });
    const { repositories } = world;
    await sendNotification({ db, jobs, repositories, secret: SECRET, mailer, baseUrl: async () => world.url }, told);
    expect(subjectsTo(user)).toHaveLength(1);
  });

  it('leaves no jobs behind on a server without mail', LONG, async () => {
    const silent = await startWorld({}, onTestFinished);
    const [one, two] = [await silent.user(), await silent.user()];
    const place = await silent.project({ owner: one, visibility: 'public' });
    const { iid } = await silent.issue(place, one, { description: `@${two.username}` });
    await silent.api(two).post(`/projects/${place.id}/issues/${iid}/notes`, { body: `@${one.username}` });
    await silent.api(one).put(`/projects/${place.id}/issues/${iid}`, { state_event: 'close' });
    const jobs = await silent.db.$queryRaw<unknown[]>`SELECT name FROM pgboss.job WHERE name LIKE 'mail.%'`;
    expect([jobs, await silent.db.mailDelivery.count()]).toEqual([[], 0]);
  });
});

describe('The link that unsubscribes', () => {
  /** A user who got mail about an issue, with the path of the link in it. */
  async function told() {
    const user = await member();
    const issue = await world.issue(project, author, { assigneeId: user.id });
    const { raw, text } = await mailbox.next(addressOf(user));
    const link = /Unsubscribe: (\S+)/.exec(text)?.[1] ?? '';
    expect(header(raw, 'List-Unsubscribe')).toBe(`<${link}>`);
    expect(header(raw, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    const where = { subjectType: 'Issue', subjectId: issue.id, userId: user.id };
    const choice = async () => (await world.db.subscription.findFirst({ where }))?.subscribed;
    return { user, issue, path: link.slice(world.url.length), choice };
  }

  it('ends mail about the issue once the button is pressed, without signing in', LONG, async () => {
    const { user, issue, path, choice } = await told();
    const visitor = new Browser(world.send);
    expect((await visitor.get(path)).status).toBe(200);
    expect(visitor.page).toContain(`issue ${project.fullPath}#${issue.iid}`);
    expect(await choice()).toBeUndefined();
    for (const _time of [1, 2]) {
      expect((await visitor.submit(path)).status).toBe(200);
      expect(visitor.page).toContain('You no longer receive email about');
      expect(await choice()).toBe(false);
    }
    await comment(author, issue.iid, `Anything, @${user.username}?`);
    await world.idle();
    expect(subjectsTo(user)).toHaveLength(1);
  });

  it('works by one request of a mail client', LONG, async () => {
    const { path, choice } = await told();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://mail.example.net' };
    const answer = await world.send('POST', path, { headers, body: 'List-Unsubscribe=One-Click' });
    expect([answer.status, await choice()]).toEqual([200, false]);
  });

  it('is refused if it was made up, for another server, or changed', LONG, async () => {
    const { user, issue, path, choice } = await told();
    const token = new URL(path, world.url).searchParams.get('token') ?? '';
    const meant = { userId: user.id, type: 'Issue', id: issue.id } as const;
    expect(unsubscribeToken(SECRET, meant)).toBe(token);
    const wrong = [
      unsubscribeToken('another secret', meant),
      token.replace(`${user.id}.`, `${owner.id}.`),
      token.replace('Issue', 'MergeRequest'),
      `${token}x`,
      token.slice(0, -1),
      '',
      'x'.repeat(10_000),
    ];
    for (const one of wrong) {
      expect(readUnsubscribeToken(SECRET, one)).toBeNull();
      const at = `/-/unsubscribe?token=${encodeURIComponent(one)}`;
      const statuses = await Promise.all(['GET', 'POST'].map(async (method) => (await world.send(method, at)).status));
      expect(statuses).toEqual([404, 404]);
    }
    expect(await choice()).toBeUndefined();
    expect(await world.db.subscription.count({ where: { userId: owner.id, subjectId: issue.id } })).toBe(0);
  });

  it('does not name the issue for a user who cannot see it any more', async () => {
    const { user, path, choice } = await told();
    await world.db.member.deleteMany({ where: { userId: user.id } });
    const visitor = new Browser(world.send);
    await visitor.get(path);
    expect(visitor.page).toContain('this issue');
    expect(visitor.page).not.toContain(project.fullPath);
    await visitor.submit(path);
    expect(await choice()).toBe(false);
  });
});
