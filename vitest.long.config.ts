import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest_first.ts';
import usual from './vitest.config.ts';

const files = globSync(usual.test?.include ?? []).filter((file) =>
  /\b(LONG|everyNth|itEveryNth)\b|@module-tag long/.test(readFileSync(file, 'utf8')),
);

const longest = [
  'access/projects_code',
  'access/projects_tracking',
  'access/projects',
  'rest/odd_input',
  'web/ssh_git',
  'access/server',
  'access/leaks',
  'src/maintain',
  'src/backup',
  'src/git_reader',
  'rest/git_push_limits',
  'rest/git_remote_many',
];

/** The tests that `npm test` leaves out because they take long. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: [...files, 'test/access/{projects,projects_code,projects_tracking,groups}.test.ts'],
    sequence: { sequencer: longestFirst(longest) },
    // Some write hundreds of megabytes, or walk the whole schema, beside others.
    testTimeout: 240_000,
  },
});
