import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { scratchDirectory, settings, startServer } from '../support/server_process.ts';

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

/** Addresses that are followed at most. */
const MOST = 10_000;

/** What stands on a page where a value is missing; the documents explain these words. */
const NO_VALUE = /\b(?:undefined|NaN|null)\b|\[object /;
const DOCUMENTS = /^\/(?:help|-\/docs)\b/;

/** The one page that a visitor is asked to sign in on, and what links to it say. */
const SIGN_IN = '/users/sign_in';
const SAYS_SIGN_IN = /\b(?:sign in|register)\b/i;

/** Links of a page, with what they say: their text, or the name that they have for those who do not see it. */
function* linksOf(html: string): Generator<{ to: string; says: string }> {
  for (const [, attributes = '', content = ''] of html.matchAll(/<a\b([^>]*)>(.*?)<\/a>/gs)) {
    const [, to] = /\bhref="([^"]*)"/.exec(attributes) ?? [];
    const [, name = ''] = /\baria-label="([^"]*)"/.exec(attributes) ?? [];
    if (to !== undefined) yield { to, says: `${name} ${content.replace(/<[^>]*>/g, ' ')}` };
  }
  for (const [, to = ''] of html.matchAll(/<(?:link|img|script)\b[^>]*\b(?:href|src)="([^"]*)"/g))
    yield { to, says: '' };
}

it('a visitor of the sample server gets what every link promises, from /explore on, and is not asked to sign in', {
  timeout: 600_000,
}, async () => {
  const server = await startServer(settings(path.join(scratch.directory, 'data')), ['--ephemeral', '--seed']);
  const known = new Map([['/explore', 'the address bar']]);
  const wrong: string[] = [];
  const follow = (to: string, from: string) => {
    const url = new URL(to.replaceAll('&amp;', '&').replaceAll('&#38;', '&'), `${server.url}${from}`);
    if (url.origin !== server.url) return null;
    const target = url.pathname + url.search;
    if (!known.has(target) && known.size < MOST) known.set(target, from);
    return url.pathname;
  };
  for (const [at, from] of known) {
    const response = await fetch(`${server.url}${at}`, {
      redirect: 'manual',
      headers: { accept: 'text/html, */*;q=0.1' },
    });
    const text = await response.text();
    if (response.status >= 400) wrong.push(`${response.status} at ${at}, linked from ${from}`);
    const location = response.headers.get('location');
    if (location !== null && follow(location, at) === SIGN_IN)
      wrong.push(`${at}, linked from ${from}, asks to sign in`);
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    // Those who want an account choose a password for it.
    const isSignIn = at.startsWith('/users/sign_');
    if (!isSignIn && text.includes('type="password"')) wrong.push(`${at} asks for a password`);
    for (const { to, says } of linksOf(text)) {
      if (follow(to, at) === SIGN_IN && !isSignIn && !SAYS_SIGN_IN.test(says))
        wrong.push(`“${says}” on ${at} leads to signing in`);
    }
    const shown = text.replace(/<script\b.*?<\/script>/gs, '').replace(/<[^>]*>/g, '\n');
    const found = DOCUMENTS.test(at) ? null : shown.split('\n').find((line) => NO_VALUE.test(line));
    if (found) wrong.push(`“${found.trim()}” stands on ${at}`);
  }
  expect(wrong).toEqual([]);
  expect(known.size).toBeGreaterThan(1_000);
  expect(known.size).toBeLessThan(MOST);
  await server.end('SIGTERM');
});
