import crypto from 'node:crypto';
import { readersAmong } from '#src/domain/tracking/subjects/readers.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

/** Path of the links that unsubscribe from a record. */
export const UNSUBSCRIBE_PATH = '/-/unsubscribe';

/** A user and the record to unsubscribe from. */
export interface Unsubscription {
  userId: number;
  type: 'Issue' | 'MergeRequest';
  /** ID of the record. */
  id: number;
}

const { sql } = Prisma;

/** The token of a link that works for that user and record only, without signing in, until the server's key changes. */
export function unsubscribeToken(secret: string, { userId, type, id }: Unsubscription): string {
  const named = `${userId}.${type}.${id}`;
  return `${named}.${signature(secret, named)}`;
}

/** Verifies a token; null if it is not from this server. */
export function readUnsubscribeToken(secret: string, token: string): Unsubscription | null {
  const [, named = '', user, type, id, given = ''] =
    /^((\d{1,10})\.(Issue|MergeRequest)\.(\d{1,10}))\.([\w-]{43})$/.exec(token) ?? [];
  const digest = (text: string) => crypto.createHash('sha256').update(text).digest();
  if (!crypto.timingSafeEqual(digest(given), digest(signature(secret, named)))) return null;
  return { userId: Number(user), type: type === 'Issue' ? 'Issue' : 'MergeRequest', id: Number(id) };
}

function signature(secret: string, named: string): string {
  return crypto.createHmac('sha256', secret).update(`unsubscribe ${named}`).digest('base64url');
}

/** Unsubscribes the user from the record, even if they participate in it. Does nothing if the user or the record is gone. */
export async function unsubscribe(db: Db, { userId, type, id }: Unsubscription): Promise<void> {
  const record = type === 'Issue' ? sql`issues WHERE deleted_at IS NULL AND` : sql`merge_requests WHERE`;
  await db.$executeRaw`
    INSERT INTO subscriptions (user_id, subject_type, subject_id, subscribed)
    SELECT u.id, ${type}, ${id}, false FROM users u WHERE u.id = ${userId} AND EXISTS (SELECT 1 FROM ${record} id = ${id})
    ON CONFLICT (subject_type, subject_id, user_id) DO UPDATE SET subscribed = false`;
}

/** The name of the record on the page: number and project if the user may see it, as anyone may follow the link. */
export async function unsubscribedName(db: Db, { userId, type, id }: Unsubscription): Promise<string> {
  const what = type === 'Issue' ? 'issue' : 'merge request';
  const from =
    type === 'Issue'
      ? sql`issues r JOIN projects p ON p.id = r.project_id`
      : sql`merge_requests r JOIN projects p ON p.id = r.target_project_id`;
  const [found] = await db.$queryRaw<{ iid: number; projectId: number; fullPath: string }[]>`
    SELECT r.iid, p.id AS "projectId", n.full_path || '/' || p.path AS "fullPath"
    FROM ${from} JOIN namespaces n ON n.id = p.namespace_id WHERE r.id = ${id}`;
  const readers = found
    ? await readersAmong(db, { type, id, project: { id: found.projectId } }, { ids: [userId] })
    : [];
  if (!found || readers.length === 0) return `this ${what}`;
  return `${what} ${found.fullPath}${type === 'Issue' ? '#' : '!'}${found.iid}`;
}
