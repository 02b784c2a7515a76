import { SourceInvalid } from '#src/domain/remote_imports/base/source.ts';

/** An object of an answer. */
export type Given = Readonly<Record<string, unknown>>;

/** Characters of the longest title, and of the longest text, of records here. */
const MAX_TITLE_LENGTH = 255;
const MAX_TEXT_LENGTH = 900_000;

export function isGiven(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list. Throws SourceInvalid, which calls it as `what` does. */
export function listOf(value: unknown, what: string): Given[] {
  if (!Array.isArray(value) || !value.every(isGiven)) {
    throw new SourceInvalid(`The source answered with something else than a list of ${what}.`);
  }
  return value;
}

/** An object. Throws SourceInvalid. */
export function objectOf(value: unknown, what: string): Given {
  if (!isGiven(value)) throw new SourceInvalid(`The source answered with something else than ${what}.`);
  return value;
}

/** The objects in a list of a record; none if there is no list. */
export function objectsIn(given: Given, key: string): Given[] {
  const list = given[key];
  return Array.isArray(list) ? list.filter(isGiven) : [];
}

/** A number that may be an ID or a number of a record. Throws SourceInvalid. */
export function idIn(given: Given, key: string): number {
  const value = given[key];
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > 2 ** 51) {
    throw new SourceInvalid(`The source answered with a record whose ${key} is not a number.`);
  }
  return value as number;
}

/** As idIn, for what need not be there. */
export function optionalId(given: Given, key: string): number | null {
  return given[key] == null ? null : idIn(given, key);
}

/** A text that the database can store, cut where it is too long; empty if there is none. Throws SourceInvalid. */
export function textIn(given: Given, key: string, most = MAX_TEXT_LENGTH): string {
  const value = given[key] ?? '';
  if (typeof value !== 'string') throw new SourceInvalid(`The source answered with a record whose ${key} is no text.`);
  return value.slice(0, most).toWellFormed().replaceAll('\0', '');
}

/** A title: a text of a line. Throws SourceInvalid for none. */
export function titleIn(given: Given, key: string): string {
  const text = textIn(given, key, MAX_TITLE_LENGTH)
    .replace(/[\r\n]+/g, ' ')
    .trim();
  if (text === '') throw new SourceInvalid(`The source answered with a record without ${key}.`);
  return text;
}

/** A time in ISO 8601; null if there is none. Throws SourceInvalid. */
export function timeIn(given: Given, key: string): string | null {
  const value = given[key];
  if (value == null) return null;
  const time = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time) || time < 0 || time > Date.UTC(9_999, 11, 31)) {
    throw new SourceInvalid(`The source answered with a record whose ${key} is no time.`);
  }
  return new Date(time).toISOString();
}

/** As timeIn, for what has to be there. */
export function requiredTime(given: Given, key: string): string {
  const time = timeIn(given, key);
  if (time === null) throw new SourceInvalid(`The source answered with a record without ${key}.`);
  return time;
}

/** A hash of a commit; null if there is none, or something else. */
export function shaIn(given: Given, key: string): string | null {
  const value = given[key];
  return typeof value === 'string' && /^[0-9a-f]{40}$/.test(value) ? value : null;
}

/** A number of a line; null if there is none. */
export function lineIn(given: Given, key: string): number | null {
  const value = given[key];
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31 ? (value as number) : null;
}

/**
 * The addresses of the picture of a project whose `avatar_url` the source tells; none without one.
 *
 * @param server its web address, for relative ones
 * @param first where it is asked for first, if there is one
 */
export function picturesOf({ avatar_url: given }: Given, server: string, ...first: string[]): string[] {
  if (typeof given !== 'string' || given === '' || given.length > 2_000 || !URL.canParse(given, server)) return [];
  return [...first, new URL(given, server).href];
}
