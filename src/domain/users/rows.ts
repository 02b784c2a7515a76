import { Prisma } from '#src/platform/database/db.ts';
import { alias, table, whole } from '#src/platform/records/alias.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql, raw } = Prisma;
const user = alias('User', 'one');

/** What records about a user show of that user, beside the user itself. */
const BRIEF = select('User', { id: true, username: true, name: true, state: true, avatarHash: true, avatarKey: true });

/** All that the type shows. */
export const WHOLE = BRIEF.with(
  select('User', {
    createdAt: true,
    admin: true,
    bio: true,
    location: true,
    skype: true,
    linkedin: true,
    twitter: true,
    websiteUrl: true,
    organization: true,
    email: true,
    lastSignInAt: true,
    currentSignInAt: true,
    confirmedAt: true,
    lastActivityOn: true,
    colorSchemeId: true,
    projectsLimit: true,
    canCreateGroup: true,
    canCreateProject: true,
    twoFactorEnabled: true,
    external: true,
    identities: { id: true, provider: true, externUid: true },
  }),
);

/** A user within a row of a statement that is written by hand. */
export type UserRow = typeof BRIEF.row;

/**
 * A user as JSON, in a statement that is written by hand, by the row under a table alias; null when the outer join found none.
 *
 * @param selection what of it; all that the type shows when nothing is said
 */
export function userJson(of: string, selection: Selection<'User'> = WHOLE): Prisma.Sql {
  const from = sql`SELECT ${whole(user)} FROM ${table(user)} WHERE ${user.id} = ${raw(`${of}.id`)}`;
  return sql`(${rowsJson(BRIEF.with(selection), { from, order: ({ id }) => id })} -> 0)`;
}
