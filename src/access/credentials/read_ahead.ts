import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Prisma } from '#src/platform/database/db.ts';

/** An expression that a request read after its first one, and how many characters of JSON that gave. */
interface FollowUp {
  json: Prisma.Sql;
  size: number;
}

interface Habit {
  followUps: readonly FollowUp[];
  /** How often in a row they were the same. */
  times: number;
}

/** The most that is read ahead: expressions, characters of them, and of their JSON. One whose JSON has become longer is read alone. */
export const LIMITS = { expressions: 3, text: 16 * 1024, json: 256 * 1024 };

/** By hashes of names of requests. Clients make these up: all together take no more than so many characters. */
const habits = new LRUCache<string, Habit>({
  max: 1_000,
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: ({ followUps }) => charactersOf(followUps),
});

/**
 * What a request reads after its first statement, as it did the last times that it came: the lists below the records that the
 * first one finds. The first statement reads this too, and the result is used if the request asks for exactly the same, by text and by
 * values. The values contain whatever the request found out before: with other records or permissions it asks for something
 * else.
 */
export class ReadAhead {
  /** What to read in the first statement. */
  readonly expressions: readonly Prisma.Sql[];
  readonly #key: string;
  readonly #asked: FollowUp[] = [];

  /** @param names together the same for requests that ask for the same on behalf of the same caller, and for no others */
  constructor(...names: Uint8Array[]) {
    this.#key = hash('sha256', Buffer.concat(names), 'base64');
    const { followUps = [], times = 0 } = habits.get(this.#key) ?? {};
    this.expressions = times > 1 ? followUps.map(({ json }) => json) : [];
  }

  /** The place among the expressions of one that is wanted now; -1 for any other. */
  placeOf(json: Prisma.Sql): number {
    return this.expressions.findIndex((expected) => isSame(expected, json));
  }

  /** Called with what the request read after the first statement, and how many characters that was. */
  note(json: Prisma.Sql, size: number): void {
    this.#asked.push({ json, size });
  }

  /** Remembers what was read, for the next time. */
  keep(): void {
    const followUps = this.#asked;
    const before = habits.get(this.#key);
    if (!isWorthwhile(followUps)) this.forget();
    else if (before && isSameList(before.followUps, followUps)) before.times += 1;
    else habits.set(this.#key, { followUps, times: 1 });
  }

  /** Expects nothing the next time. */
  forget(): void {
    habits.delete(this.#key);
  }
}

function isWorthwhile(followUps: readonly FollowUp[]): boolean {
  if (followUps.length === 0 || followUps.length > LIMITS.expressions) return false;
  const size = followUps.reduce((sum, one) => sum + one.size, 0);
  return size <= LIMITS.json && charactersOf(followUps) <= LIMITS.text;
}

/** How many characters expressions and their values have. */
function charactersOf(followUps: readonly FollowUp[]): number {
  const parts = followUps.flatMap(({ json }) => [...json.strings, ...json.values.map(String)]);
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function isSameList(some: readonly FollowUp[], others: readonly FollowUp[]): boolean {
  return some.length === others.length && some.every(({ json }, index) => isSame(json, others[index]?.json));
}

function isSame(one: Prisma.Sql, other: Prisma.Sql | undefined): boolean {
  return (
    one === other || (isDeepStrictEqual(one.strings, other?.strings) && isDeepStrictEqual(one.values, other?.values))
  );
}
