// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { rows } from '#pages/index.ts';
import { watchChanges } from '../access/matrix.ts';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();
const guest = await world.user();
const group = await world.group({ owner, visibility: 'private' });
const project = await world.project({ owner, namespaceId: group.id, visibility: 'private', name: 'Hidden treasure' });
await world.member(project, guest, 'guest');
await world.issue(project, owner, { title: 'Secret plans' });

/** What stands for the parameters of paths, besides those of places: what may be there, or not. */
const globalId = (type: string) => Buffer.from(`${type}:1`).toString('base64url');
const PARAMETERS: Record<string, string> = {
  ...{ iid: '1', id: '1', board: '1', list: '1', label: globalId('Label'), link: globalId('IssueLink') },
  ...{ note: globalId('Note'), thread: globalId('Discussion'), pipeline: '1', award: globalId('AwardEmoji') },
  ...{ userId: '1', groupId: '1', deliveryId: '1', key: 'SECRET' },
};
const OTHERS = 'main';

/** The path of a row in a place. */
function pathIn(pattern: string, place: string): string {
  return pattern
    .split('/')
    .map((part) => {
      if (/^:(project|group)\b/.test(part)) return place + part.replace(/^:\w+/, '');
      const [, name, ending] = /^[:*](\w+)(\.\w+)?$/.exec(part) ?? [];
      return name === undefined ? part : (PARAMETERS[name] ?? OTHERS) + (ending ?? '');
    })
    .join('/');
}

const HIDDEN = `${group.fullPath}/${project.path}`;
/** Where a row would show the hidden place: the project, or the group around it. */
const hiddenAt = (pattern: string) => (pattern.includes(':group') ? group.fullPath : HIDDEN);
const ABSENT = `${group.fullPath}-x/none`;
const inPlaces = rows.filter(({ path }) => /:(project|group)/.test(path));
const pages = inPlaces.filter(({ kind }) => kind === 'page');
const feeds = inPlaces.filter(({ kind }) => kind === 'feed');
const answers = inPlaces.filter(({ kind }) => kind === 'json');
const raws = inPlaces.filter(({ kind }) => kind === 'raw');
const forms = inPlaces.filter(({ kind }) => kind === 'form');

/** What a page says, without what differs from request to request and the address itself. */
function comparable(page: string, place: string): string {
  return page
    .replaceAll(/nonce="[^"]*"|value="[^"]*"/g, '')
    .replaceAll(encodeURIComponent(place), '…')
    .replaceAll(place, '…');
}

describe('A private project or group', () => {
  it.each([...pages, ...feeds, ...answers, ...raws].map(({ path }) => path))(
    'is to strangers as if it were not there at %s',
    async (path) => {
      for (const browser of [new Browser(world.send), await signedIn(world, outsider)]) {
        const told: unknown[] = [];
        for (const place of [hiddenAt(path), ABSENT]) {
          browser.page = '';
          const { status, headers } = await browser.get(pathIn(path, place));
          told.push({
            status,
            to: headers.location?.replaceAll(encodeURIComponent(place), '…'),
            page: comparable(browser.page, place),
          });
          expect(status === 404 || headers.location?.startsWith('/users/sign_in')).toBe(true);
        }
        expect(told[0]).toEqual(told[1]);
      }
    },
  );

  it.each(forms.map(({ path, operation }) => [path, operation] as const))(
    'takes no form from strangers at %s',
    async (path) => {
      const changes = await changesOf();
      const before = await changes();
      const browser = await signedIn(world, outsider);
      const signed = await changes();
      await browser.get('/');
      for (const place of [hiddenAt(path), ABSENT]) {
        const { status } = await browser.submit(pathIn(path, place), {
          title: 'Mine',
          name: 'mine',
          body: 'Mine',
          ref: 'main',
          ...{
            confirmed: 'true',
            description: 'Mine',
            cron: '@daily',
            key: 'MINE',
            value: 'mine',
            content: 'a: { script: b }',
          },
        });
        expect([400, 404]).toContain(status);
      }
      expect(await changes()).toBe(signed);
      expect(signed).toBeGreaterThanOrEqual(before);
    },
  );
});

describe('Forms', () => {
  it.each(forms.map(({ path }) => path))('are refused at %s when another site sends them', async (path) => {
    const browser = await signedIn(world, owner);
    const at = pathIn(path, hiddenAt(path));
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://attacker.example' };
    const { status } = await browser.request('POST', at, { headers, body: 'title=Forged&authenticity_token=wrong' });
    expect(status).toBe(422);
    expect(browser.page).toContain('This form has expired');
  });
});

describe('Pages', () => {
  it.each([...pages, ...answers].map(({ path }) => path))(
    'are kept by no cache, framed by no site and run no foreign script at %s',
    async (path) => {
      const browser = await signedIn(world, owner);
      const { headers } = await browser.get(pathIn(path, hiddenAt(path)));
      expect(headers['cache-control']).toMatch(/no-store|private/);
      expect(headers['x-frame-options']).toMatch(/DENY|SAMEORIGIN/);
      expect(headers['content-security-policy'] ?? "default-src 'none'").toContain("default-src 'none'");
    },
  );
});

let watching: Promise<() => Promise<number>> | undefined;
function changesOf(): Promise<() => Promise<number>> {
  watching ??= watchChanges(world);
  return watching;
}
