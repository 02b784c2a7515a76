import { Prisma } from '#src/platform/database/db.ts';
import { alias, table, whole } from '#src/platform/records/alias.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql, raw } = Prisma;
const user = alias('User', 'one');

/** The user fields that records about a user include, besides the user itself. */
const BRIEF = select('User', {
  ...{ id: true, username: true, name: true, state: true, placeholderSource: true },
  ...{ avatarHash: true, avatarKey: true },
});

/** All fields of the type. */
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
    bot: true,
    serviceAccount: true,
    publicEmail: true,
    commitEmail: true,
    privateProfile: true,
    note: true,
    pronouns: true,
    jobTitle: true,
    discord: true,
    github: true,
    themeId: true,
    timezone: true,
    preferredLanguage: true,
    locked: true,
    signInCount: true,
    currentSignInIp: true,
    lastSignInIp: true,
    namespace: { id: true },
    createdBy: { id: true, username: true, name: true, state: true, avatarHash: true, avatarKey: true },
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

/** A user in a row of a handwritten statement. */
export type UserRow = typeof BRIEF.row;

/**
 * A user as JSON, in a handwritten statement, from the row under a table alias; null if the outer join found none.
 *
 * @param selection the fields; all of the type when absent
 */
export function userJson(of: string, selection: Selection<'User'> = WHOLE): Prisma.Sql {
  const from = sql`SELECT ${whole(user)} FROM ${table(user)} WHERE ${user.id} = ${raw(`${of}.id`)}`;
  return sql`(${rowsJson(BRIEF.with(selection), { from, order: ({ id }) => id })} -> 0)`;
}
