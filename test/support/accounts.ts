import { beforeEach } from 'vitest';
import { Browser } from './browser.ts';
import { startMailbox } from './mailbox.ts';
import { PASSWORD, startWorld, type TestUser } from './world.ts';

export const addressOf = ({ username }: TestUser) => `${username}@example.org`;

/** The fields of a form that asks for a new password and once more for the same. */
export const twice = (password: string) => ({ new_password: password, new_password_again: password });

/** A world with a mail server; no test is held to what others tried in vain. */
export async function startWorldWithMail() {
  const mailbox = await startMailbox();
  const world = await startWorld({ smtp: mailbox.url });
  beforeEach(async () => {
    await world.db.signInFailures.deleteMany();
  });
  const browser = () => new Browser(world.send);
  return {
    mailbox,
    world,
    browser,
    pathOf: (link: string) => link.slice(world.url.length),

    /** For how many hours the latest link of a user is good, from the moment in which it was made. */
    async hoursOf(username: string, kind: 'confirmation' | 'password_reset'): Promise<number> {
      const where = { user: { username }, kind };
      const { createdAt, expiresAt } = await world.db.accountToken.findFirstOrThrow({ where, orderBy: { id: 'desc' } });
      return Math.round((expiresAt.getTime() - createdAt.getTime()) / 36_000) / 100;
    },

    /** Lets so many hours pass for the links of a user. */
    async age(username: string, hours: number): Promise<void> {
      await world.db.$executeRaw`
        UPDATE account_tokens SET expires_at = expires_at - make_interval(secs => ${hours * 3600}::float8)
        WHERE user_id = (SELECT id FROM users WHERE username = ${username})`;
    },

    /** Fills in the form for a new account. */
    async signUp(fields: Record<string, string> = {}) {
      const username = world.unique('newcomer');
      const visitor = browser();
      await visitor.get('/users/sign_up');
      const email = `${username}@example.net`;
      await visitor.submit('/users/sign_up', { username, name: 'New Comer', email, ...twice(PASSWORD), ...fields });
      return { username, email, visitor };
    },

    /** Has a link for a new password mailed, and goes where it leads. */
    async resetLink(user: TestUser) {
      const visitor = browser();
      await visitor.get('/users/password/new');
      await visitor.submit('/users/password', { email: addressOf(user) });
      const mail = await mailbox.next(addressOf(user));
      return { visitor, mail, token: new URL(mail.link).searchParams.get('token') ?? '' };
    },
  };
}
