// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { EVENT_NAMES, NOTIFICATION_EVENTS, type NotificationLevel } from '#src/domain/changes/notification_events.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { type Candidate, whoWantsMail } from '#src/domain/notifications/wanted.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const stranger = await world.user();
let top: GroupRow;
let inner: GroupRow;
let project: ProjectRow;
const GLOBAL = '/notification_settings';
const columns = Object.values(NOTIFICATION_EVENTS);

beforeAll(async () => {
  top = await world.group({ owner });
  inner = await world.group({ owner, parentId: top.id });
  project = await world.project({ owner, namespaceId: inner.id });
});

/** A member of the topmost group. */
async function member(): Promise<TestUser> {
  const user = await world.user();
  await world.member(top, user, 'developer');
  return user;
}

const at = () => `/projects/${project.id}/notification_settings`;

describe('Notification settings', () => {
  it(
    'are participating everywhere and global in groups and projects, until something else is chosen',
    LONG,
    async () => {
      const user = await member();
      const api = world.api(user);
      const global = { level: 'participating', notification_email: `${user.username}@example.org` };
      expect(await api.get(GLOBAL)).toMatchObject({ status: 200, body: global });
      expect((await api.get(at())).body).toEqual({ level: 'global' });
      expect((await api.get(`/groups/${inner.id}/notification_settings`)).body).toEqual({ level: 'global' });
      for (const path of [GLOBAL, at(), `/groups/${inner.id}/notification_settings`]) {
        expect(await api.put(path, { level: 'watch' })).toMatchObject({ status: 200, body: { level: 'watch' } });
        expect((await api.get(path)).body.level).toBe('watch');
        expect((await api.put(path, {})).body.level).toBe('watch');
      }
      expect((await world.api(owner).get(at())).body).toEqual({ level: 'global' });
    },
  );

  it('keep the kinds of events that are chosen, and show them at the level custom', async () => {
    const api = world.api(await member());
    expect((await api.put(at(), { new_note: true, failed_pipeline: 'yes' })).body).toEqual({ level: 'global' });
    const { body } = await api.put(at(), { level: 'custom', new_note: false, new_issue: true });
    const chosen = { new_issue: true, failed_pipeline: true };
    expect(body.level).toBe('custom');
    expect(Object.keys(body.events).sort()).toEqual([...columns].sort());
    expect(body.events).toEqual({ ...Object.fromEntries(columns.map((name) => [name, false])), ...chosen });
    expect((await api.put(at(), { level: 'mention' })).body).toEqual({ level: 'mention' });
  });

  it.each(['loud', '', 3, ['watch', 'mention'], null])('refuse the level %j, or change nothing', async (level) => {
    const user = await member();
    const api = world.api(user);
    for (const path of [GLOBAL, at()]) {
      const before = (await api.get(path)).body;
      const { status, body } = await api.put(path, { level });
      if (level === '' || level === null) expect([status, body]).toEqual([200, before]);
      else
        expect([status, body]).toEqual([
          400,
          { error: expect.stringMatching(/^level (does not have a valid value|is invalid)$/) },
        ]);
      expect((await api.get(path)).body).toEqual(before);
    }
    expect(await world.db.notificationSetting.count({ where: { userId: user.id } })).toBe(0);
  });

  it('send mail to addresses of the caller alone, and to the primary one when another is gone', async () => {
    const user = await world.user();
    const api = world.api(user);
    const primary = `${user.username}@example.org`;
    const confirmed = { userId: user.id, email: `${user.username}+more@example.org`, confirmedAt: new Date() };
    const { id } = await world.db.email.create({ data: confirmed });
    const unconfirmed = `${user.username}+new@example.org`;
    await world.db.email.create({ data: { userId: user.id, email: unconfirmed } });
    const send = (notification_email: string) => api.put(GLOBAL, { notification_email, level: 'watch' });
    expect((await send(confirmed.email.toUpperCase())).body.notification_email).toBe(confirmed.email);
    for (const wrong of [unconfirmed, `${owner.username}@example.org`, 'nobody@example.org', '']) {
      expect(await api.put(GLOBAL, { notification_email: wrong, level: 'disabled' })).toMatchObject({
        status: 400,
        body: { message: { notification_email: ['is not an email you own'] } },
      });
    }
    expect((await api.get(GLOBAL)).body).toEqual({ level: 'watch', notification_email: confirmed.email });
    await world.db.email.delete({ where: { id } });
    expect((await api.get(GLOBAL)).body.notification_email).toBe(primary);
    expect((await send(primary)).body.notification_email).toBe(primary);
  });

  it('of places that the caller does not see are 404', async () => {
    const secret = await world.group({ owner, visibility: 'private' });
    for (const path of [at(), `/groups/${secret.id}/notification_settings`]) {
      expect((await world.api(stranger).get(path)).status).toBe(404);
      expect((await world.api(stranger).put(path, { level: 'watch' })).status).toBe(404);
    }
    expect(await world.db.notificationSetting.count({ where: { userId: stranger.id } })).toBe(0);
  });

  it('are made once when they are first changed many times at once', LONG, async () => {
    const user = await member();
    const paths = [GLOBAL, at(), `/groups/${top.id}/notification_settings`];
    const answers = await Promise.all(
      paths.flatMap((path) => ['watch', 'mention', 'watch'].map((level) => world.api(user).put(path, { level }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await world.db.notificationSetting.count({ where: { userId: user.id } })).toBe(3);
  });

  it('show in the permissions of a project as numbers', LONG, async () => {
    const user = await member();
    await world.member(project, user, 'developer');
    const levels = async () => {
      const { permissions } = (await world.api(user).get(`/projects/${project.id}`)).body;
      const listed = (await world.api(user).get('/projects')).body.find(({ id }: ProjectRow) => id === project.id);
      expect(listed.permissions).toEqual(permissions);
      return [permissions.project_access.notification_level, permissions.group_access.notification_level];
    };
    expect(await levels()).toEqual([3, 3]);
    await world.api(user).put(at(), { level: 'custom' });
    await world.api(user).put(`/groups/${inner.id}/notification_settings`, { level: 'disabled' });
    expect(await levels()).toEqual([5, 0]);
  });
});

describe('Mail is wanted', () => {
  type Place = 'project' | 'inner' | 'top' | 'global';

  async function choose(user: TestUser, place: Place, level: NotificationLevel, more = {}) {
    const paths = {
      project: at(),
      inner: `/groups/${inner.id}/notification_settings`,
      top: `/groups/${top.id}/notification_settings`,
      global: GLOBAL,
    };
    expect((await world.api(user).put(paths[place], { level, ...more })).status).toBe(200);
  }

  /** Whether the user wants mail about a new note in each role. */
  async function wants(user: TestUser): Promise<boolean[]> {
    const roles = ['mentioned', 'participant', 'bystander'] as const;
    const found = roles.map((role) => whoWantsMail(world.db, project.id, 'newNote', [{ userId: user.id, role }]));
    return (await Promise.all(found)).map(({ length }) => length > 0);
  }

  it.each([
    ['disabled', [false, false, false]],
    ['mention', [true, false, false]],
    ['participating', [true, true, false]],
    ['global', [true, true, false]],
    ['watch', [true, true, true]],
    ['custom', [true, true, false]],
  ] as const)('at the level %s by those mentioned, participants and bystanders: %j', async (level, expected) => {
    const user = await member();
    for (const place of ['global', 'project'] as const) {
      await choose(user, place, level);
      expect(await wants(user)).toEqual(expected);
    }
  });

  it('by bystanders who chose events of the kind', async () => {
    const user = await member();
    await choose(user, 'top', 'custom', { new_note: true });
    expect(await wants(user)).toEqual([true, true, true]);
    const candidates: Candidate[] = [{ userId: user.id, role: 'bystander' }];
    for (const event of EVENT_NAMES.filter((name) => name !== 'newNote')) {
      expect(await whoWantsMail(world.db, project.id, event, candidates)).toEqual([]);
    }
  });

  it('as is chosen for the project, else for the inmost group, else for a group around, else everywhere', async () => {
    const user = await member();
    await choose(user, 'global', 'disabled');
    expect(await wants(user)).toEqual([false, false, false]);
    await choose(user, 'top', 'mention');
    expect(await wants(user)).toEqual([true, false, false]);
    await choose(user, 'inner', 'watch');
    expect(await wants(user)).toEqual([true, true, true]);
    await choose(user, 'project', 'participating');
    expect(await wants(user)).toEqual([true, true, false]);
    await choose(user, 'project', 'global');
    expect(await wants(user)).toEqual([true, true, true]);
    await choose(user, 'inner', 'global');
    expect(await wants(user)).toEqual([true, false, false]);
  });

  it('of many users in one statement, at their addresses, by no one who is blocked, and once by each', async () => {
    const users = [await member(), await member(), await world.user({ blocked: true })];
    const [first] = users as [TestUser];
    const second = { userId: first.id, email: `${first.username}+mail@example.org`, confirmedAt: new Date() };
    await world.db.email.create({ data: second });
    await world.api(first).put(GLOBAL, { notification_email: second.email });
    const candidates: Candidate[] = users.flatMap(({ id: userId }) => [
      { userId, role: 'mentioned' },
      { userId, role: 'participant' },
    ]);
    let recipients: unknown[] = [];
    const statements = await world.statements(async () => {
      recipients = await whoWantsMail(world.db, project.id, 'newIssue', candidates);
    });
    expect(statements).toHaveLength(1);
    expect(recipients).toEqual([
      { userId: first.id, email: second.email },
      { userId: users[1]?.id, email: `${users[1]?.username}@example.org` },
    ]);
    expect(await whoWantsMail(world.db, project.id, 'newIssue', [])).toEqual([]);
  });
});
