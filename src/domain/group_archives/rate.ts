import type { Context } from '#src/access/permissions/actor.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';
import { RateLimited } from '#src/platform/errors.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';

/** How often a user may ask for exports and imports of groups: six times at once, and six times a minute. */
const RATE = { perSecond: 0.1, atOnce: 6 };
const askedOn = ofEachDatabase(() => new LeakyBucket(RATE, 10_000));

/** Throws RateLimited for a user who asks for archives again and again. */
export function requireSeldom({ db }: Pick<Context, 'db'>, userId: number): void {
  const asked = askedOn(db);
  if (!asked.tryTake(userId)) throw new RateLimited(Math.ceil(asked.wait(userId) / 1_000));
}
