import { issueAccountToken, tokensIssued } from '#src/access/credentials/account_tokens/issue.ts';
import { compose } from '#src/access/credentials/mail/messages.ts';
import { CONFIRMATION_PATH, RESET_PATH } from '#src/access/credentials/mail/paths.ts';
import { textsFor } from '#src/access/credentials/mail/recipient_texts.ts';
import type { MailKind, MailWanted } from '#src/access/credentials/mail/wanted.ts';
import type { Db } from '#src/platform/database/db.ts';
import type { Mailer } from '#src/platform/outbound/mail/mailer.ts';

/** What sending mail needs. */
export interface Outgoing {
  mailer: Mailer;
  /** The server's URL, without trailing slash: from the settings or the address on which it listens, never from the request. */
  baseUrl(): Promise<string>;
}

/** The page of those who wait for an administrator's approval. */
const WAITING_PATH = '/admin/users?state=BLOCKED_PENDING_APPROVAL';

/** How many links of a kind a user is mailed per hour. */
const HOURLY = 5;

/**
 * Sends a queued mail to the address as it is stored, if its user still exists. A token is created
 * for the mail, and deleted if the mail cannot be sent.
 */
export async function deliver({ db, mailer, baseUrl }: Outgoing & { db: Db }, wanted: MailWanted): Promise<void> {
  if ('path' in wanted) {
    const { kind, email, username, path, values, lines } = wanted;
    const base = await baseUrl();
    const texts = await textsFor(db, { username });
    return mailer.send(compose(kind, email, { username, link: `${base}${path}`, baseUrl: base, texts, values, lines }));
  }
  if ('username' in wanted) {
    const base = await baseUrl();
    const texts = await textsFor(db, { username: wanted.username });
    const link = `${base}${wanted.kind === 'approval_wanted' ? WAITING_PATH : '/users/sign_in'}`;
    const facts = { username: wanted.username, link, baseUrl: base, texts };
    return mailer.send(compose(wanted.kind, wanted.email, facts));
  }
  const { kind, email } = wanted;
  const addressee = await find(db, kind, email);
  if (!addressee) return;
  const { userId, username, address } = addressee;
  const base = await baseUrl();
  const texts = await textsFor(db, { id: userId });
  if (kind === 'sign_up_again') {
    return mailer.send(compose(kind, address, { username, link: `${base}/users/sign_in`, baseUrl: base, texts }));
  }
  const purpose = kind === 'confirmation' ? 'confirmation' : 'password_reset';
  if ((await tokensIssued(db, userId, purpose)) >= HOURLY) return;
  const hours = { confirmation: 72, password_reset: 2, welcome: 24 }[kind];
  const { id, token } = await issueAccountToken(db, { userId, kind: purpose, email: address, hours });
  const link = `${base}${purpose === 'confirmation' ? CONFIRMATION_PATH : RESET_PATH}?token=${token}`;
  try {
    await mailer.send(compose(kind, address, { username, link, baseUrl: base, texts }));
  } catch (error) {
    await db.accountToken.deleteMany({ where: { id } });
    throw error;
  }
}

interface Addressee {
  userId: number;
  username: string;
  address: string;
}

/** The user who gets a mail of that kind at an address: a primary address, or a confirmed secondary one. */
async function find(db: Db, kind: MailKind, email: string): Promise<Addressee | undefined> {
  const open = kind === 'confirmation';
  const [found] = await db.$queryRaw<Addressee[]>`
    SELECT u.id AS "userId", u.username, a.email AS address
    FROM (
      SELECT id, email, true AS "primary", confirmed_at FROM users WHERE lower(email) = lower(${email})
      UNION ALL SELECT user_id, email, false, confirmed_at FROM emails WHERE lower(email) = lower(${email})
    ) a JOIN users u ON u.id = a.id
    WHERE (u.state = 'active' OR (${open}::boolean AND u.state = 'blocked_pending_approval')) AND NOT u.ghost AND NOT u.bot
      AND CASE WHEN ${open}::boolean THEN a.confirmed_at IS NULL ELSE a."primary" OR a.confirmed_at IS NOT NULL END`;
  return found;
}
