import { DEVELOPER, MASTER, OWNER } from '#src/access/permissions/abilities.ts';
import { projectAccessLevel } from '#src/access/permissions/visibility.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** The account that an owner is, or the access level of those who are meant: one of the three is known. */
export interface ResolvedOwner {
  userId: number | null;
  groupId: number | null;
  role: number | null;
}

const ROLES: Readonly<Record<string, number>> = { developer: DEVELOPER, maintainer: MASTER, owner: OWNER };

/**
 * The users, groups and roles that owners in a file of a project are, by how they are written, in one statement; those that are nobody are
 * missing. Groups are those around the project, and those that it is shared with; addresses find developers of the project alone, as they tell
 * who has them. Roles are those of members, `@@developers`, and are left to whoever asks who has them.
 */
export async function resolveOwners(
  db: Pick<Db, '$queryRaw'> | Transaction,
  projectId: number,
  owners: Iterable<string>,
): Promise<Map<string, ResolvedOwner>> {
  const all = [...new Set(owners)];
  const isRole = (owner: string) => owner.startsWith('@@');
  const accounts = await resolveAccounts(
    db,
    projectId,
    all.filter((owner) => !isRole(owner)),
  );
  for (const owner of all) {
    const role = isRole(owner) ? roleNamed(owner) : undefined;
    if (role !== undefined) accounts.set(owner, { userId: null, groupId: null, role });
  }
  return accounts;
}

/** The access level that `@@maintainer` or `@@maintainers` stands for, in any case; undefined for words that are no role. */
function roleNamed(owner: string): number | undefined {
  const name = owner.slice(2).toLowerCase().replace(/s$/, '');
  return Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
}

async function resolveAccounts(
  db: Pick<Db, '$queryRaw'> | Transaction,
  projectId: number,
  all: readonly string[],
): Promise<Map<string, ResolvedOwner>> {
  if (all.length === 0) return new Map();
  const level = projectAccessLevel(
    { id: sql`mail.id` },
    { id: sql`p.id` },
    { ownerId: sql`n.owner_id`, lineage: sql`n.lineage` },
  );
  const found = await db.$queryRaw<{ text: string; userId: number | null; groupId: number | null }[]>`
    SELECT w.text, COALESCE(u.id, mail.id) AS "userId", CASE WHEN u.id IS NULL THEN g.id END AS "groupId"
    FROM unnest(${[...all]}::text[]) AS w (text) JOIN projects p ON p.id = ${projectId} JOIN namespaces n ON n.id = p.namespace_id
      LEFT JOIN users u ON w.text LIKE '@%' AND lower(u.username) = lower(substr(w.text, 2)) AND NOT u.ghost
      LEFT JOIN LATERAL (SELECT e.id FROM users e WHERE w.text NOT LIKE '@%' AND NOT e.ghost
          AND lower(e.email) = lower(w.text) AND e.confirmed_at IS NOT NULL
        UNION ALL SELECT e.user_id FROM emails e WHERE w.text NOT LIKE '@%' AND lower(e.email) = lower(w.text)
          AND e.confirmed_at IS NOT NULL LIMIT 1) mail ON ${level} >= ${DEVELOPER}
      LEFT JOIN namespaces g ON w.text LIKE '@%' AND g.kind = 'group' AND g.deleted_at IS NULL
        AND lower(g.full_path) = lower(substr(w.text, 2)) AND (
          g.id = ANY(n.lineage) OR EXISTS (SELECT 1 FROM project_shares s WHERE s.project_id = p.id AND s.group_id = g.id))
    WHERE u.id IS NOT NULL OR mail.id IS NOT NULL OR g.id IS NOT NULL`;
  return new Map(found.map(({ text, userId, groupId }) => [text, { userId, groupId, role: null }]));
}

/** The roles among owners, each once, the lowest first. */
export function rolesOf(owners: readonly ResolvedOwner[]): number[] {
  return [...new Set(owners.flatMap(({ role }) => role ?? []))].sort((one, other) => one - other);
}
