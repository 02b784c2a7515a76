import { randomBytes } from 'node:crypto';
import { OWNER } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { groupAccessLevel } from '#src/access/permissions/visibility.ts';
import { hashOfNobody } from '#src/access/sign_in/hash_password.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Moves what a placeholder has to the account that accepted it, or to the ghost: of one, or of all that are under way. */
    'users.take_over_placeholders': { sourceUserId?: number };
    /** Removes placeholders that nothing names. */
    'users.remove_placeholders': Record<string, never>;
  }
}

const { sql } = Prisma;
const namespace = alias('Namespace', 'n');

/** A user of a source of imports. */
export interface SourceUser {
  /** What kind of import names the user: `github`, `gitea`, `gitlab_migration` or `gitlab_project`. */
  importType?: string;
  /** Host of the source; empty where an archive does not say. */
  hostname: string;
  /** The ID there. */
  id: number;
  /** Empty where it is not known. */
  username: string;
  /** Empty where it is not known. */
  name: string;
}

/** Characters of what is remembered of a user of a source. */
const MAX_NAME_LENGTH = 255;
const MAX_BASE_LENGTH = 60;

/** Whether an actor may say who the placeholders of a namespace are: its owners, and administrators. */
export function managesPlaceholders(actor: Pick<Actor, 'id' | 'admin' | 'place'>, of: Alias<'Namespace'>): Prisma.Sql {
  return sql`(${actor.admin}::boolean OR COALESCE(${of.ownerId} = ${actor.id}, FALSE)
    OR (${of.kind} = 'group' AND ${groupAccessLevel(actor, of)} >= ${OWNER}))`;
}

/** A project or group that is imported. */
export type ImportedPlace = { projectId: number } | { groupId: number };

/** Where the placeholders of an import are. */
export interface PlaceOfPlaceholders {
  /** The top-level group or personal namespace. */
  namespaceId: number;
  /** Whether the actor says who they are. */
  isManager: boolean;
  /** The kind of the import, as v4 calls it. */
  importType: string;
}

/** The top-level group or personal namespace of what is imported, whether the actor says who its placeholders are, and the kind of import. */
export async function placeholdersOf(
  tx: Transaction,
  actor: Pick<Actor, 'id' | 'admin' | 'place'>,
  place: ImportedPlace,
): Promise<PlaceOfPlaceholders> {
  const own =
    'projectId' in place
      ? sql`(SELECT p.namespace_id FROM projects p WHERE p.id = ${place.projectId})`
      : sql`${place.groupId}::int`;
  const projectId = 'projectId' in place ? place.projectId : null;
  const [found] = await queryRows<PlaceOfPlaceholders & { provider: string | null }>(
    tx,
    sql`SELECT ${namespace.id} AS "namespaceId", ${managesPlaceholders(actor, namespace)} AS "isManager",
        (SELECT r.provider FROM remote_imports r WHERE r.project_id = ${projectId}::int) AS provider
      FROM namespaces own JOIN ${table(namespace)} ON ${namespace.id} = own.lineage[1] WHERE own.id = ${own}`,
  );
  if (!found) throw new Error(`There is no namespace of ${JSON.stringify(place)}`);
  const { provider, ...rest } = found;
  return { ...rest, importType: provider === 'gitlab' ? 'gitlab_migration' : (provider ?? 'gitlab_project') };
}

/** What a name can have everywhere, on one line. */
function clean(text: string): string {
  return text
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ')
    .trim();
}

/** What names a user of a source: IDs of unknown sources say little without the username. */
export function identifierOf({ hostname, id, username }: SourceUser): string {
  return hostname === '' ? `${id}:${clean(username)}` : String(id);
}

/**
 * The IDs of the placeholders of users of sources in a namespace, by what names them (identifierOf), made where there are none. They stay
 * if the import comes to nothing: a daily job removes those to whom nothing belongs.
 *
 * @param tx the transaction of the import: until it ends, no placeholder is removed
 * @param users of one source
 */
