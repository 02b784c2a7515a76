import { activeUser } from '#src/access/credentials/authenticate.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { countUses } from '#src/access/sign_in/attempts.ts';
import { execute, HELP, type Reply } from '#src/domain/chat_commands/execute.ts';
import { CONNECT_PATH, connectToken, isSame } from '#src/domain/chat_commands/link.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { Kind } from '#src/domain/integrations/base/kind.ts';
import { kindOf } from '#src/domain/integrations/kinds.ts';
import { settingsOf } from '#src/domain/integrations/stored.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { Db } from '#src/platform/database/db.ts';
import { DomainError, NotFound } from '#src/platform/errors.ts';

/** A command as a chat sends it. */
export interface ChatCommand {
  /** That of the integration. */
  token: string;
  teamId: string;
  teamName?: string | null | undefined;
  chatUserId: string;
  chatUserName?: string | null | undefined;
  /** What follows the name of the command. */
  text?: string | null | undefined;
}

/** What the chat shows, in its own markup: to everybody in the channel, or to the sender alone. */
export interface ChatAnswer {
  isForAll: boolean;
  text: string;
}

/** Commands for one project in a window of so many seconds. */
const COMMANDS = 120;
const WINDOW = 60;

/** Characters of names and of a command. */
const MAX_NAME_LENGTH = 255;
const MAX_TEXT_LENGTH = 20_000;

/**
 * Runs a command of a chat in a project, as the account that its user has connected, with the rights of that. Throws NotFound without
 * an active integration or for another token, RateLimited. What the account may not do is an answer.
 */
export async function runChatCommand(
  context: Context,
  { project, slug, baseUrl }: { project: IdOrPath; slug: string; baseUrl: string },
  command: ChatCommand,
): Promise<ChatAnswer> {
  const { db, secret } = context;
  const kind = kindOf(slug);
  const projectId = kind?.says ? await idOf(db, project) : null;
  if (!kind?.says || projectId === null) throw new NotFound('Integration');
  await countUses(db, WINDOW, { [`chat commands ${projectId}`]: COMMANDS });
  const [row] = await db.$queryRaw<{ id: number; properties: unknown; secretsEncrypted: Uint8Array | null }[]>`
    SELECT id, properties, secrets_encrypted AS "secretsEncrypted" FROM integrations_of(${projectId}::int)
    WHERE slug = ${kind.slug} AND active`;
  const known = row ? String(settingsOf(kind, row, secret).token ?? '') : '';
  if (!row || known === '' || !isSame(known, command.token)) throw new NotFound('Integration');
  return inMarkup(kind, await replyTo(context, { projectId, integrationId: row.id, baseUrl }, command));
}

interface Where {
  projectId: number;
  integrationId: number;
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
}

async function replyTo(
  context: Context,
  { projectId, integrationId, baseUrl }: Where,
  command: ChatCommand,
): Promise<Reply> {
  const { db } = context;
  const { teamId, chatUserId, text } = command;
  if (![teamId, chatUserId].every((name) => name.length > 0 && name.length <= MAX_NAME_LENGTH))
    throw new NotFound('Integration');
  const connection = await db.chatConnection.findUnique({
    where: { integrationId_teamId_chatUserId: { integrationId, teamId, chatUserId } },
    select: { id: true, userId: true },
  });
  const actor = connection && (await activeUser(db, connection.userId));
  if (!connection || !actor) return asksToConnect(context, { integrationId, baseUrl }, command);
  await db.chatConnection.updateMany({ where: { id: connection.id }, data: { lastUsedAt: new Date() } });
  const asUser = { ...context, actor };
  try {
    const project = await findProject(asUser, projectId);
    return await execute(asUser, { project, baseUrl }, (text ?? '').slice(0, MAX_TEXT_LENGTH));
  } catch (error) {
    if (error instanceof DomainError) return { isForAll: false, lines: [[explained(error)]] };
    throw error;
  }
}

function explained(error: DomainError): string {
  if (error instanceof NotFound) return 'There is no such thing, or you cannot see it.';
  return error.message;
}

/** A link by which the user of the chat connects an account. */
function asksToConnect(
  context: Context,
  { integrationId, baseUrl }: Omit<Where, 'projectId'>,
  command: ChatCommand,
): Reply {
  const { teamId, chatUserId, teamName, chatUserName } = command;
  const short = (name: string | null | undefined) => name?.toWellFormed().slice(0, MAX_NAME_LENGTH) ?? null;
  const user = { integrationId, teamId, chatUserId, teamName: short(teamName), chatUserName: short(chatUserName) };
  const url = `${baseUrl}${CONNECT_PATH}?token=${connectToken(context.secret, user)}`;
  return {
    isForAll: false,
    lines: [['First ', { text: 'connect your account', url }, '. The link works for 15 minutes.'], ...HELP],
  };
}

function inMarkup({ says }: Kind, { isForAll, lines }: Reply): ChatAnswer {
  const text = lines.map((line) => line.map((part) => says?.(part) ?? '').join('')).join('\n');
  return { isForAll, text };
}

/** The ID of a project, whoever asks: the token of the integration is what lets them in. */
async function idOf(db: Db, ref: IdOrPath): Promise<number | null> {
  const [found] = await db.$queryRaw<{ id: number }[]>`
    SELECT p.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.deleted_at IS NULL AND n.deleted_at IS NULL
      AND CASE WHEN ${typeof ref === 'number'}::boolean THEN p.id::text = ${String(ref)}
        ELSE lower(n.full_path) || '/' || lower(p.path) = lower(${String(ref)}) END`;
  return found?.id ?? null;
}
