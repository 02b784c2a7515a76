import type { AuditAction, AuditTarget } from '#src/access/audit/actions.ts';
import { type Actor, userIdOf } from '#src/access/permissions/actor.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Who does something, and from where; without an actor, the server itself. */
export interface Auditing {
  readonly actor: Pick<Actor, 'id' | 'username' | 'impersonator' | 'tokenId'> | null;
  readonly clientAddress?: string | null;
}

/** The server itself, where it does something by a schedule or on the command line. */
export const BY_SERVER: Auditing = { actor: null };

/** Where something is done: in a project or group, to a user, or to the server. */
export type AuditPlace = { projectId: number } | { groupId: number } | { userId: number } | 'server';

export interface AuditedTarget {
  type: AuditTarget;
  id: number | null;
  /** That of the record when absent, for users, projects and groups. */
  name?: string | null;
}

/** One action, and what it was done to. */
export interface Audited {
  action: AuditAction;
  place: AuditPlace;
  target: AuditedTarget;
  /** What of the target changed; absent where all of it did. */
  attribute?: string;
  from?: unknown;
  to?: unknown;
}

/** Characters that are kept of a value or name. */
const MAX_VALUE_LENGTH = 255;

/**
 * Records what somebody did, in the transaction of the change: before it for what deletes a record whose name is to be read. Never
 * give it the value of a secret.
 */
export async function audit(
  tx: Transaction,
  { actor, clientAddress = null }: Auditing,
  ...events: readonly Audited[]
): Promise<void> {
  if (events.length === 0) return;
  const author = actor && userIdOf(actor);
  // Who acts as somebody else does so by `sudo`, or by a token that was made for that.
  const impersonator = sql`COALESCE(${actor?.impersonator ?? null}::int,
    (SELECT t.created_by_id FROM personal_access_tokens t WHERE t.id = ${actor?.tokenId ?? null}::int AND t.impersonation))`;
  // Who is being deleted meanwhile is waited for, and is then nobody.
  await tx.$executeRaw`
    WITH people AS MATERIALIZED (SELECT u.id, u.name FROM users u
      WHERE u.id IN (${author}::int, ${impersonator}) ORDER BY u.id FOR KEY SHARE)
    INSERT INTO audit_events (action, author_id, author_name, impersonator_id, impersonator_name, ip_address, project_id, group_id,
      user_id, place_path, target_type, target_id, target_name, attribute, old_value, new_value)
    SELECT e.action, a.id, COALESCE(a.name, ${actor?.username ?? null}), i.id, i.name, ${clientAddress}, e.project_id, e.group_id, e.user_id,
      COALESCE((SELECT n.full_path || '/' || p.path FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = e.project_id),
        (SELECT n.full_path FROM namespaces n WHERE n.id = e.group_id), (SELECT u.username FROM users u WHERE u.id = e.user_id)),
      e.target_type, e.target_id,
      COALESCE(e.target_name, CASE e.target_type WHEN 'User' THEN (SELECT u.name FROM users u WHERE u.id = e.target_id)
        WHEN 'Project' THEN (SELECT p.name FROM projects p WHERE p.id = e.target_id)
        WHEN 'Group' THEN (SELECT n.name FROM namespaces n WHERE n.id = e.target_id) END),
      e.attribute, e.old_value, e.new_value
    FROM jsonb_to_recordset(${JSON.stringify(events.map(rowOf))}::jsonb) AS e (action text, project_id int, group_id int, user_id int,
      target_type text, target_id int, target_name text, attribute text, old_value text, new_value text)
    LEFT JOIN people a ON a.id = ${author} LEFT JOIN people i ON i.id = ${impersonator}`;
}

function rowOf({ action, place, target, attribute, from, to }: Audited) {
  const { projectId, groupId, userId } = ids(place);
  return {
    action,
    project_id: projectId,
    group_id: groupId,
    user_id: userId,
    target_type: target.type,
    target_id: target.id,
    target_name: textOf(target.name),
    attribute,
    old_value: textOf(from),
    new_value: textOf(to),
  };
}

function ids(place: AuditPlace): { projectId?: number; groupId?: number; userId?: number } {
  return place === 'server' ? {} : place;
}

/** A value as a short text; null for none. */
function textOf(value: unknown): string | null {
  if (value == null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const characters = [...text.toWellFormed().replaceAll('\0', '')];
  return characters.length > MAX_VALUE_LENGTH
    ? `${characters.slice(0, MAX_VALUE_LENGTH - 1).join('')}…`
    : characters.join('');
}