export async function ensurePlaceholders(
  { db, secret }: Pick<Context, 'db' | 'secret'>,
  tx: Transaction,
  namespaceId: number,
  users: readonly SourceUser[],
): Promise<Map<string, number>> {
  const [{ hostname } = { hostname: '' }] = users;
  const wanted = new Map(users.map((user) => [identifierOf(user), user]));
  const kept = async () => {
    // Read without a snapshot of earlier: each statement of an import sees what others have committed.
    const rows = await tx.$queryRaw<{ identifier: string; id: number }[]>`
      SELECT s.source_user_identifier AS identifier, u.id FROM import_source_users s JOIN users u ON u.id = s.placeholder_user_id
      WHERE s.namespace_id = ${namespaceId} AND s.source_hostname = ${hostname}
        AND s.source_user_identifier = ANY(${[...wanted.keys()]}::text[]) ORDER BY u.id FOR KEY SHARE OF u`;
    return new Map(rows.map(({ identifier, id }) => [identifier, id]));
  };
  // Whoever takes one over meanwhile removes it: then it is made anew.
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const found = await kept();
    const missing = [...wanted].filter(([identifier]) => !found.has(identifier)).map(([, user]) => user);
    if (missing.length === 0) return found;
    await db.$transaction((own) => create(own, secret, namespaceId, missing));
  }
  throw new Error('Placeholders are removed as soon as they are made');
}

async function create(
  tx: Transaction,
  secret: string,
  namespaceId: number,
  users: readonly SourceUser[],
): Promise<void> {
  const remembered = users
    .map((user) => ({ user, identifier: identifierOf(user) }))
    .sort((one, other) => (one.identifier < other.identifier ? -1 : 1));
  await tx.importSourceUser.createMany({
    data: remembered.map(({ user, identifier }) => ({
      namespaceId,
      sourceHostname: user.hostname,
      importType: user.importType ?? 'gitlab_project',
      sourceUserIdentifier: identifier,
      sourceUsername: clean(user.username),
      sourceName: clean(user.name) || clean(user.username) || 'Unknown user',
    })),
    skipDuplicates: true,
  });
  // Locked, so that another import makes no second one.
  const open = await tx.$queryRaw<{ id: number; hostname: string; username: string; name: string }[]>`
    SELECT id, source_hostname AS hostname, source_username AS username, source_name AS name FROM import_source_users
    WHERE namespace_id = ${namespaceId} AND source_hostname = ${users[0]?.hostname ?? ''} AND placeholder_user_id IS NULL
      AND source_user_identifier = ANY(${remembered.map(({ identifier }) => identifier)}::text[]) ORDER BY id FOR UPDATE`;
  if (open.length === 0) return;
  const ids = await tx.$queryRaw<{ id: number }[]>`
    SELECT nextval(pg_get_serial_sequence('users', 'id'))::int AS id FROM generate_series(1, ${open.length}::int)`;
  const of = (at: number) => ids[at]?.id ?? 0;
  await tx.user.createMany({ data: open.map((one, at) => ({ id: of(at), ...placeholder(one, secret) })) });
  await tx.$executeRaw`
    UPDATE import_source_users s SET placeholder_user_id = made.user_id, updated_at = now(),
      status = CASE WHEN s.status = 'completed' THEN 'pending_reassignment' ELSE s.status END
    FROM unnest(${open.map(({ id }) => id)}::int[], ${open.map((_, at) => of(at))}::int[]) made (id, user_id) WHERE s.id = made.id`;
}

/** The account of a placeholder: nobody can sign in as it, and it has no namespace. */
function placeholder({ hostname, username, name }: Pick<SourceUser, 'hostname' | 'username' | 'name'>, secret: string) {
  const token = newToken();
  const part = randomBytes(5).toString('hex');
  const base =
    username
      .replace(/[^\w.-]+/g, '')
      .replace(/^[._-]+/, '')
      .slice(0, MAX_BASE_LENGTH) || 'user';
  return {
    username: `${base}_placeholder_${part}`,
    name,
    email: `placeholder-${part}-${randomBytes(8).toString('hex')}@placeholder.invalid`,
    bio: 'Stands in the place of a user of what was imported.',
    state: 'blocked' as const,
    ghost: true,
    placeholderSource: hostname,
    external: true,
    canCreateGroup: false,
    projectsLimit: 0,
    passwordHash: hashOfNobody(),
    privateTokenHash: tokenHash(token),
    privateTokenEncrypted: encrypt(token, secret),
  };
}
