import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import usual from './vitest.config.ts';

const files = globSync(usual.test?.include ?? []).filter((file) =>
  /\b(LONG|everyNth|itEveryNth)\b|@module-tag long/.test(readFileSync(file, 'utf8')),
);

/** What takes a minute and more: begun last, each would keep a worker busy when the others have nothing left to do. */
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
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(all: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.endsWith(name));
    const others = all.filter((file) => !isLongest(file));
    return [...all.filter(isLongest), ...(await super.sort(others))];
  }
}

/** The tests that `npm test` leaves out because they take long. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: [...files, 'test/access/{projects,projects_code,projects_tracking,groups}.test.ts'],
    sequence: { sequencer: LongestFirst },
  },
});
