import { RECORD } from '../support/record_files.ts';
import { runTests } from '../support/test_runs.ts';

/** `npm run test:system`: what `npm test` leaves out as it takes long, then whole processes. Files as arguments run alone. */
const files = process.argv.slice(2);
const maybe = files.length > 0 ? ['--passWithNoTests'] : [];

const { passed, lines } = await runTests(
  [
    { config: 'vitest.long.config.ts', args: ['--tagsFilter=long', ...maybe], files },
    { config: 'vitest.system.config.ts', args: maybe, files },
  ],
  { record: process.env[RECORD] },
);
console.log(`\n${lines.join('\n')}`);
process.exitCode = passed ? 0 : 1;
