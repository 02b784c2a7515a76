import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { GeneratedSources } from './generated_sources.ts';
import { findMissingPackage } from './installed.ts';

/**
 * Generates again what `npm run generate` makes, where its sources have changed since: after `git pull`, another branch, or an
 * installation without scripts. Takes some milliseconds where nothing is to be done.
 *
 * @throws Error that says what to do when the packages have changed as well, or when generating fails
 */
export function ensureGenerated(root = path.dirname(import.meta.dirname)): void {
  if (new GeneratedSources(root).isFresh()) return;
  const missing = findMissingPackage(root);
  if (missing !== null) {
    throw new Error(`The installed packages do not match package-lock.json (${missing} is missing). Run \`npm ci\`.`);
  }
  process.stderr.write('The sources have changed: generating code, which takes some seconds.\n');
  // The standard output belongs to the command that comes after this.
  const script = path.join(root, 'scripts/generate.ts');
  const { status } = spawnSync(process.execPath, [script, '--if-stale'], { stdio: ['ignore', 2, 2], cwd: root });
  if (status !== 0)
    throw new Error('The code could not be generated. Run `npm ci`, and `npm run generate` to see what is wrong.');
}

if (import.meta.main) {
  try {
    ensureGenerated();
  } catch (error) {
    process.stderr.write(`gantry: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
