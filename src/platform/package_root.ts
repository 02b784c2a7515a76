import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The directory that holds Gantry's `package.json`: the checkout, or the installed package, whose JavaScript lies one level
 * deeper, in `dist/`.
 */
export const packageRoot = findRoot(import.meta.dirname);

/** Absolute path of a file that the package ships, e.g. `packagePath('schema/schema.graphql')`. */
export function packagePath(relative: string): string {
  return path.join(packageRoot, relative);
}

/** The version in Gantry's `package.json`. */
export function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  return manifest.version;
}

/** The commit of the checkout, or the one from which the package was made; `unknown` without either. */
export function packageRevision(): string {
  const manifest: { gitHead?: string } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  return manifest.gitHead ?? headOf(packagePath('.git')) ?? 'unknown';
}

function headOf(directory: string): string | undefined {
  const read = (name: string) => readFileSync(path.join(directory, name), 'utf8').trim();
  try {
    const head = read('HEAD');
    const branch = /^ref: (.+)$/.exec(head)?.[1];
    if (branch === undefined) return head;
    if (existsSync(path.join(directory, branch))) return read(branch);
    return read('packed-refs')
      .split('\n')
      .find((line) => line.endsWith(` ${branch}`))
      ?.split(' ')[0];
  } catch {
    return undefined;
  }
}

/** The `dist/` of a package has a `package.json` too, for its subpath imports, but no migrations. */
function findRoot(directory: string): string {
  if (existsSync(path.join(directory, 'prisma', 'migrations'))) return directory;
  const parent = path.dirname(directory);
  if (parent === directory) throw new Error('The files of Gantry are incomplete: prisma/migrations was not found');
  return findRoot(parent);
}
