import { beforeAll, describe, expect, it } from 'vitest';
import { remindOfDue } from '#src/domain/notifications/mailing/due.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startMailbox } from '../support/mailbox.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url });
const [owner, author] = [await world.user(), await world.user()];
let project: ProjectRow;

const mailTo = ({ username }: TestUser) => mailbox.to(`${username}@example.org`);
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  project = await world.project({ owner, name: 'Rocket', path: 'rocket', visibility: 'private' });
  await world.member(project, author, 'developer');
});

async function member(): Promise<TestUser> {
  const user = await world.user();
  await world.member(project, user, 'developer');
  return user;
}

/** An issue of the author that is due, with its assignee. */
async function due(title: string, days: number, assignee: TestUser, at = project): Promise<number> {
  const given = { title, due_date: dayFromNow(days), assignee_ids: [assignee.id] };
  const { status, body } = await world.api(owner).post(`/projects/${at.id}/issues`, given);
  expect(status).toBe(201);
  return body.iid;
}

async function remind(): Promise<void> {
  const { db, jobs } = world.as(owner);
  await remindOfDue({ db, jobs });
  await world.idle();
}

/** The subjects of the reminders that a user got. */
const reminders = (user: TestUser) =>
  mailTo(user).flatMap(({ text, subject }) => (text.includes('is due on') ? [subject] : []));

describe('Reminders of issues that are due tomorrow', () => {
  it('go to those who take part, once, and say the day', async () => {
    const [assignee, bystander] = [await member(), await member()];
    const iid = await due('Launch', 1, assignee);
    await due('Land', 2, assignee);
    await due('Fuel', 0, assignee);
    await remind();
    await remind();
    expect(reminders(assignee)).toEqual([`Re: Rocket | Launch (#${iid})`]);
    expect(reminders(bystander)).toEqual([]);
    const [mail] = mailTo(assignee).filter(({ text }) => text.includes('is due on'));
    const day = new Date(dayFromNow(1)).toLocaleDateString('en-GB', { dateStyle: 'full', timeZone: 'UTC' });
    expect(mail?.text).toContain(`The issue is due on ${day}.`);
    expect(mail?.text).toContain("You're receiving this because you're assigned.");
  });

  it('are not sent about what is closed or put off, nor to who has left or may not see it', LONG, async () => {
    const [assignee, gone] = [await member(), await member()];
    const closed = await due('Closed', 1, assignee);
    await world.api(owner).put(`/projects/${project.id}/issues/${closed}`, { state_event: 'close' });
    const later = await due('Later', 1, assignee);
    await world.api(owner).put(`/projects/${project.id}/issues/${later}`, { due_date: dayFromNow(9) });
    await due('Gone', 1, gone);
    await world.api(owner).delete(`/projects/${project.id}/members/${gone.id}`);
    const archived = await world.project({ owner, visibility: 'public' });
    await due('Archived', 1, owner, archived);
    await world.api(owner).post(`/projects/${archived.id}/archive`);
    await remind();
    expect([reminders(assignee), reminders(gone)]).toEqual([[], []]);
    expect(reminders(owner).join()).not.toContain('Archived');
  });

  it('go to those who chose them, and to nobody whose level is for mentions', LONG, async () => {
    const [chosen, other, quiet] = [await member(), await member(), await member()];
    const settings = `/projects/${project.id}/notification_settings`;
    const set = await world.api(chosen).put(settings, { level: 'custom', issue_due: true });
    expect(set.body.events.issue_due).toBe(true);
    await world.api(other).put(settings, { level: 'custom', issue_due: false, new_issue: true });
    await world.api(quiet).put(settings, { level: 'mention' });
    const iid = await due('Chosen', 1, quiet);
    await remind();
    expect(reminders(chosen)).toEqual([`Re: Rocket | Chosen (#${iid})`]);
    expect([reminders(other), reminders(quiet)]).toEqual([[], []]);
  });
});
