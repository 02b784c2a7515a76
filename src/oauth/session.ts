import type { Request } from 'express';
import type Provider from 'oidc-provider';
import { findSession } from '#src/sessions/session.ts';
import type { PageOptions } from '#src/web/pages/visit.ts';
import { sessionToken } from '#src/web/session_token.ts';

/**
 * Has the provider take whoever is signed in here for signed in there: it keeps no session of its own, so that signing out,
 * or in as somebody else, counts at once.
 */
export function followSessions(provider: Provider, { contextOf, baseUrl }: PageOptions): void {
  const Session = provider.Session as unknown as SessionClass;
  Session.get = async (ctx) => {
    const request = ctx.req as Request;
    const token = sessionToken(request, baseUrl);
    const found = token === undefined ? null : await findSession(contextOf(null, request).db, token);
    const session = new Session(found ? described(found) : undefined);
    // What counts as destroyed is neither stored nor put into a cookie.
    Object.defineProperty(session, 'destroyed', { value: true });
    ctx.oidc.entity('Session', session);
    return session;
  };
}

function described({ id, actor, createdAt }: { id: number; actor: { id: number }; createdAt: Date }) {
  const loginTs = Math.floor(createdAt.getTime() / 1000);
  return { accountId: String(actor.id), loginTs, uid: String(id), jti: String(id) };
}

interface SessionClass {
  new (payload?: object): object;
  get(ctx: { req: unknown; oidc: { entity(name: string, value: object): void } }): Promise<object>;
}
