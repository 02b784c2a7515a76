import crypto from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';

/** Seconds within which the next step must follow. */
export const TICKET_LIFETIME = 10 * 60;

/** `last_factor` is a second factor after a first one that is no password of ours: nothing comes behind it. */
export type Step = 'second_factor' | 'last_factor' | 'new_password';

export interface TicketHolder {
  id: number;
  passwordHash: string;
  twoFactorEnabled: boolean;
  passwordExpired: boolean;
}

/**
 * Issues a ticket saying that the user has completed all steps before this one. Nothing is stored: the ticket is signed together
 * with the password hash, and stops working when that changes.
 */
export function issueTicket(secret: string, { id, passwordHash }: TicketHolder, step: Step): string {
  const content = `${step}.${id}.${Math.floor(Date.now() / 1000) + TICKET_LIFETIME}`;
  return `${content}.${sign(secret, content, passwordHash)}`;
}

/** The user of a ticket for that step; null if it is not genuine, expired, or no longer valid for its user. */
export async function readTicket(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  ticket: string,
  step: Step,
): Promise<TicketHolder | null> {
  const [, content = '', named, id, end, signature = ''] =
    /^((\w{1,20})\.(\d{1,9})\.(\d{1,12}))\.([\w-]{43})$/.exec(ticket) ?? [];
  if (named !== step || Number(end) * 1000 < Date.now()) return null;
  const user = await db.user.findFirst({
    where: { id: Number(id), state: { in: ['active', 'deactivated'] } },
    select: { id: true, passwordHash: true, twoFactorEnabled: true, passwordExpiresAt: true },
  });
  const expected = sign(secret, content, user?.passwordHash ?? '');
  if (!user || !crypto.timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null;
  const { passwordExpiresAt, ...holder } = user;
  return { ...holder, passwordExpired: passwordExpiresAt !== null };
}

function sign(secret: string, content: string, passwordHash: string): string {
  return crypto.createHmac('sha256', secret).update(`sign-in ${content} ${passwordHash}`).digest('base64url');
}
