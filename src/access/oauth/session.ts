import type { Request } from 'express';
import type Provider from 'oidc-provider';
import { type Session as Found, findSession } from '#src/access/credentials/sessions/session.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';

/**
 * Has the provider accept the user who is signed in here: it keeps no session of its own, so that signing out or switching users
 * takes effect immediately.
 */
export function followSessions(
  provider: Provider,
  { contextOf, sessionTokenOf }: Pick<OAuthOptions, 'contextOf' | 'sessionTokenOf'>,
): void {
  const Session = provider.Session as unknown as SessionClass;
  Session.get = async (ctx) => {
    const request = ctx.req as Request;
    const token = sessionTokenOf(request);
    const found = token === undefined ? null : await findSession(contextOf(null, request).db, token);
    // Who acts as the user is not signed in with applications as the user.
    const isOneself = found && !found.mustSetUpTwoFactor && found.impersonator === null;
    const session = new Session(isOneself ? described(found) : undefined);
    // The provider neither stores destroyed sessions nor sets a cookie for them.
    Object.defineProperty(session, 'destroyed', { value: true });
    ctx.oidc.entity('Session', session);
    return session;
  };
}

/** The provider compares with the clock of this machine; the beginning of the session is stored by the clock of the database. */
function described({ id, actor, age }: Pick<Found, 'id' | 'actor' | 'age'>) {
  const loginTs = signedInAt(age);
  return { accountId: String(actor.id), loginTs, uid: String(id), jti: String(id) };
}

/** The time of the sign-in in seconds since 1970, by the clock of this machine. */
export function signedInAt(age: number): number {
  return Math.floor(Date.now() / 1000 - age);
}

interface SessionClass {
  new (payload?: object): object;
  get(ctx: { req: unknown; oidc: { entity(name: string, value: object): void } }): Promise<object>;
}
