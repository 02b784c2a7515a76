import { expect, it, onTestFinished } from 'vitest';
import { findRecipients } from '#src/domain/notifications/mailing/distribute.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import { sendNotification } from '#src/domain/notifications/mailing/send.ts';
import { jobHandlers } from '#src/entrances/server/background_jobs.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { startJobs } from '#src/platform/background/queue.ts';
import { connect } from '#src/platform/database/db.ts';
import { createMailer, type Message } from '#src/platform/outbound/mail/mailer.ts';
import { startSending } from '#src/platform/outbound/mail/sending.ts';
import { LONG } from '../support/long.ts';
import { startMailbox } from '../support/mailbox.ts';
import { PACES_WITHOUT_SCHEDULES } from '../support/paces.ts';
import { SECRET, startWorld, type TestUser } from '../support/world.ts';

/** A server whose mail jobs do nothing: the tests run them, in the order that they want. */
const world = await startWorld();
startSending(world.db);
const owner = await world.user();
const project = await world.project({ owner, visibility: 'public' });

interface Told {
  happening: Keyed;
  userId: number;
}

/** An issue with a reader who hears of its comments, and the mail that leaves. */
async function thread() {
  const reader = await world.user();
  const issue = await world.issue(project, owner, { description: `Ask @${reader.username}` });
  const sent: string[] = [];
  /** Texts that the mail server refuses. */
  const refused = new Set<string>();
  const mailer = {
    async send({ text }: Message) {
      const [, said = ''] = text.split('\n\n');
      if (refused.has(said)) throw new Error(`refused: ${said}`);
      sent.push(said);
    },
  };
  const later: Told[] = [];
  const jobs: JobQueue = {
    async enqueue(_tx, _name, data) {
      later.push(data as Told);
    },
  };
  const { db, repositories } = world;
  const sending = { db, jobs, repositories, secret: SECRET, mailer, baseUrl: async () => world.url };
  return {
    sent,
    refused,
    /** What was put off, or is wanted for the first time, since the last call. */
    wanted: () => later.splice(0),
    comment: async (body: string, by = owner) => {
      const answer = await world.api(by).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body });
      expect(answer.status).toBe(201);
      const event = await db.mailEvent.findFirstOrThrow({ orderBy: { id: 'desc' }, where: { subjectId: issue.id } });
      return event.happening as unknown as Keyed;
    },
    find: (happening: Keyed) => findRecipients({ db, jobs }, [happening]),
    tell: (happening: Keyed, to: TestUser = reader) => sendNotification(sending, { happening, userId: to.id }),
    issue,
    reader,
  };
}

/** The past becomes so many minutes older. */
const wait = (minutes: number, { id }: { id: number }) =>
  world.db.$executeRaw`
    UPDATE mail_events SET created_at = created_at - make_interval(mins => ${minutes}) WHERE subject_id = ${id}`;

/** Mail about the opened issue is done. */
async function commented(...bodies: string[]) {
  const here = await thread();
  const opened = await world.db.mailEvent.findFirstOrThrow({ where: { subjectId: here.issue.id } });
  await here.find(opened.happening as unknown as Keyed);
  await here.tell(opened.happening as unknown as Keyed);
  expect(here.sent.splice(0)).toHaveLength(1);
  const happenings: Keyed[] = [];
  for (const body of bodies) happenings.push(await here.comment(body));
  here.wanted();
  return { ...here, happenings: happenings as [Keyed, Keyed, Keyed] };
}

it('sends what happened first before what is asked for, and nothing twice', async () => {
  const { happenings, find, tell, sent } = await commented('one', 'two', 'three');
  for (const happening of happenings) await find(happening);
  await tell(happenings[1]);
  await Promise.all(happenings.map((happening) => tell(happening)));
  expect(sent).toEqual(['one', 'two', 'three']);
});

it('waits while the recipients of an earlier comment are not found yet, ten minutes at most', LONG, async () => {
  const { happenings, find, tell, sent, wanted, issue, reader } = await commented('one', 'two', 'three');
  const [one, two, three] = happenings;
  await find(three);
  wanted();
  await tell(three);
  expect(sent).toEqual([]);
  expect(wanted()).toEqual([{ happening: three, userId: reader.id }]);
  await find(one);
  await tell(one);
  expect(sent).toEqual(['one']);
  await wait(11, issue);
  await tell(three);
  expect(sent).toEqual(['one', 'three']);
  await find(two);
  await tell(two);
  expect(sent).toEqual(['one', 'three', 'two']);
});

it('holds up later mail while an earlier one is refused, ten minutes at most', LONG, async () => {
  const { happenings, find, tell, sent, refused, issue } = await commented('one', 'two', 'three');
  const [one, two, three] = happenings;
  for (const happening of happenings) await find(happening);
  refused.add('one');
  for (const happening of [one, two]) await expect(tell(happening)).rejects.toThrow('refused: one');
  expect(sent).toEqual([]);
  await wait(11, issue);
  await tell(two);
  expect(sent).toEqual(['two', 'three']);
  await expect(tell(one)).rejects.toThrow('refused: one');
  refused.clear();
  await tell(one);
  await tell(three);
  expect(sent).toEqual(['two', 'three', 'one']);
});

