import vm from 'node:vm';
import { InvalidConfig } from '#src/pipelines/config/model.ts';

/** Milliseconds that all patterns of a file may take together: they are written by anybody, and some take forever. */
const PATIENCE = 200;

/** The pattern and its flags between and behind the slashes; null when it is none. */
export function patternParts(text: string): { source: string; flags: string } | null {
  const match = /^\/(.+)\/([imx]*)$/s.exec(text);
  if (!match) return null;
  const [, body = '', flags = ''] = match;
  // How the file's own language writes the ends of a text.
  const source = body.replace(/\\A/g, '^').replace(/\\[zZ]/g, '$');
  return { source, flags: flags.includes('i') ? 'i' : '' };
}

/** Whether a text is a regular expression between slashes. */
export function isPattern(text: string): boolean {
  const found = patternParts(text);
  if (!found) return false;
  try {
    new RegExp(found.source, found.flags);
    return true;
  } catch {
    return false;
  }
}

/** An entry of `only` or `except`, and the full path of the project behind its `@` if it means that one alone. */
export function splitEntry(entry: string): { wanted: string; place: string | null } {
  const [, wanted = entry, place = null] = /^(\/.*\/[imx]*|[^/@][^@]*)@(.+)$/s.exec(entry) ?? [];
  return { wanted, place };
}

let sandbox: vm.Context | undefined;

/** Tries the patterns of one file. */
export class PatternMatcher {
  #left = PATIENCE;

  /** Whether the pattern is found in the text. Throws InvalidConfig when the patterns take too long. */
  matches(pattern: string, text: string): boolean {
    const found = patternParts(pattern);
    if (!found) return false;
    sandbox ??= vm.createContext(Object.create(null));
    const [source, flags, subject] = [found.source, found.flags, text].map((value) => JSON.stringify(value));
    const start = performance.now();
    try {
      // Only here can a match be interrupted. Nothing but texts go in, and nothing but a truth value comes out.
      const timeout = Math.max(1, Math.ceil(this.#left));
      return vm.runInContext(`new RegExp(${source}, ${flags}).test(${subject})`, sandbox, { timeout }) === true;
    } catch {
      throw new InvalidConfig('The patterns of only and except take too long');
    } finally {
      this.#left -= performance.now() - start;
    }
  }
}
