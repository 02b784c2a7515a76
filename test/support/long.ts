import { it, type TestOptions } from 'vitest';

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

type Test<Given extends readonly unknown[]> = (name: string, test: (...given: Given) => Promise<void> | void) => void;

/** `it.each` for every nth of the cases in each run, and for the others in the long one. */
export function itEveryNth<Case extends readonly unknown[] | [unknown]>(
  n: number,
  cases: readonly Case[],
): Test<[...Case]>;
export function itEveryNth<Case>(n: number, cases: readonly Case[]): Test<[Case]>;
export function itEveryNth(n: number, cases: readonly unknown[]): Test<unknown[]> {
  return (name, test) => {
    for (const [options, some] of everyNth(n, cases)) it.each(some)(name, options, test);
  };
}
