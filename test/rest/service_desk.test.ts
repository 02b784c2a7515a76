import { beforeEach, describe, expect, it } from 'vitest';
import { readKey } from '#src/domain/notifications/mailing/incoming_address.ts';
import { LONG } from '../support/long.ts';
import { MAIL_IN, mailAddress, receive } from '../support/mail_in.ts';
import { startMailbox } from '../support/mailbox.ts';
import { SECRET, startWorld, type TestUser } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url, mailIn: MAIL_IN });
const owner = await world.user();

beforeEach(async () => {
  await world.db.signInFailures.deleteMany();
});

let people = 0;
/** The address of somebody without an account. */
const customer = () => {
  people += 1;
  return `customer-${people}@client.example`;
};

async function withDesk(visibility: 'private' | 'public' = 'private') {
  const project = await world.project({ owner, visibility });
  const { body } = await world.api(owner).put(`/projects/${project.id}`, { service_desk_enabled: true });
  expect(body).toMatchObject({
    service_desk_enabled: true,
    service_desk_address: expect.stringContaining('incoming+'),
  });
  return { project, to: String(body.service_desk_address) };
}

/** A request that somebody has sent, its issue, and where they can answer. */
async function withRequest(visibility?: 'private' | 'public', text = 'It does not start.') {
  const { project, to } = await withDesk(visibility);
  const from = customer();
  await receive(world, { from: `Cleo <${from}>`, to, subject: 'No light', text, messageId: `<first-${from}>` });
  const { body } = await world.api(owner).get(`/projects/${project.id}/issues`);
  const [issue] = body as { id: number; iid: number; description: string }[];
  if (!issue) throw new Error('There is no issue');
  const receipt = await mailbox.next(from);
  return { project, to, from, issue, receipt, answerTo: replyTo(receipt.raw) };
}

const replyTo = (raw: string) => /^Reply-To: (\S+)/m.exec(raw)?.[1] ?? '';
const notesOn = (issueId: number) =>
  world.db.note.findMany({
    where: { subjectType: 'Issue', subjectId: issueId, system: false },
    orderBy: { id: 'asc' },
  });
const outcome = async () => {
  const last = { orderBy: { id: 'desc' }, select: { outcome: true, reason: true } } as const;
  return world.db.mailInMessage.findFirstOrThrow(last);
};

describe('A message to the service desk of a project', () => {
  it('opens a confidential issue, and is confirmed in the thread that it began', async () => {
    const { issue, from, receipt } = await withRequest();
    expect(issue).toMatchObject({
      title: 'No light',
      description: 'It does not start.',
      confidential: true,
      service_desk_reply_to: from,
      author: { username: 'support-bot', name: 'Support Bot' },
    });
    expect(receipt.subject).toBe(`Re: No light (#${issue.iid})`);
    expect(receipt.text).toContain('Thank you for your message');
    expect(receipt.raw).toContain(`In-Reply-To: <first-${from}>`);
    expect(receipt.raw).toContain('Auto-Submitted: auto-generated');
    expect(receipt.raw).not.toContain('/-/issues/');
    expect(await outcome()).toEqual({ outcome: 'accepted', reason: null });
  });

  it('gives no orders, however many it tries', LONG, async () => {
    const orders = Array.from({ length: 150 }, () => '/confidential').join('\n');
    const { project, issue } = await withRequest(
      'private',
      `/close\n/assign @${owner.username}\n/title Mine\n${orders}`,
    );
    const { body } = await world.api(owner).get(`/projects/${project.id}/issues/${issue.iid}`);
    expect(body).toMatchObject({ state: 'opened', title: 'No light', assignees: [], confidential: true });
    expect(body.description).toMatch(/^\\\/close\n\\\/assign @/);
  });

  it(
    'is refused while it is off, for an address that was reset, without a subject, and in archived or deleted projects',
    LONG,
    async () => {
      const { project, to } = await withDesk();
      const from = customer();
      const sent = async (subject = 'Help') => {
        await receive(world, { from, to, subject, text: 'Please' });
        return outcome();
      };
      expect(await sent(' ')).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('no subject') });
      await world.api(owner).put(`/projects/${project.id}`, { service_desk_enabled: false });
      expect(await sent()).toEqual({ outcome: 'refused', reason: 'This address is no longer in use.' });
      await world
        .api(owner)
        .put(`/projects/${project.id}`, { service_desk_enabled: true, issues_access_level: 'disabled' });
      expect(await sent()).toMatchObject({ outcome: 'refused' });
      await world.api(owner).put(`/projects/${project.id}`, { issues_access_level: 'enabled' });
      const reset =
        'mutation ($id: ProjectRef!) { resetServiceDeskAddress(input: { project: $id }) { project { serviceDeskAddress } } }';
      const { body } = await world.graphql(reset, { id: String(project.id) }, owner);
      expect(body.data.resetServiceDeskAddress.project.serviceDeskAddress).not.toBe(to);
      expect(await sent()).toEqual({ outcome: 'refused', reason: 'This address is no longer in use.' });
      await world.db.project.update({
        where: { id: project.id },
        data: { serviceDeskVersion: 0, deletedAt: new Date() },
      });
      expect(await sent()).toMatchObject({ outcome: 'refused' });
      expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(0);
    },
  );

  it(
    'is confirmed five times an hour to one address, which may be forged, and waits when there are too many',
    LONG,
    async () => {
      const { project, to } = await withDesk();
      const from = customer();
      for (let count = 0; count < 7; count += 1)
        await receive(world, { from, to, subject: `Help ${count}`, text: 'Please' });
      expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(7);
      expect(mailbox.to(from)).toHaveLength(5);
      await world.db
        .$executeRaw`UPDATE sign_in_failures SET count = 1000 WHERE key = ${`mail in of desk ${project.id}`}`;
      const late = { from: customer(), to, subject: 'Help', text: 'Please' };
      expect(await receive(world, late)).toMatchObject({ is: 'later' });
    },
  );

  it('opens one issue, however often it comes', LONG, async () => {
    const { project, to } = await withDesk();
    const message = { from: customer(), to, subject: 'Once', text: 'Once', messageId: '<once@client.example>' };
    await Promise.all([receive(world, message), receive(world, message)]);
    expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(1);
  });
});

