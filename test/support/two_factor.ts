import { afterAll, beforeEach, vi } from 'vitest';
import { Browser } from './browser.ts';
import { totp } from './totp.ts';
import { PASSWORD, startWorld, type TestUser } from './world.ts';

export const secretOn = (page: string) => (/id="secret">([^<]*)</.exec(page)?.[1] ?? '').replaceAll(' ', '');
export const codesOn = (page: string) => [...page.matchAll(/<li><code>([^<]*)</g)].map(([, code = '']) => code);
export const isIn = async (visitor: Browser) => (await visitor.get('/api/v4/user')).status === 200;

/** A world whose clock stands in the middle of a half minute, so that no test runs over the end of one; `middle` is its time. */
export async function startWorldInHalfMinute() {
  const world = await startWorld();
  vi.useFakeTimers({ toFake: ['Date'] });
  const middle = Math.floor(Date.now() / 30_000) * 30_000 + 15_000;
  beforeEach(async () => {
    vi.setSystemTime(middle);
    await world.db.signInFailures.deleteMany();
  });
  afterAll(() => {
    vi.useRealTimers();
  });

  const browser = () => new Browser(world.send);

  async function signedIn() {
    const user = await world.user();
    const visitor = browser();
    await visitor.signIn(user.username, PASSWORD);
    return { user, visitor };
  }

  /** Somebody with two-factor authentication, whose app showed the code of the half minute before last. */
  async function protectedUser() {
    const { user, visitor } = await signedIn();
    await visitor.get('/profile/account');
    await visitor.submit('/profile/two_factor/setup');
    const secret = secretOn(visitor.page);
    await visitor.submit('/profile/two_factor', { code: totp(secret, -1) });
    return { user: await world.renewed(user), visitor, secret, recovery: codesOn(visitor.page) };
  }

  /** As far as the page for the code. */
  async function halfway(user: TestUser, returnTo = '') {
    const visitor = browser();
    await visitor.get('/users/sign_in');
    await visitor.submit('/users/sign_in', { login: user.username, password: PASSWORD, return_to: returnTo });
    await visitor.follow();
    return visitor;
  }

  return { world, middle, browser, signedIn, protectedUser, halfway };
}
