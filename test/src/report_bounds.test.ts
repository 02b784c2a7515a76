import { expect, it } from 'vitest';
import { createLogger } from '#src/platform/observability/log.ts';
import { reporter } from '#src/platform/observability/report.ts';

it('tells twenty errors of one place in a minute, whatever their messages, and those of other places beside', () => {
  const lines: { err: { message: string } }[] = [];
  const report = reporter(createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }), 'unexpected');
  const fail = (text: string) => report(new Error(text));
  for (let n = 0; n < 1_000; n += 1) fail(`sent ${n}`);
  expect(lines).toHaveLength(20);
  report(new TypeError('another place'));
  expect(lines.map(({ err }) => err.message).at(-1)).toBe('another place');
});
