import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { maskError } from '#schema/errors.ts';
import { formatSignature, parseSignature } from '#src/git/objects/signature.ts';
import { redactUrl } from '#src/platform/log.ts';
import { trimEnds } from '#src/platform/text.ts';
import { pathFrom } from '#src/projects/values.ts';

const LONG = 1_000_000;

/** Each of these took minutes by patterns that try every place of a run again. */
const CASES: [string, () => unknown, unknown][] = [
  ['a path of slashes', () => trimEnds(`${'/'.repeat(LONG)}x`, '/'), 'x'],
  ['a name of dashes', () => pathFrom(`a${'-_'.repeat(LONG)}b`).length, 2 * LONG + 2],
  ['the line of an author with digits', () => parseSignature(`A <a@b> ${'1'.repeat(LONG)}x`).seconds, 0],
  [
    'an author of commas',
    () => formatSignature({ name: `a${','.repeat(LONG)}b`, email: 'a@b', seconds: 0, offset: 0 }).length,
    LONG + 16,
  ],
  ['a query of question marks', () => redactUrl(`/${'?'.repeat(LONG)}`).length, LONG + 1],
  ['a query of secret words', () => redactUrl(`/?${'token'.repeat(LONG / 5)}`).length, LONG + 2],
  [
    'a message that repeats a value',
    () => maskError(new GraphQLError(`"${'token'.repeat(LONG)}`), () => undefined).message.length,
    2001,
  ],
];

describe('Long input is read in time by its length:', () => {
  it.each(CASES)('%s', (_name, work, result) => {
    const begun = performance.now();
    expect(work()).toBe(result);
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it('secrets stay hidden in messages that are cut off', () => {
    const secret = 's3cret '.repeat(1000);
    const { message } = maskError(new GraphQLError(`Value { password: "${secret}" } is wrong`), () => undefined);
    expect(message).not.toContain('s3cret');
  });
});
