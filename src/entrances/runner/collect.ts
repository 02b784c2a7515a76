import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { BadPattern, fits, type Pattern, parsePattern } from '#src/entrances/runner/globs.ts';

/** Most files in one collection. */
const MAX_FILES = 200_000;

/** A file to archive. */
export interface Collected {
  /** Path below the directory, with slashes. */
  name: string;
  /** In bytes. */
  size: number;
  /** As returned by `stat`. */
  mode: number;
  modifiedAt: Date;
}

/**
 * The files of a directory that match patterns, including all files in matching directories. Symbolic links count as their
 * targets if those are in the directory too. `.git` is left out.
 *
 * @param say called with the reason why something is left out
 */
export async function collect(
  directory: string,
  patterns: readonly string[],
  say: (line: string) => void,
): Promise<Collected[]> {
  const root = await realpath(directory);
  const found = new Map<string, Collected>();
  const take = async (name: string) => {
    const file = await lookAt(root, name);
    if (file === null) return;
    if (file === 'outside') return say(`WARNING: ${name} leads out of the directory of the project, and is left out.`);
    if (found.size >= MAX_FILES) throw new Error(`There are more than ${MAX_FILES} files.`);
    found.set(name, file);
  };
  for (const text of patterns) {
    let count = 0;
    for await (const name of matching(root, '', patternOf(text, directory, say))) {
      count += 1;
      if (!found.has(name)) await take(name);
    }
    if (count === 0) say(`WARNING: ${text}: no matching files`);
  }
  return [...found.values()];
}

/** Like collect, for files given by name. */
export async function collectNamed(directory: string, names: readonly string[]): Promise<Collected[]> {
  const root = await realpath(directory);
  const files = await Promise.all(names.slice(0, MAX_FILES).map((name) => lookAt(root, name)));
  return files.filter((file) => file !== null && file !== 'outside');
}

/** Opens a collected file. It does not block if a pipe has replaced it. */
export function openCollected(directory: string, name: string): Promise<FileHandle> {
  return open(path.join(directory, name), constants.O_RDONLY | constants.O_NONBLOCK);
}

function patternOf(text: string, directory: string, say: (line: string) => void): Pattern | null {
  try {
    return parsePattern(text, directory);
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    say(`WARNING: ${text}: ${error.message}`);
    return null;
  }
}

/** Names of the files below a directory that match a pattern. Links count as files here, wherever they lead. */
async function* matching(root: string, below: string, pattern: Pattern | null): AsyncGenerator<string> {
  if (pattern === null) return;
  const [first, ...rest] = pattern;
  const isAny = first === '**';
  if (isAny && rest.length > 0) yield* matching(root, below, rest);
  for (const entry of await entriesOf(path.join(root, below))) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (name === '.git') continue;
    const isNamed = first === undefined || isAny || fits(first, entry.name);
    if (!isNamed) continue;
    if (entry.isDirectory()) yield* matching(root, name, isAny ? pattern : rest);
    else if (rest.length === 0) yield name;
  }
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** A regular file; null for anything else, `outside` for a link that leads out of the root. */
async function lookAt(root: string, name: string): Promise<Collected | 'outside' | null> {
  const file = path.join(root, name);
  const isOwn = await realpath(file).then(
    (real) => real.startsWith(root + path.sep),
    () => null,
  );
  if (isOwn === null) return null;
  if (!isOwn) return 'outside';
  const stats = await stat(file).catch(() => null);
  if (!stats?.isFile()) return null;
  return { name, size: stats.size, mode: stats.mode, modifiedAt: stats.mtime };
}
