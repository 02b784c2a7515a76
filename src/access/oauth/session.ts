import type { Request } from 'express';
import type Provider from 'oidc-provider';
import { type Session as Found, findSession } from '#src/access/credentials/sessions/session.ts';
import type { OAuthOptions } from '#src/access/oauth/options.ts';

/**
 * Has the provider accept the user who is signed in here: it keeps no session of its own, so that signing out,
 * or in as somebody else, counts at once.
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
    const session = new Session(found ? described(found) : undefined);
    // What counts as destroyed is neither stored nor put into a cookie.
    Object.defineProperty(session, 'destroyed', { value: true });
    ctx.oidc.entity('Session', session);
    return session;
  };
}

/** The provider compares with the clock of this machine; when the session began, the one of the database has noted. */
function described({ id, actor, age }: Pick<Found, 'id' | 'actor' | 'age'>) {
  const loginTs = signedInAt(age);
  return { accountId: String(actor.id), loginTs, uid: String(id), jti: String(id) };
}

/** When that was, in seconds, by the clock of this machine. */
export function signedInAt(age: number): number {
  return Math.floor(Date.now() / 1000 - age);
}

interface SessionClass {
  new (payload?: object): object;
  get(ctx: { req: unknown; oidc: { entity(name: string, value: object): void } }): Promise<object>;
}
