import { ACCOUNT_LIMIT, WINDOW } from '#src/access/sign_in/attempts.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const [namespace, project] = [alias('Namespace', 'dn'), alias('Project', 'dp')];

computedFields('User', {
  avatarHash: ({ email }) => sql`md5(lower(${email}))`,
  canCreateProject: ({ id, projectsLimit }) => sql`(${projectsLimit} > (SELECT count(*) FROM ${table(namespace)}
    JOIN ${table(project)} ON ${project.namespaceId} = ${namespace.id}
    WHERE ${namespace.ownerId} = ${id} AND ${project.deletedAt} IS NULL))`,
  shownEmail: ({ email }) => email,
  followersCount: ({ id }) => sql`(SELECT count(*)::int FROM user_follows uf WHERE uf.followed_id = ${id})`,
  followingCount: ({ id }) => sql`(SELECT count(*)::int FROM user_follows uf WHERE uf.follower_id = ${id})`,
  locked: ({ id }) => sql`EXISTS (SELECT 1 FROM sign_in_failures sf
    WHERE sf.key = 'account #' || ${id} AND sf.count >= ${ACCOUNT_LIMIT} AND sf.since > now() - make_interval(secs => ${WINDOW}))`,
});
