import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONDITIONS } from '#src/platform/errors.ts';
import { packagePath } from '#src/platform/package_root.ts';

/** Words of errors about what exists, or about a state, by which one that is made without its condition is found. */
const TELLING = /already (?:exists|been|allowed|shared|assigned|forked|enabled)|is not open|is merged'|in progress'/;

/** Errors with such words that are about something else, with the reason. */
const ELSE: Readonly<Record<string, string>> = {
  'src/domain/repository/releases/save.ts': 'Two links of one input are alike: its values contradict each other.',
};

const files = (readdirSync(packagePath('src'), { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
  .map((file) => `src/${file}`);

/** The calls of constructors of a file that match, each with what follows on it. */
function made(text: string, wanted: RegExp): string[] {
  return [...text.matchAll(wanted)].map(({ index, 0: { length } }) => {
    let at = index + length;
    for (let depth = 1; depth > 0 && at < text.length; at += 1) {
      if (text[at] === '(') depth += 1;
      else if (text[at] === ')') depth -= 1;
    }
    return text.slice(index, at + 20).replace(/\s+/g, ' ');
  });
}

describe('Every error of the domain', () => {
  it('is made through a condition of the table', () => {
    const conditions = Object.keys(CONDITIONS).join('|');
    const named = new RegExp(`^new DomainError\\( ?'(?:${conditions})'`);
    const calls = files.flatMap((file) => made(readFileSync(packagePath(file), 'utf8'), /new DomainError\(/g));
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.filter((call) => !named.test(call))).toEqual([]);
  });

  it('about what exists already, or a state, says so', () => {
    const wrong = files
      .filter((file) => ELSE[file] === undefined)
      .flatMap((file) =>
        made(readFileSync(packagePath(file), 'utf8'), /new (?:BadRequest|Forbidden|ValidationFailed)\(/g)
          .filter((call) => TELLING.test(call) && !/\)\s?\.as(?:Existing|WrongState)?\(?/.test(call))
          .map((call) => `${file}: ${call}`),
      );
    expect(wrong).toEqual([]);
  });
});
