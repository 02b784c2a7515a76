import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { breakingChanges } from './breaking_changes.ts';
import { deprecationProblems } from './deprecations.ts';
import { graphqlChanges, withReleased } from './graphql_changes.ts';
import { asReleased, releasedVersion } from './released_schema.ts';

/**
 * Refuses a change of schema/schema.graphql that breaks clients of the last release (schema/released.graphql), unless
 * schema/accepted_changes.txt has it, and a deprecation that does not say when it may go. What is deprecated goes in the version that the
 * deprecation names, and not before. The last release is the version of package.json. `--release` makes the current schema
 * the released one (`npm version` runs it), and keeps what it changed under its version in docs/graphql-changelog.md; `--released` refuses any difference between the two, before a version goes out.
 */
const root = path.resolve(import.meta.dirname, '..');
const RELEASED = 'schema/released.graphql';
const ACCEPTED = 'schema/accepted_changes.txt';
const CHANGELOG = 'docs/graphql-changelog.md';
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const write = (file: string, text: string) => writeFileSync(path.join(root, file), text);

const { version }: { version: string } = JSON.parse(read('package.json'));
const current = read('schema/schema.graphql');

if (process.argv.includes('--release')) {
  if (version !== releasedVersion(read(RELEASED))) {
    write(CHANGELOG, withReleased(read(CHANGELOG), version, graphqlChanges(read(RELEASED), current)));
  }
  write(RELEASED, asReleased(current, version));
  write(ACCEPTED, `${read(ACCEPTED).split('\n\n')[0]?.trimEnd()}\n`);
} else {
  const problem = whatIsWrong();
  if (problem !== null) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
  }
}

function whatIsWrong(): string | null {
  const before = read(RELEASED);
  const mend = 'Run node scripts/check-schema.ts --release, and commit what it writes.';
  if (releasedVersion(before) !== version) {
    return `${RELEASED} is of version ${releasedVersion(before)}, and package.json of ${version}. ${mend}`;
  }
  if (process.argv.includes('--released')) {
    return before === asReleased(current, version) ? null : `${RELEASED} is not the schema of this version. ${mend}`;
  }
  const undated = deprecationProblems(before, current);
  if (undated.length > 0) return `Deprecations do not say when they may go:\n\n${undated.join('\n')}`;
  const broken = breakingChanges(before, current, read(ACCEPTED), version);
  if (broken.length === 0) return null;
  return (
    `The schema breaks clients of version ${version}:\n\n${broken.join('\n')}\n\n` +
    'Where that is meant, add these lines to schema/accepted_changes.txt, and a line to CHANGELOG.md.'
  );
}
