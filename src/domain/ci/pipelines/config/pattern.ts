import vm from 'node:vm';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/model.ts';
import { type Translated, translatePattern } from '#src/domain/ci/pipelines/config/ruby_pattern.ts';

/** Milliseconds of CPU time that all patterns of a file may take together: they are written by anybody, and some take forever. */
const PATIENCE = 200;

/**
 * The pattern and its flags, between and behind the slashes, as this language writes them, and the names of the groups that the
 * pattern itself has. Null when it is none.
 */
export function patternParts(text: string): Translated | null {
  const match = /^\/(.+)\/([imx]*)$/s.exec(text);
  if (!match) return null;
  const [, body = '', flags = ''] = match;
  return translatePattern(body, flags);
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
    // Only here can a match be interrupted. Nothing but texts go in, and nothing but a truth value comes out.
    const script = new vm.Script(`new RegExp(${source}, ${flags}).test(${subject})`);
    for (let timeout = Math.ceil(this.#left); this.#left > 0; timeout *= 2) {
      const start = cpuTime();
      try {
        return script.runInContext(sandbox, { timeout }) === true;
      } catch (error) {
        if (!isTimeout(error)) break;
        // The time of this clock may have been that of other programs: only what the pattern took itself counts.
      } finally {
        this.#left -= cpuTime() - start;
      }
    }
    throw new InvalidConfig('The patterns of only and except take too long');
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** Milliseconds of CPU time that this thread has had; of all threads on releases of Node that cannot tell. */
function cpuTime(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000;
}
