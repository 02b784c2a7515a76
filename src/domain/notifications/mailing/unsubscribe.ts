import crypto from 'node:crypto';
import { readersAmong } from '#src/domain/tracking/subjects/readers.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

/** Where the links lead that end mail about a record. */
export const UNSUBSCRIBE_PATH = '/-/unsubscribe';

/** Who is to get no more mail about which record. */
export interface Unsubscription {
  userId: number;
  type: 'Issue' | 'MergeRequest';
  /** Of the record. */
  id: number;
}

const { sql } = Prisma;

/** What a link holds so that it works for that user and record alone, without signing in, for as long as the server's key is the same. */
export function unsubscribeToken(secret: string, { userId, type, id }: Unsubscription): string {
  const named = `${userId}.${type}.${id}`;
  return `${named}.${signature(secret, named)}`;
}

/** What a token stands for; null if it is not one of this server. */
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

/** Ends the user's mail about the record, for those too who take part in it. Does nothing if the user or the record is gone. */
export async function unsubscribe(db: Db, { userId, type, id }: Unsubscription): Promise<void> {
  const record = type === 'Issue' ? sql`issues WHERE deleted_at IS NULL AND` : sql`merge_requests WHERE`;
  await db.$executeRaw`
    INSERT INTO subscriptions (user_id, subject_type, subject_id, subscribed)
    SELECT u.id, ${type}, ${id}, false FROM users u WHERE u.id = ${userId} AND EXISTS (SELECT 1 FROM ${record} id = ${id})
    ON CONFLICT (subject_type, subject_id, user_id) DO UPDATE SET subscribed = false`;
}

/** What the page calls the record: by its number and project for users who may see it, as anybody could follow the link. */
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
