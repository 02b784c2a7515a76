import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

const files = globSync(usual.test?.include ?? []).filter((file) =>
  /\b(LONG|everyNth|itEveryNth)\b|@module-tag long/.test(readFileSync(file, 'utf8')),
);

/** The tests that `npm test` leaves out because they take long. */
export default defineConfig({
  ...usual,
  test: { ...usual.test, include: [...files, 'test/access/{projects,groups}.test.ts'] },
});
