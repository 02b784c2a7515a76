import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { AwardableType } from '#src/domain/tracking/awards/awardable.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const [award, user] = [alias('AwardEmoji', 'a'), alias('User', 'u')];

/** How many of those who gave an emoji are named. */
const NAMED = 10;

/** The awards of one name on a record. */
export interface Reaction {
  /** The name of the emoji, without colons. */
  name: string;
  count: number;
  /** Names of the first users who gave it. */
  people: string[];
  /** The award of the actor. */
  ownId: number | null;
}

/** The awards on each of the records by their names, in the order of the first of each, in one statement. The caller has checked that the records are visible. */
export async function listReactionsOn(
  context: Context,
  type: AwardableType,
  ids: readonly number[],
): Promise<Reaction[][]> {
  const actor = readerOf(context);
  const found = await context.db.$queryRaw<(Reaction & { subjectId: number })[]>`
    SELECT ${award.subjectId} AS "subjectId", ${award.name}, count(*)::int AS count,
      (array_agg(${user.name} ORDER BY ${award.id}))[1:${NAMED}::int] AS people,
      min(${award.id}) FILTER (WHERE ${award.userId} = ${actor?.id ?? 0}::int) AS "ownId"
    FROM ${table(award)} JOIN ${table(user)} ON ${user.id} = ${award.userId}
    WHERE ${award.subjectType} = ${type} AND ${award.subjectId} = ANY(${[...ids]}::int[])
    GROUP BY ${award.subjectId}, ${award.name} ORDER BY min(${award.id})`;
  const bySubject = Map.groupBy(found, ({ subjectId }) => subjectId);
  return ids.map((id) => bySubject.get(id) ?? []);
}
