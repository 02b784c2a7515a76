import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

declare module '#src/platform/records/computed_fields.ts' {
  interface ComputedFields {
    User: {
      /** MD5 of the primary address, under which the avatar service knows the user. */
      avatarHash: string;
      /** Whether the limit leaves room for another personal project. */
      canCreateProject: boolean;
      /** The primary address, for where every reader sees it, as that of the author of a comment on a commit. */
      shownEmail: string;
    };
  }
}

const { sql } = Prisma;
const [namespace, project] = [alias('Namespace', 'dn'), alias('Project', 'dp')];

computedFields('User', {
  avatarHash: ({ email }) => sql`md5(lower(${email}))`,
  canCreateProject: ({ id, projectsLimit }) => sql`(${projectsLimit} > (SELECT count(*) FROM ${table(namespace)}
    JOIN ${table(project)} ON ${project.namespaceId} = ${namespace.id}
    WHERE ${namespace.ownerId} = ${id} AND ${project.deletedAt} IS NULL))`,
  shownEmail: ({ email }) => email,
});
