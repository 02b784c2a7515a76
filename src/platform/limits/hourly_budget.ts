import { LRUCache } from 'lru-cache';
import { RateLimited } from '#src/platform/errors.ts';

const HOUR = 60 * 60 * 1_000;

/** Callers that are remembered: those who asked last. */
const REMEMBERED = 50_000;

/** What a caller has used of a budget. */
export interface BudgetState {
  limit: number;
  /** In this hour, with what was just taken. */
  used: number;
  /** At least 0. */
  remaining: number;
  /** When the hour ends, which began with the first use. */
  resetAt: Date;
}

/** A budget of points per hour for each caller, which is any text. Each process counts by itself. */
export class HourlyBudget {
  readonly #hours = new LRUCache<string, { begun: number; used: number }>({ max: REMEMBERED });

  /**
   * Takes points; what exceeds the limit is taken in whole once, so that a caller with anything left can do anything.
   *
   * @throws RateLimited when nothing is left
   */
  take(caller: string, points: number, limit: number, now = Date.now()): BudgetState {
    const known = this.#hours.get(caller);
    const hour = known && now < known.begun + HOUR ? known : { begun: now, used: 0 };
    const resetAt = new Date(hour.begun + HOUR);
    if (hour.used >= limit) {
      const seconds = Math.max(1, Math.ceil((resetAt.getTime() - now) / 1_000));
      throw new RateLimited(seconds, `The ${limit} points of this hour are used up. Try again in ${seconds} seconds.`);
    }
    hour.used += points;
    this.#hours.set(caller, hour);
    return { limit, used: hour.used, remaining: Math.max(0, limit - hour.used), resetAt };
  }
}
