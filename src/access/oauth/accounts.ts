import type { Account } from 'oidc-provider';
import type { Db } from '#src/platform/database/db.ts';
import { isWebUrl } from '#src/platform/web_url.ts';

/** The claims of each scope. */
export const CLAIMS = {
  openid: ['sub'],
  profile: ['name', 'preferred_username', 'nickname', 'profile', 'website', 'updated_at'],
  email: ['email', 'email_verified'],
};

/** An active user in the form that the provider expects; undefined if there is none with that ID. */
export async function findAccount(db: Db, accountId: string, issuer: string): Promise<Account | undefined> {
  const user = await db.user.findFirst({ where: { id: Number(accountId), state: 'active', ghost: false } });
  if (!user) return undefined;
  return {
    accountId,
    claims: () => ({
      sub: accountId,
      name: user.name,
      preferred_username: user.username,
      nickname: user.username,
      profile: `${issuer}/${user.username}`,
      // Earlier versions stored any value, and applications link to it.
      ...(isWebUrl(user.websiteUrl) ? { website: user.websiteUrl } : {}),
      updated_at: Math.floor(user.updatedAt.getTime() / 1000),
      email: user.email,
      email_verified: user.confirmedAt !== null,
    }),
  };
}
