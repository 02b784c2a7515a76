import { GUEST, REPORTER } from '#src/access/permissions/abilities.ts';
import { featureThere } from '#src/access/permissions/features.ts';
import { projectAccessLevel } from '#src/access/permissions/visibility.ts';
import type { Change, Subject } from '#src/domain/changes/change.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [user, project, namespace] = [alias('User', 'u'), alias('Project', 'p'), alias('Namespace', 'n')];

/** Users that an issue or merge request can be assigned to, or that can be asked to review it. */
export const MAX_ASSIGNEES = 200;

const TABLES = {
  Issue: { people: sql`issue_assignees`, subjectId: sql`issue_id` },
  MergeRequest: { people: sql`merge_request_assignees`, subjectId: sql`merge_request_id` },
} as const;

/** A SQL expression for an array of the IDs of a record's assignees, in their order. */
export function assigneesOf(type: Subject['type'], id: Prisma.Sql | number): Prisma.Sql {
  const { people, subjectId } = TABLES[type];
  return sql`ARRAY(SELECT pa.user_id FROM ${people} pa WHERE pa.${subjectId} = ${id} ORDER BY pa.position)`;
}

/**
 * Replaces the assignees of a locked issue or merge request, whose column `assignee_id` the caller must set to the first of them
 * afterwards. Returns the change, if it is one.
 */
export async function setAssignees(
  tx: Transaction,
  { type, id }: Pick<Subject, 'type' | 'id'>,
  to: readonly number[],
): Promise<Change[]> {
  const { people, subjectId } = TABLES[type];
  const [{ from }] = await tx.$queryRaw<[{ from: number[] }]>`SELECT ${assigneesOf(type, id)} AS "from"`;
  if (from.length === to.length && from.every((userId, index) => userId === to[index])) return [];
  await tx.$executeRaw`DELETE FROM ${people} WHERE ${subjectId} = ${id}`;
  await tx.$executeRaw`
    INSERT INTO ${people} (${subjectId}, user_id, position)
    SELECT ${id}, a.user_id, a.place - 1 FROM unnest(${[...to]}::int[]) WITH ORDINALITY a (user_id, place)`;
  return [{ kind: 'assignees', from, to }];
}

/** Adds the further assignees of a new issue or merge request: a trigger has added the first, which its column names. */
export async function addFurtherAssignees(
  tx: Transaction,
  { type, id }: Pick<Subject, 'type' | 'id'>,
  userIds: readonly number[],
): Promise<void> {
  if (userIds.length < 2) return;
  const { people, subjectId } = TABLES[type];
  await tx.$executeRaw`
    INSERT INTO ${people} (${subjectId}, user_id, position)
    SELECT ${id}, a.user_id, a.place FROM unnest(${userIds.slice(1)}::int[]) WITH ORDINALITY a (user_id, place)`;
}

/** The IDs of those users, each once and in the given order, who can read such records of the project; none blocked. */
export async function involvable(
  db: Pick<Db, '$queryRaw'>,
  type: Subject['type'],
  { id: projectId }: { id: number },
  userIds: readonly number[],
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const open = sql`(${project.visibility} = 'public' OR (${project.visibility} = 'internal' AND NOT ${user.external}))`;
  const needed = type === 'Issue' ? GUEST : REPORTER;
  const isOpen = featureThere(type === 'Issue' ? 'issues' : 'mergeRequests', project, false);
  const found = await db.$queryRaw<{ id: number }[]>`
    SELECT ${user.id} FROM ${table(user)} JOIN ${table(project)} ON ${project.id} = ${projectId}
    JOIN ${table(namespace)} ON ${namespace.id} = ${project.namespaceId}
    WHERE ${user.id} = ANY(${[...userIds]}::int[]) AND ${user.state} = 'active' AND NOT ${user.ghost}
      AND (${user.admin} OR (${open} AND ${isOpen}) OR ${projectAccessLevel({ id: user.id }, project, namespace)} >= ${needed})`;
  const readers = new Set(found.map(({ id }) => id));
  return [...new Set(userIds)].filter((id) => readers.has(id));
}

/** The IDs of the users with these usernames, in any case, in the given order; unknown ones are left out. */
export async function usersNamed(db: Pick<Db, '$queryRaw'>, usernames: readonly string[]): Promise<number[]> {
  const lower = usernames.map((name) => name.replace(/^@/, '').toLowerCase());
  const found = await db.$queryRaw<{ id: number; name: string }[]>`
    SELECT ${user.id}, lower(${user.username}) AS name FROM ${table(user)} WHERE lower(${user.username}) = ANY(${lower}::text[])`;
  const ids = new Map(found.map(({ id, name }) => [name, id]));
  return lower.flatMap((name) => ids.get(name) ?? []);
}

/** The given IDs or usernames without 0, which stands for nobody, each once. Throws ValidationFailed for too many. */
export function namedPeople<Name extends number | string>(people: readonly Name[], parameter: string): Name[] {
  const named = [...new Set(people)].filter((one) => one !== 0);
  if (named.length > MAX_ASSIGNEES) {
    throw new ValidationFailed({
      [parameter]: [`has too many users (maximum is ${MAX_ASSIGNEES})`],
    } satisfies FieldErrors);
  }
  return named;
}