it('leaves in order after the mail server was away for half an hour, whichever is tried first', async () => {
  const { happenings, find, tell, sent, refused, issue } = await commented('one', 'two', 'three');
  for (const happening of happenings) await find(happening);
  for (const body of ['one', 'two', 'three']) refused.add(body);
  await wait(31, issue);
  await expect(tell(happenings[1])).rejects.toThrow('refused: one');
  refused.clear();
  await tell(happenings[2]);
  expect(sent).toEqual(['one', 'two', 'three']);
});

it('is put off while another process sends mail of the thread, until that is not heard of for half a minute', async () => {
  const { happenings, find, tell, sent, wanted, issue, reader } = await commented('one');
  const [one] = happenings;
  await find(one);
  wanted();
  const where = { userId: reader.id, subjectType: 'Issue', subjectId: issue.id };
  await world.db.mailThread.create({ data: { ...where, holder: 'another', heldUntil: new Date(Date.now() + 30_000) } });
  await tell(one);
  expect([sent, wanted()]).toEqual([[], [{ happening: one, userId: reader.id }]]);
  await world.db.mailThread.updateMany({ where, data: { heldUntil: new Date(Date.now() - 1) } });
  await tell(one);
  expect(sent).toEqual(['one']);
  expect(await world.db.mailThread.count({ where })).toBe(0);
});

it('passes over mail that its recipient does not want any more', async () => {
  const { happenings, find, tell, sent } = await commented('one', 'two');
  const [one, two] = happenings;
  for (const happening of [one, two]) await find(happening);
  await world.db.note.deleteMany({ where: { body: 'one' } });
  await tell(two);
  expect(sent).toEqual(['two']);
});

it('does not wait for mail to others, or about other things', async () => {
  const [here, there] = [await commented('one'), await commented('two')];
  const other = await world.user();
  await here.find(here.happenings[0]);
  const mentioned = await here.comment(`three @${other.username}`);
  await here.find(mentioned);
  await there.find(there.happenings[0]);
  here.refused.add('one');
  await expect(here.tell(here.happenings[0])).rejects.toThrow();
  await there.tell(there.happenings[0]);
  await here.tell(mentioned, other);
  expect([here.sent, there.sent]).toEqual([[`three @${other.username}`], ['two']]);
});

it('reaches a reader in order where several processes send, and the mail server is slow', LONG, async () => {
  const mailbox = await startMailbox();
  const busy = await startWorld({ smtp: mailbox.url }, onTestFinished);
  const first = await busy.user();
  const place = await busy.project({ owner: first, visibility: 'public' });
  const reader = await busy.user();
  const address = `${reader.username}@example.org`;
  const issue = await busy.issue(place, first, { description: `Ask @${reader.username}` });
  await mailbox.next(address);
  mailbox.patience = () => Math.random() * 30;
  const { repositories, uploads, imports, databaseUrl } = busy;
  const mailer = createMailer({ url: mailbox.url, from: 'gantry@example.org' });
  for (const _process of [1, 2]) {
    const db = connect(databaseUrl, { connections: 4 });
    startSending(db);
    const outgoing = { mailer, baseUrl: async () => busy.url };
    const handlers = jobHandlers({ db, repositories, uploads, secret: SECRET, imports, outgoing });
    const worker = { url: databaseUrl, db, handlers, paces: PACES_WITHOUT_SCHEDULES, report: console.error };
    const jobs = await startJobs({ ...worker, queues: ['mail.find_recipients', 'mail.tell'] });
    onTestFinished(async () => {
      await jobs.stop();
      await db.$disconnect();
    });
  }
  const writers = [first, await busy.user(), await busy.user()];
  const rounds = Array.from({ length: 8 }, (_, round) => round);
  const write = async (writer: TestUser) => {
    for (const round of rounds) {
      const body = `${writer.username} says ${round}`;
      const { status } = await busy.api(writer).post(`/projects/${place.id}/issues/${issue.iid}/notes`, { body });
      expect(status).toBe(201);
    }
  };
  await Promise.all(writers.map(write));
  const texts: string[] = [];
  for (let count = 0; count < writers.length * rounds.length; count += 1) {
    texts.push((await mailbox.next(address)).text.split('\r\n\r\n')[1] ?? '');
  }
  for (const { username } of writers) {
    const own = texts.filter((text) => text.startsWith(`${username} says`));
    expect(own).toEqual(rounds.map((round) => `${username} says ${round}`));
  }
  await busy.idle();
  expect(mailbox.to(address)).toHaveLength(1 + writers.length * rounds.length);
});
