import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ASTNode, parse, print, visit } from 'graphql';
import { breakingChanges } from './breaking_changes.ts';

/**
 * Refuses a change of schema/schema.graphql that breaks clients of the last release (schema/released.graphql), unless
 * schema/accepted_changes.txt has it. `--release` makes the current schema the released one.
 */
const folder = path.resolve(import.meta.dirname, '../schema');
const released = path.join(folder, 'released.graphql');
const current = path.join(folder, 'schema.graphql');
const accepted = path.join(folder, 'accepted_changes.txt');

if (process.argv.includes('--release')) {
  writeFileSync(released, `${withoutDescriptions(readFileSync(current, 'utf8'))}\n`);
  const comment = (line: string) => line.startsWith('#');
  writeFileSync(accepted, `${readFileSync(accepted, 'utf8').split('\n').filter(comment).join('\n')}\n`);
} else {
  const [before, now, known] = [released, current, accepted].map((file) => readFileSync(file, 'utf8'));
  const broken = breakingChanges(before ?? '', now ?? '', known ?? '');
  if (broken.length > 0) {
    process.stderr.write(`The schema breaks clients of the last release:\n\n${broken.join('\n')}\n\n`);
    process.stderr.write(
      'Where that is meant, add these lines to schema/accepted_changes.txt, and a line to CHANGELOG.md.\n',
    );
    process.exitCode = 1;
  }
}

/** What clients can break on: descriptions may change. */
function withoutDescriptions(sdl: string): string {
  const bare = (node: ASTNode) => ('description' in node ? { ...node, description: undefined } : undefined);
  return print(visit(parse(sdl), { enter: bare }));
}
