import { ValidationFailed } from '#src/platform/errors.ts';

type Given = Readonly<Record<string, unknown>>;

/** A parameter of a runner is not as it must be; worded as those of /api/v4 are (behaviour.md 3). */
export class BadParameter extends Error {
  readonly status = 400;
}

/** Throws BadParameter, which names all that are missing, or are no text. */
export function requireTexts(given: Given, names: readonly string[]): void {
  const problems = names.flatMap((name) => {
    if (given[name] === undefined || given[name] === null) return [`${name} is missing`];
    return typeof given[name] === 'string' ? [] : [`${name} is invalid`];
  });
  if (problems.length > 0) throw new BadParameter(problems.join(', '));
}

/** A text; null where there is none. Throws BadParameter. */
export function readText(given: Given, name: string): string | null {
  const value = given[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new BadParameter(`${name} is invalid`);
  return value;
}

const WORDS: Readonly<Record<string, boolean>> = { true: true, t: true, '1': true, false: false, f: false, '0': false };

/** A truth value; null where there is none. Throws BadParameter. */
export function readFlag(given: Given, name: string): boolean | null {
  const value = given[name];
  if (value === undefined || value === null || value === '') return null;
  const found = typeof value === 'boolean' ? value : WORDS[String(value).toLowerCase()];
  if (found === undefined) throw new BadParameter(`${name} is invalid`);
  return found;
}

/** Bytes of what names tags, before it is looked at. */
const LONGEST_LIST = 64 * 1024;

/** Tags: texts in an array, or separated by commas; null where there are none. Throws BadParameter, ValidationFailed. */
export function readTagList(given: Given, name: string): string[] | null {
  const value = given[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') {
    if (value.length > LONGEST_LIST) throw new ValidationFailed({ [name]: ['is too long'] });
    return value.split(',');
  }
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string')) {
    throw new BadParameter(`${name} is invalid`);
  }
  return value;
}
