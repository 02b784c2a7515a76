import { readFileSync } from 'node:fs';
import type { Recorded } from '../support/record_files.ts';

/** For the end of `.ci/run`: prints the ten slowest files of tests of a record. */
const [record = ''] = process.argv.slice(2);

const seconds = new Map<string, number>();
for (const line of readFileSync(record, 'utf8').split('\n').slice(0, -1)) {
  const recorded: Recorded = JSON.parse(line);
  // A file that has long tests runs twice.
  if ('ended' in recorded) seconds.set(recorded.ended, (seconds.get(recorded.ended) ?? 0) + recorded.seconds);
}
const slowest = [...seconds].toSorted(([, one], [, other]) => other - one).slice(0, 10);
for (const [file, time] of slowest) console.log(`${time.toFixed(0).padStart(6)} s  ${file}`);