describe('Who wrote to a service desk', () => {
  it('gets the comments on the issue and its end by mail, and nothing that is internal', LONG, async () => {
    const { project, issue, from } = await withRequest();
    const notes = `/projects/${project.id}/issues/${issue.iid}/notes`;
    await world.api(owner).post(notes, { body: 'They never pay.', internal: true });
    await world.api(owner).post(notes, { body: 'Have you **tried** the switch?\n/label ~none' });
    const comment = await mailbox.next(from);
    expect(comment.text).toContain('Have you **tried** the switch?');
    expect(comment.raw).toContain('<strong>tried</strong>');
    expect(comment.raw).toContain(`In-Reply-To: <first-${from}>`);
    await world.api(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { state_event: 'close' });
    expect((await mailbox.next(from)).text).toContain('was closed');
    await world.idle();
    expect(
      mailbox
        .to(from)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('They never pay');
  });

  it('answers by mail, with a comment that says for whom it stands, and is not told of it', LONG, async () => {
    const { project, issue, from, answerTo } = await withRequest();
    const before = mailbox.to(from).length;
    await receive(world, {
      from,
      to: answerTo,
      text: 'Now it does.\n/close\n\nOn Monday, Gantry wrote:\n> Thank you\n',
    });
    expect(await notesOn(issue.id)).toMatchObject([{ body: 'Now it does.\n\\/close', externalAuthor: from }]);
    const { body } = await world.api(owner).get(`/projects/${project.id}/issues/${issue.iid}`);
    expect(body.state).toBe('opened');
    await world.idle();
    expect(mailbox.to(from)).toHaveLength(before);
  });

  it('is refused from other addresses, in a locked discussion, and once the issue is gone', LONG, async () => {
    const { issue, from, answerTo } = await withRequest();
    await receive(world, { from: customer(), to: answerTo, text: 'Me, too' });
    expect(await outcome()).toMatchObject({ reason: expect.stringContaining('This conversation belongs to another') });
    await world.db.issue.update({ where: { id: issue.id }, data: { discussionLocked: true } });
    await receive(world, { from, to: answerTo, text: 'Hello?' });
    expect(await outcome()).toMatchObject({ reason: 'You do not have permission to do this.' });
    await world.db.issue.update({ where: { id: issue.id }, data: { deletedAt: new Date() } });
    await receive(world, { from, to: answerTo, text: 'Hello?' });
    expect(await outcome()).toMatchObject({ outcome: 'refused' });
    expect(await notesOn(issue.id)).toEqual([]);
  });

  it('gets no more mail after asking for that', LONG, async () => {
    const { project, issue, from, receipt, answerTo } = await withRequest();
    expect(receipt.raw).toMatch(/^List-Unsubscribe:\s*<mailto:\S+\?subject=unsubscribe>/m);
    await receive(world, { from, to: answerTo, subject: 'Unsubscribe' });
    const before = mailbox.to(from).length;
    await world.api(owner).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'Hello?' });
    await world.idle();
    expect(mailbox.to(from)).toHaveLength(before);
    expect(await notesOn(issue.id)).toHaveLength(1);
  });

  it('goes on with the issue when it is moved, if there is a service desk, too', LONG, async () => {
    const { project, issue, from, answerTo } = await withRequest();
    const other = await withDesk();
    const moved = await world
      .api(owner)
      .post(`/projects/${project.id}/issues/${issue.iid}/move`, { to_project_id: other.project.id });
    expect(moved.body).toMatchObject({ service_desk_reply_to: from });
    await receive(world, { from, to: answerTo, text: 'Still here' });
    expect(await notesOn(moved.body.id)).toMatchObject([{ body: 'Still here' }]);
    await world.api(owner).post(`/projects/${other.project.id}/issues/${moved.body.iid}/notes`, { body: 'Good' });
    expect((await mailbox.next(from)).text).toContain('Good');
  });
});

