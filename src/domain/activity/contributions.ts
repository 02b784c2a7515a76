import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { seenPlaces } from '#src/access/permissions/places.ts';
import { seenBy } from '#src/domain/activity/list_events.ts';
import { activityVisible } from '#src/domain/users/private_profile.ts';
import { Prisma, queryRows } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

const { sql } = Prisma;

/** How many events a user caused on a day (UTC) that has any. */
export interface ContributionDay {
  /** `YYYY-MM-DD`. */
  day: string;
  count: number;
}

/** The most days that are counted at once. */
const MAX_DAYS = 366;

const DAY = 24 * 3600 * 1000;

/**
 * The events of each user by day, in order, as far as the actor may see them.
 *
 * @param since first day; a year before `until` when absent
 * @param until last day; today when absent
 * @throws ValidationFailed for more than 366 days
 */
export async function countContributions(
  context: Context,
  userIds: readonly number[],
  { since, until }: { since?: string | null | undefined; until?: string | null | undefined },
): Promise<ContributionDay[][]> {
  const actor = readerOf(context);
  const last = until ?? new Date().toISOString().slice(0, 10);
  const first = since ?? new Date(Date.parse(last) - (MAX_DAYS - 1) * DAY).toISOString().slice(0, 10);
  if (Date.parse(last) - Date.parse(first) >= MAX_DAYS * DAY) {
    throw new ValidationFailed({ since: [`must be at most ${MAX_DAYS - 1} days before the last day`] });
  }
  const found = await queryRows<ContributionDay & { author: number }>(
    context.db,
    sql`WITH ${seenPlaces(actor)}
      SELECT e.author_id AS author, to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*)::int AS count
      FROM events e WHERE e.author_id = ANY(${[...userIds]}::int[]) AND ${seenBy(actor)}
        AND ${activityVisible(actor, sql`e.author_id`)}
        AND e.created_at >= (${first}::date)::timestamp AT TIME ZONE 'UTC'
        AND e.created_at < (${last}::date + 1)::timestamp AT TIME ZONE 'UTC'
      GROUP BY 1, 2 ORDER BY 2`,
  );
  const byUser = Map.groupBy(found, ({ author }) => author);
  return userIds.map((id) => (byUser.get(id) ?? []).map(({ day, count }) => ({ day, count })));
}
