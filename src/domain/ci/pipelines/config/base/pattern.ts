import vm from 'node:vm';
import { patternParts, type Translated, translatePattern } from '#src/base/ruby_pattern.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';

/** Milliseconds of CPU time that all patterns of a file may take together: they are user-written, and some take forever. */
const CPU_BUDGET_MS = 200;

/** Whether a text is a pattern between slashes. */
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

/** Splits an entry of `only` or `except` at the full path of a project after `@`, if there is one. */
export function splitEntry(entry: string): { wanted: string; place: string | null } {
  const [, wanted = entry, place = null] = /^(\/.*\/[imx]*|[^/@][^@]*)@(.+)$/s.exec(entry) ?? [];
  return { wanted, place };
}

/** A pattern in a condition. */
export const CONDITION = /^\/(.+)\/([ismU]*)$/s;

let sandbox: vm.Context | undefined;

/** Matches the patterns of one file. */
export class PatternMatcher {
  #left = CPU_BUDGET_MS;

  /** Whether the pattern matches the text. Throws InvalidConfig if the patterns take too long. */
  matches(pattern: string, text: string): boolean {
    const found = patternParts(pattern);
    return found !== null && this.#test(found, text);
  }

  /** Like `matches`, for patterns in conditions, whose flags are those of RE2: without `m`, `^` and `$` are the ends of the text. */
  matchesCondition(pattern: string, text: string): boolean {
    const [, body = '', flags = ''] = CONDITION.exec(pattern) ?? [];
    const found = translatePattern(body, flags.replace(/[mU]/g, '').replace('s', 'm'));
    if (!found) return false;
    return this.#test({ ...found, flags: flags.includes('m') ? `${found.flags}m` : found.flags }, text);
  }

  #test(found: Translated, text: string): boolean {
    sandbox ??= vm.createContext(Object.create(null));
    const [source, flags, subject] = [found.source, found.flags, text].map((value) => JSON.stringify(value));
    // Only a script can be interrupted. Only strings go in, and only a boolean comes out.
    const script = new vm.Script(`new RegExp(${source}, ${flags}).test(${subject})`);
    for (let timeout = Math.ceil(this.#left); this.#left > 0; timeout *= 2) {
      const start = cpuTime();
      try {
        return script.runInContext(sandbox, { timeout }) === true;
      } catch (error) {
        if (!isTimeout(error)) break;
        // The wall clock includes time of other programs: only the pattern's own time counts.
      } finally {
        this.#left -= cpuTime() - start;
      }
    }
    throw new InvalidConfig('The patterns of the file take too long');
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** Milliseconds of CPU time of this thread; of all threads on releases of Node that cannot tell them apart. */
function cpuTime(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000;
}
