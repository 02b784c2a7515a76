// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { localTime } from '#src/domain/users/preferences.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });

const CHANGE = `mutation ($input: UpdatePreferencesInput!) {
  updatePreferences(input: $input) { user { timezone preferredLanguage language preferences { timezone preferredLanguage viewDiffsFileByFile } } }
}`;
const change = async (who: TestUser, input: object) => (await world.graphql(CHANGE, { input }, who)).body;

describe('A user', () => {
  it('chooses time zone and language over GraphQL, and goes back to none', async () => {
    const [user, other] = [await world.user(), await world.user()];
    const none = await change(user, { viewDiffsFileByFile: true });
    expect(none.data.updatePreferences.user).toEqual({
      timezone: null,
      preferredLanguage: null,
      language: 'en',
      preferences: { timezone: null, preferredLanguage: null, viewDiffsFileByFile: true },
    });
    const chosen = await change(user, { timezone: 'Asia/Tokyo', preferredLanguage: 'de' });
    expect(chosen.data.updatePreferences.user).toEqual({
      timezone: 'Asia/Tokyo',
      preferredLanguage: 'de',
      language: 'de',
      preferences: { timezone: 'Asia/Tokyo', preferredLanguage: 'de', viewDiffsFileByFile: true },
    });
    expect((await change(other, {})).data.updatePreferences.user).toMatchObject({ timezone: null });
    const cleared = await change(user, { timezone: null, preferredLanguage: null, viewDiffsFileByFile: null });
    expect(cleared.data.updatePreferences.user).toMatchObject({
      timezone: null,
      language: 'en',
      preferences: { viewDiffsFileByFile: true },
    });
  });

  it('chooses them over REST, where the record tells the language and what the clock shows', async () => {
    const [user, other] = [await world.user(), await world.user()];
    const api = world.api(user);
    expect((await api.get('/user')).body).toMatchObject({
      local_time: null,
      preferred_language: 'en',
      scim_identities: [],
    });
    const put = await api.put('/user/preferences', { timezone: 'Europe/Berlin', preferred_language: 'de' });
    expect(put).toMatchObject({ status: 200, body: { user_id: user.id, view_diffs_file_by_file: false } });
    const { body: own } = await api.get('/user');
    expect(own).toMatchObject({ local_time: expect.stringMatching(/^\d{1,2}:\d\d [AP]M$/), preferred_language: 'de' });
    const [seen, byAdmin] = [
      await world.api(other).get(`/users/${user.id}`),
      await world.api(admin).get(`/users/${user.id}`),
    ];
    expect(seen.body).toMatchObject({ local_time: expect.stringMatching(/M$/) });
    for (const key of ['preferred_language', 'scim_identities', 'timezone']) expect(seen.body).not.toHaveProperty(key);
    expect(byAdmin.body).toMatchObject({ preferred_language: 'de', scim_identities: [] });
  });

  it('is told what is no time zone and no language', async () => {
    const user = await world.user();
    for (const timezone of ['Mars/Olympus', '+01:00', 'x'.repeat(200), 'Europe/Berlin\n', '../etc', '__proto__']) {
      const { status, body } = await world.api(user).put('/user/preferences', { timezone, preferred_language: 'tlh' });
      expect([timezone, status, Object.keys(body.message).sort()]).toEqual([
        timezone,
        400,
        ['preferred_language', 'timezone'],
      ]);
    }
    expect((await change(user, { timezone: 'Mars/Olympus' })).errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.timezone': ['is not a time zone'] },
    });
    expect((await world.api(user).get('/user')).body).toMatchObject({ local_time: null, preferred_language: 'en' });
  });

  it('does not tell others the time zone, nor the time with a private profile', async () => {
    const [user, other] = [await world.user(), await world.user()];
    await change(user, { timezone: 'Asia/Tokyo', preferredLanguage: 'de' });
    const query = 'query ($id: ID!) { user(id: $id) { localTime timezone preferredLanguage language scimIdentities } }';
    const seen = async (who?: TestUser) => (await world.graphql(query, { id: String(user.id) }, who)).body.data?.user;
    const hidden = { timezone: null, preferredLanguage: null, language: null, scimIdentities: null };
    expect(await seen(other)).toEqual({ localTime: expect.stringMatching(/M$/), ...hidden });
    await world.db.user.update({ where: { id: user.id }, data: { privateProfile: true } });
    expect(await seen(other)).toEqual({ localTime: null, ...hidden });
    expect(await seen(admin)).toMatchObject({ localTime: expect.stringMatching(/M$/), timezone: 'Asia/Tokyo' });
  });
});

it('The clock shows the time of the zone', () => {
  const [utc, kolkata] = [localTime('Etc/UTC'), localTime('Asia/Kolkata')].map((time) =>
    Date.parse(`2026-01-01 ${time} UTC`),
  );
  const minutes = ((kolkata ?? 0) - (utc ?? 0)) / 60_000;
  // The minute may change between the two.
  expect([330, 331, 330 - 1440, 331 - 1440]).toContain(minutes);
});
