import type { Db } from '#src/db.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/errors.ts';
import { newToken, tokenHash } from '#src/secrets.ts';

/** What a personal access token may be limited to (behaviour.md 4.2). */
export const SCOPES = ['api', 'read_user'] as const;

export interface NewToken {
  /** Username. */
  user: string;
  name?: string | undefined;
  scopes: string[];
  /** Inactive from this day (UTC) on; never when absent. */
  expiresAt?: Date | undefined;
}

/** What `gantry token create` does: the token is shown once, only its hash is kept. Throws NotFound, ValidationFailed. */
export async function createTokenFromCommandLine(db: Db, input: NewToken): Promise<{ token: string }> {
  const errors: FieldErrors = {};
  if (input.scopes.length === 0) errors.scopes = ["can't be blank"];
  else if (!input.scopes.every((scope) => (SCOPES as readonly string[]).includes(scope))) {
    errors.scopes = [`can only contain ${SCOPES.join(', ')}`];
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const user = await db.user.findFirst({ where: { username: { equals: input.user, mode: 'insensitive' } } });
  if (!user) throw new NotFound('User');
  const token = newToken('gpat-');
  const { name = 'command line', scopes, expiresAt = null } = input;
  await db.personalAccessToken.create({
    data: { userId: user.id, name, scopes, expiresAt, tokenHash: tokenHash(token) },
  });
  return { token };
}
