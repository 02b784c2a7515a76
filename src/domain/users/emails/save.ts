import { audit } from '#src/access/audit/record.ts';
import { chooseAccount } from '#src/access/permissions/account.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { isAddress, normaliseAddress } from '#src/domain/users/emails/address.ts';
import { type EmailRow, findEmail } from '#src/domain/users/emails/list.ts';
import { violates } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';

export interface NewEmail {
  /** The owner; the actor when absent. Others are for administrators. */
  userId?: number | null | undefined;
  email: string;
}

/**
 * Adds a secondary address, which must not be any user's primary or secondary one. If the server sends mail, users are asked to
 * confirm addresses that they add themselves. Throws Forbidden, NotFound, ValidationFailed.
 */
export async function createEmail(context: Context, { userId, email }: NewEmail): Promise<EmailRow> {
  const owner = await chooseAccount(context, userId);
  const address = normaliseAddress(email);
  if (!isAddress(address)) throw new ValidationFailed({ email: ['is invalid'] });
  try {
    const toConfirm = userId == null && sendsMail(context.db);
    const data = { userId: owner, email: address, confirmedAt: toConfirm ? null : new Date() };
    const { id } = await context.db.$transaction(async (tx) => {
      if (toConfirm) await context.jobs.enqueue(tx, 'mail.send', { kind: 'confirmation', email: address });
      const made = await tx.email.create({ data, select: { id: true } });
      const target = { type: 'Email', id: made.id, name: address } as const;
      await audit(tx, context, { action: 'email_created', place: { userId: owner }, target });
      return made;
    });
    return await findEmail(context, owner, id);
  } catch (error) {
    throw violates(error)
      ? new ValidationFailed({ email: ['has already been taken'] }).asExisting({
          type: 'Email',
          where: { userId: owner, email: address },
        })
      : error;
  }
}

export interface DoomedEmail {
  /** The owner; the actor when absent. Others are for administrators. */
  userId?: number | null | undefined;
  id: number;
}

/** Deletes a secondary address. For a missing one, returns null if the user is the actor, else throws NotFound. */
export async function deleteEmail(context: Context, { userId, id }: DoomedEmail): Promise<EmailRow | null> {
  const owner = await chooseAccount(context, userId);
  try {
    const email = await findEmail(context, owner, id);
    await context.db.$transaction(async (tx) => {
      const { count } = await tx.email.deleteMany({ where: { id, userId: owner } });
      if (count === 0) throw new NotFound('Email');
      const target = { type: 'Email', id, name: email.email } as const;
      await audit(tx, context, { action: 'email_deleted', place: { userId: owner }, target });
    });
    return email;
  } catch (error) {
    if (error instanceof NotFound && userId == null) return null;
    throw error;
  }
}
