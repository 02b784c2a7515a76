import { pathFault } from '#src/git/write/path.ts';

/** Why files cannot have these names in a repository, as the error of a field; null if they can. */
export function namesFault(names: readonly string[]): string | null {
  if (names.some((name) => pathFault(name) !== null)) return 'is not a path that a file can have';
  return areNested(names) ? 'is also a directory of another file' : null;
}

/**
 * Files with names that a repository can have. Versions before took any names: what cannot stay becomes `_`, and a name that is of no use
 * then becomes `snippetfile1.txt`.
 */
export function storableFiles<File extends { name: string }>(files: readonly File[]): File[] {
  const names = files.map(({ name }) => name);
  if (namesFault(names) === null) return [...files];
  const kept: string[] = [];
  for (const [index, name] of names.entries()) {
    const fits = (one: string) => !kept.includes(one) && namesFault([...kept, one]) === null;
    const further = names.map((_, number) => `snippetfile${index + 1}${number === 0 ? '' : `-${number}`}.txt`);
    kept.push([name, plain(name), ...further].find(fits) ?? name);
  }
  return files.map((file, index) => ({ ...file, name: kept[index] ?? file.name }));
}

function plain(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them.
  const segments = name.replace(/[\x00-\x1f\x7f]/g, '_').split('/');
  const whole = segments.filter((segment) => segment !== '');
  return whole.map((segment) => (pathFault(segment) === null ? segment : `_${segment.replace(/^\.+/, '')}`)).join('/');
}

/** Whether a file would lie below another one. */
function areNested(names: readonly string[]): boolean {
  return names.some((name) => names.some((other) => other.startsWith(`${name}/`)));
}
