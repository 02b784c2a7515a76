import type { Request, Response } from 'express';
import type Provider from 'oidc-provider';
import type { LazyProvider } from '#src/access/oauth/lazy.ts';
import type { Db } from '#src/platform/database/db.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** An authorization request, while its user signs in and decides. */
export type Interaction = InstanceType<Provider['Interaction']>;

/** The authorization request that this browser started; undefined if it belongs to another browser or is over. */
export async function findInteraction(
  lazy: LazyProvider,
  { request, response }: { request: Request; response: Response },
): Promise<Interaction | undefined> {
  const provider = await lazy.get();
  const { cookies } = provider.createContext(request, response);
  const uid = cookies.get(provider.cookieName('interaction'), { signed: true });
  if (uid === undefined || uid !== request.params.uid) return undefined;
  return provider.Interaction.find(uid);
}

/** Continues the request with the user's decision. */
export async function finishInteraction(
  interaction: Interaction,
  response: Response,
  result: NonNullable<Interaction['result']>,
): Promise<void> {
  interaction.result = result;
  await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
  response.redirect(303, `/oauth/authorize/${interaction.uid}`);
}

/** The redirect address of the authorization request at this path; null for other paths. */
export async function redirectUriAt(db: Db, path: unknown): Promise<string | null> {
  const uid = typeof path === 'string' ? /^\/oauth\/interaction\/([\w-]{1,100})$/.exec(path)?.[1] : undefined;
  if (uid === undefined) return null;
  const [found] = await db.$queryRaw<{ uri: string | null }[]>`
    SELECT payload -> 'params' ->> 'redirect_uri' AS uri FROM oauth_interactions WHERE id_hash = ${tokenHash(uid)}`;
  return found?.uri ?? null;
}

/** When the authorization request began, by the clock of the database. */
export async function begunAt(db: Db, uid: string): Promise<Date> {
  const { createdAt } = await db.oAuthInteraction.findUniqueOrThrow({ where: { idHash: tokenHash(uid) } });
  return createdAt;
}

/** The scopes that the application requests. */
export function scopesOf(interaction: Interaction): string[] {
  return String(interaction.params.scope ?? '')
    .split(' ')
    .filter(Boolean);
}
