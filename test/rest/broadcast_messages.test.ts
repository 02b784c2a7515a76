import { describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const developer = await world.user();
const as = world.api(admin);
const project = await world.project({ owner, visibility: 'public' });
await world.member(project, developer, 'developer');
const HOUR = 3_600_000;

/** A message with words of its own, which are removed again. */
async function during(values: object, work: (words: string, id: number) => Promise<void>): Promise<void> {
  const words = world.unique('words');
  const { body } = await as.post('/broadcast_messages', { message: words, ...values });
  try {
    await work(words, body.id);
  } finally {
    await as.delete(`/broadcast_messages/${body.id}`);
  }
}

const shows = async (browser: Browser, path: string, words: string) => {
  await browser.get(path);
  return browser.page.includes(words);
};

describe('Broadcast messages', () => {
  it('are made, shown, changed and deleted by administrators, and read by everyone', async () => {
    const begun = Date.now();
    const { status, body } = await as.post('/broadcast_messages', { message: 'Deploy at noon' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      message: 'Deploy at noon',
      starts_at: expect.any(String),
      ends_at: expect.any(String),
      color: null,
      font: null,
      active: true,
      target_access_levels: [],
      target_path: null,
      broadcast_type: 'banner',
      theme: 'indigo',
      dismissable: false,
    });
    expect(Math.abs(Date.parse(body.starts_at) - begun)).toBeLessThan(60_000);
    expect(Date.parse(body.ends_at) - Date.parse(body.starts_at)).toBe(HOUR);
    expect((await world.api().get(`/broadcast_messages/${body.id}`)).body).toEqual(body);
    const later = await as.post('/broadcast_messages', {
      message: 'Later',
      starts_at: new Date(begun + HOUR).toISOString(),
      target_access_levels: [30, 40],
      target_path: '/x/*',
      broadcast_type: 'notification',
      theme: 'light-red',
      color: '#112233',
      dismissable: true,
    });
    expect(later.body).toMatchObject({ active: false, target_access_levels: [30, 40], target_path: '/x/*' });
    expect(later.body).toMatchObject({ theme: 'light-red', color: '#112233', broadcast_type: 'notification' });
    const ids = (await world.api().get('/broadcast_messages')).body.map(({ id }: Json) => id);
    expect(ids.slice(0, 2)).toEqual([later.body.id, body.id]);
    const changed = await as.put(`/broadcast_messages/${body.id}`, { message: 'At one', dismissable: true });
    expect(changed.body).toEqual({ ...body, message: 'At one', dismissable: true });
    for (const [who, refusal] of [
      [world.api(owner), 403],
      [world.api(), 401],
    ] as const) {
      expect((await who.post('/broadcast_messages', { message: 'mine' })).status).toBe(refusal);
      expect((await who.put(`/broadcast_messages/${body.id}`, { message: 'mine' })).status).toBe(refusal);
      expect((await who.delete(`/broadcast_messages/${body.id}`)).status).toBe(refusal);
    }
    expect((await as.get(`/broadcast_messages/${body.id}`)).body.message).toBe('At one');
    for (const { id } of [body, later.body]) expect((await as.delete(`/broadcast_messages/${id}`)).status).toBe(204);
    const where = { targetType: 'BroadcastMessage', targetId: body.id };
    expect(await world.db.auditEvent.findMany({ where, orderBy: { id: 'asc' } })).toMatchObject([
      { action: 'broadcast_message_created' },
      { action: 'broadcast_message_updated', attribute: 'message', oldValue: 'Deploy at noon', newValue: 'At one' },
      { action: 'broadcast_message_updated', attribute: 'dismissable', oldValue: 'false', newValue: 'true' },
      { action: 'broadcast_message_deleted' },
    ]);
    expect((await as.get(`/broadcast_messages/${body.id}`)).status).toBe(404);
    expect((await as.delete(`/broadcast_messages/${body.id}`)).status).toBe(404);
  });

  it('refuse what they cannot have, by name', async () => {
    const now = new Date().toISOString();
    for (const [values, name] of [
      [{}, 'message'],
      [{ message: ' ' }, 'message'],
      [{ message: 'x'.repeat(4097) }, 'message'],
      [{ message: 'x', theme: 'pink' }, 'theme'],
      [{ message: 'x', color: 'red' }, 'color'],
      [{ message: 'x', font: '#12345' }, 'font'],
      [{ message: 'x', starts_at: now, ends_at: now }, 'ends_at'],
      [{ message: 'x', target_path: '/'.repeat(256) }, 'target_path'],
      [{ message: 'x', target_access_levels: [35] }, 'target_access_levels'],
      [{ message: 'x', broadcast_type: 'song' }, 'broadcast_type'],
    ] as const) {
      const { status, body } = await as.post('/broadcast_messages', values);
      expect([name, status]).toEqual([name, 400]);
      expect(JSON.stringify(body)).toContain(name);
    }
  });

  it('are on pages from their start to their end, for visitors too', async () => {
    const visitor = new Browser(world.send);
    await during({}, async (words, id) => {
      expect(await shows(visitor, '/users/sign_in', words)).toBe(true);
      await as.put(`/broadcast_messages/${id}`, { starts_at: new Date(Date.now() + HOUR / 2).toISOString() });
      expect(await shows(visitor, '/users/sign_in', words)).toBe(false);
    });
    const past = { starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' };
    await during(past, async (words) => expect(await shows(visitor, '/users/sign_in', words)).toBe(false));
  });

  it('are on the pages of their path alone', LONG, async () => {
    const visitor = new Browser(world.send);
    await during({ target_path: '*sign_in' }, async (words) => {
      expect(await shows(visitor, '/users/sign_in', words)).toBe(true);
      expect(await shows(visitor, '/explore', words)).toBe(false);
    });
    await during({ target_path: `/${project.fullPath}/*` }, async (words) => {
      expect(await shows(visitor, `/${project.fullPath}/-/issues`, words)).toBe(true);
      expect(await shows(visitor, `/${project.fullPath}`, words)).toBe(false);
    });
  });

  it('for levels are seen by those who have one, on the pages of their projects', async () => {
    const page = `/${project.fullPath}/-/issues`;
    await during({ target_access_levels: [30] }, async (words) => {
      expect(await shows(await signedIn(world, developer), page, words)).toBe(true);
      expect(await shows(await signedIn(world, developer), '/explore', words)).toBe(false);
      expect(await shows(await signedIn(world, owner), page, words)).toBe(false);
      expect(await shows(new Browser(world.send), page, words)).toBe(false);
    });
  });

  it('have links and emphasis, and nothing that loads or runs', LONG, async () => {
    const message =
      '**bold** [link](https://example.org/x) <script>alert(1)</script> ![](https://example.org/i.png) <img src=x onerror=alert(1)>\n\n# Head\n\n<a href="javascript:alert(1)">bad</a>';
    await during({ message }, async () => {
      const browser = new Browser(world.send);
      await browser.get('/users/sign_in');
      const [, shown = ''] = /<div class="broadcast-text">([\s\S]*?)<\/div>/.exec(browser.page) ?? [];
      expect(shown).toContain('<strong>bold</strong>');
      expect(shown).toContain('href="https://example.org/x"');
      expect(shown).not.toMatch(/<(?!\/?(?:a|p|strong|br)[\s>])|onerror=[^&]*<|javascript:|src=/i);
      expect(shown).toContain('Head');
    });
  });

  it('that can be hidden stay so in a browser, without a script or an account', async () => {
    const browser = new Browser(world.send);
    await during({ dismissable: true }, async (words, id) => {
      await during({ dismissable: false }, async (lasting) => {
        expect(await shows(browser, '/users/sign_in', words)).toBe(true);
        const { status, headers } = await browser.submit(`/-/broadcast_messages/${id}/dismiss`, {
          return_to: '/explore',
        });
        expect([status, headers.location]).toEqual([303, '/explore']);
        expect(await shows(browser, '/users/sign_in', words)).toBe(false);
        expect(await shows(browser, '/users/sign_in', lasting)).toBe(true);
        expect(await shows(new Browser(world.send), '/users/sign_in', words)).toBe(true);
      });
    });
  });

  it('are forms of this server alone', async () => {
    const body = 'authenticity_token=wrong&return_to=/';
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://attacker.example' };
    const browser = new Browser(world.send);
    const sent = await browser.request('POST', '/-/broadcast_messages/1/dismiss', { headers, body });
    expect(sent.status).toBe(422);
  });
});
