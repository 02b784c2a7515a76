import { ValidationFailed } from '#src/platform/errors.ts';

type Given = Readonly<Record<string, unknown>>;

/** An invalid parameter of a runner; worded as in /api/v4 (behaviour.md 3). */
export class BadParameter extends Error {
  readonly status = 400;
}

/** Throws BadParameter that names all parameters that are missing or not strings. */
export function requireTexts(given: Given, names: readonly string[]): void {
  const problems = names.flatMap((name) => {
    if (given[name] === undefined || given[name] === null) return [`${name} is missing`];
    return typeof given[name] === 'string' ? [] : [`${name} is invalid`];
  });
  if (problems.length > 0) throw new BadParameter(problems.join(', '));
}

/** A string; null if absent. Throws BadParameter. */
export function readText(given: Given, name: string): string | null {
  const value = given[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new BadParameter(`${name} is invalid`);
  return value;
}

const WORDS: Readonly<Record<string, boolean>> = { true: true, t: true, '1': true, false: false, f: false, '0': false };

/** A boolean; null if absent. Throws BadParameter. */
export function readFlag(given: Given, name: string): boolean | null {
  const value = given[name];
  if (value === undefined || value === null || value === '') return null;
  const found = typeof value === 'boolean' ? value : WORDS[String(value).toLowerCase()];
  if (found === undefined) throw new BadParameter(`${name} is invalid`);
  return found;
}

/** A whole number; null if absent. Throws BadParameter. */
export function readWhole(given: Given, name: string): number | null {
  const value = given[name];
  if (value === undefined || value === null || value === '') return null;
  const number = typeof value === 'string' && /^-?\d{1,12}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new BadParameter(`${name} is invalid`);
  return number;
}

/** Longest list of tags in bytes, checked before parsing. */
const MAX_TAG_LIST_LENGTH = 64 * 1024;

/** Tags: an array of strings, or one string separated by commas; null if absent. Throws BadParameter, ValidationFailed. */
export function readTagList(given: Given, name: string): string[] | null {
  const value = given[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') {
    if (value.length > MAX_TAG_LIST_LENGTH) throw new ValidationFailed({ [name]: ['is too long'] });
    return value.split(',');
  }
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string')) {
    throw new BadParameter(`${name} is invalid`);
  }
  return value;
}