describe('The address of a service desk', () => {
  const addressFor = async (who: TestUser | undefined, id: number) =>
    (
      await world.graphql(
        'query ($id: ProjectRef!) { project(ref: $id) { serviceDeskAddress } }',
        { id: String(id) },
        who,
      )
    ).body.data.project?.serviceDeskAddress;

  it('is shown to those who work on issues, and reset by masters', async () => {
    const { project, to } = await withDesk('public');
    const [reporter, guest, stranger] = [await world.user(), await world.user(), await world.user()];
    await world.member(project, reporter, 'reporter');
    await world.member(project, guest, 'guest');
    expect(await addressFor(reporter, project.id)).toBe(to);
    for (const who of [guest, stranger, undefined]) expect(await addressFor(who, project.id)).toBeNull();
    const reset =
      'mutation ($id: ProjectRef!) { resetServiceDeskAddress(input: { project: $id }) { project { name } } }';
    for (const who of [reporter, stranger, undefined]) {
      const { body } = await world.graphql(reset, { id: String(project.id) }, who);
      expect(body.errors).toHaveLength(1);
    }
    expect(await addressFor(owner, project.id)).toBe(to);
  });

  it('is a key that nobody else can make', () => {
    const written = mailAddress({ kind: 'request', version: 0, projectId: 1 }).replace(/^incoming\+|@.*/g, '');
    expect(readKey(SECRET, written)).toEqual({ kind: 'request', version: 0, projectId: 1 });
    expect(readKey(SECRET, written.replace(/^s/, 'p'))).toBeNull();
    expect(readKey(SECRET, written.replace('s-0-1', 's-0-2'))).toBeNull();
  });
});

describe('The address of who wrote', () => {
  it('is whole for those who work on issues alone', LONG, async () => {
    const { project, issue, from, answerTo } = await withRequest('public');
    await receive(world, { from, to: answerTo, text: 'Now it does.' });
    await world.api(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { confidential: false });
    const at = `/projects/${project.id}/issues/${issue.iid}`;
    expect((await world.api(await world.user()).get(at)).body.service_desk_reply_to).toBe('cu*****@c*****.example');
    expect((await world.api(owner).get(at)).body.service_desk_reply_to).toBe(from);
    const asked = '{ project(ref: "ID") { issue(iid: IID) { notes { nodes { externalAuthor } } } } }'
      .replace('IID', String(issue.iid))
      .replace('ID', String(project.id));
    const shown = async (who?: TestUser) =>
      (await world.graphql(asked, {}, who)).body.data.project.issue.notes.nodes.map(
        (note: { externalAuthor: string | null }) => note.externalAuthor,
      );
    expect(await shown(owner)).toContain(from);
    expect(await shown()).toContain('cu*****@c*****.example');
    expect(await shown()).not.toContain(from);
  });

  it('is of a user who cannot sign in, and is no member of anything', async () => {
    await withRequest();
    const bots = await world.db.user.findMany({ where: { serviceAccount: 'support' } });
    expect(bots).toMatchObject([{ username: 'support-bot', bot: true, admin: false }]);
    expect(await world.db.member.count({ where: { userId: bots[0]?.id ?? 0 } })).toBe(0);
  });
});
