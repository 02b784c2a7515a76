import type { TestOptions } from 'vitest';

/** Tests that `npm test` leaves to `npm run test:system`. */
export const LONG = { tags: ['long'] } satisfies TestOptions;

/** Every nth of the cases for each run, and the others for the long one: with the options of their tests. */
export function everyNth<Case>(n: number, cases: readonly Case[]): [TestOptions, Case[]][] {
  const quick = cases.filter((_, at) => at % n === 0);
  return [
    [{}, quick],
    [LONG, cases.filter((_, at) => at % n !== 0)],
  ];
}
