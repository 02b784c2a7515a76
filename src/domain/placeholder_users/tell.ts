import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { countUses } from '#src/access/sign_in/attempts.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { RateLimited } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

/** How many mails about placeholders go to one account, and about one placeholder to whoever is reminded, in WINDOW. */
export const MAILS = { toAccount: 20, reminders: 3 } as const;
/** Seconds. */
const WINDOW = 60 * 60;

/** The page on which an account answers. */
export const REQUESTS_PATH = '/import/source_users';

/** Counts a mail to an account. False where it has had enough of them: the page with its requests tells it all the same. */
export async function mayTell(tx: Transaction, accountId: number): Promise<boolean> {
  try {
    await countUses(tx, WINDOW, { [`placeholders to #${accountId}`]: MAILS.toAccount });
    return true;
  } catch (error) {
    if (error instanceof RateLimited) return false;
    throw error;
  }
}

/** Counts a reminder. Throws RateLimited. */
export async function mayRemind(tx: Transaction, sourceUserId: number, accountId: number): Promise<void> {
  await countUses(tx, WINDOW, {
    [`reminders of placeholder #${sourceUserId}`]: MAILS.reminders,
    [`placeholders to #${accountId}`]: MAILS.toAccount,
  });
}

/** Who is asked about what. */
interface Request {
  /** Of the user of the source. */
  id: number;
  namespaceId: number;
  accountId: number;
}

/** Tells an account by mail that it is asked. What a source says of itself stays out of mail: the page shows it. */
export async function tellAsked(
  tx: Transaction,
  context: Pick<Context, 'db' | 'jobs'>,
  asker: Pick<Actor, 'username'>,
  { id, namespaceId, accountId }: Request,
): Promise<void> {
  const values = { asker: asker.username };
  await tell(tx, context, { id, namespaceId, accountId }, { kind: 'placeholder_requested', values });
}

/** Tells an account that an administrator has assigned a placeholder to it. */
export async function tellAssigned(tx: Transaction, context: Pick<Context, 'db' | 'jobs'>, to: Request): Promise<void> {
  await tell(tx, context, to, { kind: 'placeholder_assigned', values: {} });
}

async function tell(
  tx: Transaction,
  { db, jobs }: Pick<Context, 'db' | 'jobs'>,
  { id, namespaceId, accountId }: Request,
  mail: { kind: 'placeholder_requested' | 'placeholder_assigned'; values: Readonly<Record<string, string>> },
): Promise<void> {
  if (!sendsMail(db)) return;
  const account = await tx.user.findFirst({
    where: { id: accountId, state: 'active' },
    select: { email: true, username: true },
  });
  const place = await tx.namespace.findUnique({ where: { id: namespaceId }, select: { fullPath: true } });
  if (!account || !place) return;
  const values = { ...mail.values, path: place.fullPath };
  await jobs.enqueue(tx, 'mail.send', { ...account, kind: mail.kind, values, path: `${REQUESTS_PATH}/${id}` });
}
