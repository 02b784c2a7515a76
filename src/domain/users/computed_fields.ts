import { ACCOUNT_LIMIT, WINDOW } from '#src/access/sign_in/attempts.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const [namespace, project] = [alias('Namespace', 'dn'), alias('Project', 'dp')];

/** Public keys of a user that are told to everyone, of each kind. */
const MAX_KEYS = 100;

computedFields('User', {
  avatarHash: ({ email }) => sql`md5(lower(${email}))`,
  canCreateProject: ({ id, projectsLimit }) => sql`(${projectsLimit} > (SELECT count(*) FROM ${table(namespace)}
    JOIN ${table(project)} ON ${project.namespaceId} = ${namespace.id}
    WHERE ${namespace.ownerId} = ${id} AND ${project.deletedAt} IS NULL))`,
  shownEmail: ({ email }) => email,
  followersCount: ({ id }) => sql`(SELECT count(*)::int FROM user_follows uf WHERE uf.followed_id = ${id})`,
  followingCount: ({ id }) => sql`(SELECT count(*)::int FROM user_follows uf WHERE uf.follower_id = ${id})`,
  // Whom nobody can be, because the account is blocked, is let in nowhere else by these keys either.
  sshPublicKeys: ({
    id,
    state,
  }) => sql`ARRAY(SELECT split_part(uk.key, ' ', 1) || ' ' || split_part(uk.key, ' ', 2) FROM ssh_keys uk
    WHERE uk.user_id = ${id} AND uk.usage_type <> 'signing' AND (uk.expires_at IS NULL OR uk.expires_at > now())
      AND ${state} = 'active' ORDER BY uk.id LIMIT ${MAX_KEYS})`,
  gpgPublicKeys: ({
    id,
    email,
    confirmedAt,
  }) => sql`ARRAY(SELECT ug.key FROM gpg_keys ug WHERE ug.user_id = ${id} AND NOT ug.revoked
    AND ((${confirmedAt} IS NOT NULL AND lower(${email}) = ANY(ug.emails)) OR EXISTS (SELECT 1 FROM emails um
      WHERE um.user_id = ${id} AND um.confirmed_at IS NOT NULL AND lower(um.email) = ANY(ug.emails))) ORDER BY ug.id LIMIT ${MAX_KEYS})`,
  locked: ({ id }) => sql`EXISTS (SELECT 1 FROM sign_in_failures sf
    WHERE sf.key = 'account #' || ${id} AND sf.count >= ${ACCOUNT_LIMIT} AND sf.since > now() - make_interval(secs => ${WINDOW}))`,
});
