import { audit } from '#src/access/audit/record.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type ChatUser, readConnectToken } from '#src/domain/chat_commands/link.ts';
import { kindOf } from '#src/domain/integrations/kinds.ts';
import { BadRequest, Forbidden, NotFound } from '#src/platform/errors.ts';

/** How many connections a user can have. */
export const MAX_CONNECTIONS = 100;

/** A connection of the caller, or one that is asked for. */
export interface ChatConnectionView {
  /** Null until it is made. */
  id: number | null;
  /** What connects, such as `Slack slash commands`. */
  service: string;
  teamName: string | null;
  chatUserName: string | null;
  createdAt: Date | null;
  lastUsedAt: Date | null;
}

/** The connections of the caller, the latest first. Throws Unauthenticated. */
export async function listChatConnections(context: Context): Promise<ChatConnectionView[]> {
  const { id: userId } = requireOwn(context);
  const found = await context.db.chatConnection.findMany({
    where: { userId },
    orderBy: { id: 'desc' },
    take: MAX_CONNECTIONS,
    include: { integration: { select: { slug: true } } },
  });
  return found.map(({ integration, ...row }) => ({
    ...row,
    service: kindOf(integration.slug)?.title ?? integration.slug,
  }));
}

/** What a link from a chat asks for. Throws Unauthenticated, and NotFound for one that is invalid or has expired. */
export async function readChatRequest(context: Context, token: string): Promise<ChatConnectionView> {
  requireOwn(context);
  const { user, slug } = await requireRequest(context, token);
  const service = kindOf(slug)?.title ?? slug;
  return {
    id: null,
    service,
    teamName: user.teamName,
    chatUserName: user.chatUserName,
    createdAt: null,
    lastUsedAt: null,
  };
}

/** Has the user of a chat act as the caller. Throws as readChatRequest, and BadRequest beyond the limit. */
export async function connectChat(context: Context, token: string): Promise<{ id: number }> {
  const { id: userId } = requireOwn(context);
  const { user } = await requireRequest(context, token);
  const { integrationId, teamId, chatUserId, teamName, chatUserName } = user;
  const names = { teamName, chatUserName };
  return context.db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
    if ((await tx.chatConnection.count({ where: { userId } })) >= MAX_CONNECTIONS) {
      throw new BadRequest(`You can have at most ${MAX_CONNECTIONS} connections to chats`);
    }
    const { id } = await tx.chatConnection.upsert({
      where: { integrationId_teamId_chatUserId: { integrationId, teamId, chatUserId } },
      update: { ...names, userId, createdAt: new Date(), lastUsedAt: null },
      create: { integrationId, teamId, chatUserId, ...names, userId },
      select: { id: true },
    });
    await audit(tx, context, {
      action: 'chat_connected',
      place: { userId },
      target: { type: 'ChatConnection', id, name: chatUserName },
    });
    return { id };
  });
}

/** Ends a connection of the caller. Throws Unauthenticated, NotFound. */
export async function disconnectChat(context: Context, id: number): Promise<{ id: number }> {
  const { id: userId } = requireOwn(context);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.chatConnection.deleteMany({ where: { id, userId } });
    if (count === 0) throw new NotFound('Chat connection');
    await audit(tx, context, {
      action: 'chat_disconnected',
      place: { userId },
      target: { type: 'ChatConnection', id },
    });
  });
  return { id };
}

/** An administrator who acts as somebody does not connect their account. */
function requireOwn(context: Context) {
  const actor = requireActor(context);
  if (actor.impersonator)
    throw new Forbidden('An account cannot be connected by an administrator who acts as its user');
  return actor;
}

async function requireRequest({ db, secret }: Context, token: string): Promise<{ user: ChatUser; slug: string }> {
  const user = readConnectToken(secret, token);
  const found =
    user &&
    (await db.integration.findUnique({ where: { id: user.integrationId, active: true }, select: { slug: true } }));
  if (!user || !found) throw new NotFound('Link', 'This link is invalid or has expired');
  return { user, slug: found.slug };
}
