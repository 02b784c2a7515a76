import { RECORD } from '../support/record_files.ts';
import { runTests } from '../support/test_runs.ts';

/**
 * `npm run test:system`: what `npm test` leaves out as it takes long, then whole processes. Files as arguments run alone; of `TEST_SHARE=1/2`
 * runs the first half of all files, of `2/2` the other.
 */
const files = process.argv.slice(2);
const { TEST_SHARE: share } = process.env;
const maybe = files.length > 0 ? ['--passWithNoTests'] : [];

const { passed, lines } = await runTests(
  [
    { config: 'vitest.long.config.ts', args: ['--tagsFilter=long', ...maybe], files, share },
    { config: 'vitest.system.config.ts', args: maybe, files, share },
  ],
  { record: process.env[RECORD] },
);
console.log(`\n${lines.join('\n')}`);
process.exitCode = passed ? 0 : 1;
