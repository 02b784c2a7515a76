import {
  type GraphQLEnumType,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { FullPath } from '#schema/refs.ts';
import { UnknownWord } from '#schema/words.ts';

/** A parameter of a route, as declared by its operation's variable. */
export interface Parameter {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** The keys of the parameter: its name, or nested ones (`not[labels]`). */
  readonly keys: readonly [first: string, ...inner: string[]];
  /** The variable that it fills, or the path to a field of an input. */
  readonly fills: readonly [variable: string, ...fields: string[]];
  /** The input field that it fills, if any. */
  readonly field?: GraphQLInputField | undefined;
  readonly required: boolean;
  /** The default in this API; undefined if the operation has none. */
  readonly default?: unknown;
  /** The default of an input field as written in the operation: GraphQL only has defaults for whole variables. */
  readonly preset?: unknown;
  readonly in: 'path' | 'request';
  readonly commaSeparated: boolean;
  readonly minimum: number | undefined;
  readonly allowed?: readonly number[] | undefined;
  /** The only words of a list of them. */
  readonly among?: readonly string[] | undefined;
  readonly nullWord?: string | undefined;
  /** Words that stand for values: in addition to those of an enum, or instead of those of other types. */
  readonly words?: Words | undefined;
  /** Whether a single value may also be sent as a list of one. */
  readonly onlyOne?: boolean;
  /** Whether it is the key of a thread, or its number. */
  readonly threadKey?: boolean;
  /** Whether it must be present if what it is in is. */
  readonly neededWithin?: boolean;
  /** For each but the last of its keys, what is in there; empty for a variable. */
  readonly around?: readonly string[];
  /** How many of its keys lead to a record around it that the record around that must have; each of them. */
  readonly neededAround?: readonly number[];
  /** Whether a reference accepts numeric IDs only. */
  readonly numericId?: boolean;
  /** Where the domain rejects unknown enum values: '' is the parameter itself, else a key of its records. */
  readonly passUnknownEnum?: readonly string[];
  /** Where texts may contain NUL, likewise. */
  readonly verbatim?: readonly string[];
}

/** Words of a parameter, each with the value that it stands for. */
export type Words = Readonly<Record<string, string | number | boolean>>;

/** Exceptions: for a parameter by place, for one value by ''. */
type Places = Required<Pick<Parameter, 'passUnknownEnum' | 'verbatim'>>;

/** An unacceptable value of a parameter; the message follows the parameter's name. */
export class Unusable extends Error {}

/** Converts a parameter's value for its variable: null for blank where the type has no blank. Throws Unusable. */
export function coerce(given: unknown, parameter: Parameter): unknown {
  const {
    type,
    commaSeparated,
    minimum,
    allowed,
    nullWord,
    numericId,
    passUnknownEnum = [],
    verbatim = [],
  } = parameter;
  const places = { passUnknownEnum, verbatim };
  const nullable = isNonNullType(type) ? type.ofType : type;
  const value = parameter.words || parameter.onlyOne ? meant(given, nullable, parameter) : given;
  if (value === null || (nullWord !== undefined && value === nullWord)) return null;
  if (parameter.threadKey) return threadKey(value, parameter);
  if (isListType(nullable)) {
    const list = coerceList(value, nullable.ofType, { commaSeparated, ...places });
    const { among } = parameter;
    if (among && Array.isArray(list) && !list.every((word) => among.includes(String(word).toLowerCase()))) {
      throw new Unusable('does not have a valid value');
    }
    return list;
  }
  const result = coerceOne(value, numericId ? GraphQLInt : nullable, places);
  if (minimum !== undefined && typeof result === 'number' && result < minimum) throw new Unusable('is invalid');
  // A text that would be truncated to an ID is an error, not an unknown ID.
  if (
    nullable === GraphQLInt &&
    !numericId &&
    parameter.in === 'request' &&
    result !== null &&
    Number(value) !== result
  ) {
    throw new Unusable('is invalid');
  }
  if (allowed && result !== null && !allowed.includes(Number(value))) {
    throw new Unusable('does not have a valid value');
  }
  return result;
}

/** Whether a value is a file that the server received: what clients write has no functions. */
function isFile(value: unknown): boolean {
  return typeof (value as { stream?: unknown } | null)?.stream === 'function';
}

/** The key of a thread, or its number. In the path anything else stands for a number that no thread has. */
function threadKey(value: unknown, { in: place }: Parameter): string | null {
  const text = isScalar(value) ? String(value).trim() : 'none';
  if (text === '' && place !== 'path') return null;
  if (/^([0-9a-f]{40}|\d{1,10})$/i.test(text)) return text.toLowerCase();
  if (place === 'path') return '0';
  throw new Unusable('is invalid');
}

/** The value for a word, or the only value of a list. */
function meant(given: unknown, type: GraphQLInputType, { words, onlyOne }: Parameter): unknown {
  const value = onlyOne && Array.isArray(given) ? only(given) : given;
  if (!words || !isScalar(value)) return value;
  const word = String(value).trim();
  if (Object.hasOwn(words, word)) return words[word];
  if (word === '' || isEnumType(type)) return value;
  throw new Unusable('does not have a valid value');
}

function only(list: readonly unknown[]): unknown {
  if (list.length <= 1) return list[0] ?? null;
  const named = list
    .slice(0, MAX_LISTED_VALUES)
    .map((value) => (isScalar(value) ? String(value).slice(0, MAX_WORD_LENGTH) : '…'));
  const rest = list.length > MAX_LISTED_VALUES ? ', …' : '';
  throw new Unusable(`allows one value, but found ${list.length}: ${named.join(', ')}${rest}`);
}

/** Values listed in a message. */
const MAX_LISTED_VALUES = 10;

/** Maximum number of values of a list. */
const MAX_VALUES = 10_000;
/** Characters of the longest text that can be a number or an enum value. */
const MAX_WORD_LENGTH = 100;

function coerceList(
  value: unknown,
  itemType: GraphQLInputType,
  { commaSeparated, ...places }: Places & { commaSeparated: boolean },
): unknown {
  const item = isNonNullType(itemType) ? itemType.ofType : itemType;
  const list = Array.isArray(value) ? value : [value];
  if (commaSeparated) {
    if (!list.every(isScalar)) throw new Unusable('is invalid');
    // Words contain no spaces either: scopes of OAuth are separated by them.
    const texts = isEnumType(item)
      ? parts(list.flatMap((text) => String(text).split(/\s+/, MAX_VALUES + 1)))
      : parts(list);
    if ('name' in item && item.name === 'String') return texts;
    return texts.map((text) => coerceOne(text, item, places));
  }
  requireFew(list);
  // Numbers and IDs contain no commas.
  const entries =
    (item === GraphQLInt || item === GraphQLID) &&
    list.some((entry) => typeof entry === 'string' && entry.includes(','));
  const blank = (entry: unknown) => entry === null || (typeof entry === 'string' && entry.trim() === '');
  return (entries ? parts(list) : list).filter((entry) => !blank(entry)).map((entry) => coerceOne(entry, item, places));
}

/** Splits at commas. */
function parts(list: readonly unknown[]): string[] {
  const texts = list.flatMap((text) => String(text).split(',', MAX_VALUES + 1));
  requireFew(texts);
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}

function requireFew(list: readonly unknown[]): void {
  if (list.length > MAX_VALUES) throw new Unusable(`has more than ${MAX_VALUES} values`);
}

function coerceOne(value: unknown, type: GraphQLInputType, places: Places): unknown {
  if (isInputObjectType(type)) return coerceRecord(value, type, places);
  if ('name' in type && type.name === 'JSON') return cleanDeep(value);
  if ('name' in type && type.name === 'Upload' && isFile(value)) return value;
  if (!isScalar(value)) throw new Unusable('is invalid');
  const name = 'name' in type ? type.name : '';
  if (name === 'String') return places.verbatim.includes('') ? String(value) : clean(String(value));
  const text = String(value).trim();
  if (text === '') return null;
  if (isEnumType(type)) return coerceWord(text, type, places);
  if (name.endsWith('Ref')) return reference(text, name);
  if (Object.hasOwn(SCALARS, name) && text.length > MAX_WORD_LENGTH) throw new Unusable('is invalid');
  const read = SCALARS[name]?.(text) ?? text;
  return typeof read === 'string' ? viaScalar(type, read) : read;
}

/** In this API, enum values are written as in the domain. */
function coerceWord(text: string, type: GraphQLEnumType, { passUnknownEnum }: Places): unknown {
  const word = isNumeric(type) ? SCALARS.Int?.(text) : text;
  const known = type.getValues().find(({ value }) => value === word);
  if (known) return known.name;
  if (passUnknownEnum.includes('')) return new UnknownWord(word as string | number);
  throw new Unusable('does not have a valid value');
}

/** Whether the domain's values of an enum are numbers. */
export function isNumeric(type: GraphQLEnumType): boolean {
  return type.getValues().every(({ value }) => typeof value === 'number');
}

/** The input fields that the records of a parameter may have; files are parameters of their own. */
export function recordFields(type: GraphQLInputObjectType): GraphQLInputField[] {
  return Object.values(type.getFields()).filter((field) => getNamedType(field.type).name !== 'Upload');
}

/** Converts a record with snake_case keys to an input of the schema; unknown keys are dropped. */
function coerceRecord(value: unknown, type: GraphQLInputObjectType, places: Places): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Unusable('is invalid');
  const record: Record<string, unknown> = {};
  for (const field of recordFields(type)) {
    const { name, type: fieldType } = field;
    const key = recordKey(name);
    const given = (value as Record<string, unknown>)[key];
    const bare = isNonNullType(fieldType) ? fieldType.ofType : fieldType;
    const there = placesAt(key, places);
    const coerced = given == null ? given : coerceWithin(given, bare, there);
    if (coerced != null) record[name] = coerced;
    else if (isRequiredInputField(field)) record[name] = blank(bare, there);
    else if (coerced === null && bare === fieldType) record[name] = null;
  }
  return record;
}

/** The value of a key of a record: one, or a list of them. */
function coerceWithin(given: unknown, type: GraphQLInputType, places: Places): unknown {
  return isListType(type)
    ? coerceList(given, type.ofType, { commaSeparated: false, ...places })
    : coerceOne(given, type, places);
}

function placesAt(key: string, { passUnknownEnum, verbatim }: Places): Places {
  const itself = (places: readonly string[]) => (places.includes(key) ? [''] : []);
  return { passUnknownEnum: itself(passUnknownEnum), verbatim: itself(verbatim) };
}

/** The value that makes the domain reject a missing parameter with its own message. Throws Unusable if there is none. */
function blank(type: GraphQLInputType, { passUnknownEnum }: Places): unknown {
  if ('name' in type && type.name === 'String') return '';
  if (isEnumType(type) && passUnknownEnum.includes('')) return new UnknownWord('');
  throw new Unusable(isEnumType(type) ? 'does not have a valid value' : 'is invalid');
}

/** Keys of records in this API that are not those of the schema: clients know this one from other servers. */
const RECORD_KEYS: Readonly<Record<string, string>> = { remove: '_destroy' };

/** The key of a record of a parameter for a field of the schema. */
export const recordKey = (field: string): string => RECORD_KEYS[field] ?? snakeCase(field);

/** Converts a field name of the schema to this API's. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Digits are an ID, anything else a path; a namespace may also have a path of digits. */
function reference(text: string, type: string): unknown {
  if (text.includes('\0')) throw new Unusable('is invalid');
  return /^\d+$/.test(text) && type !== 'NamespaceRef' ? text : new FullPath(text);
}

const SCALARS: Record<string, (text: string) => unknown> = {
  Int(text) {
    const number = Number(text);
    if (!/^[+-]?\d+$/.test(text)) throw new Unusable('is invalid');
    // IDs are 32 bits wide: larger numbers match nothing, and the ID 2147483647 is never used.
    return Math.max(-2_147_483_648, Math.min(2_147_483_647, number));
  },
  ID: (text) => SCALARS.Int?.(text),
  Float(text) {
    const number = Number(text);
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) || !Number.isFinite(number)) {
      throw new Unusable('is invalid');
    }
    return number;
  },
  Date: dayOf,
  DateTime: momentOf,
  Boolean(text) {
    if (/^(true|1|yes|y|t|on)$/i.test(text)) return true;
    if (/^(false|0|no|n|f|off)$/i.test(text)) return false;
    throw new Unusable('is invalid');
  },
};

/** Normalizes the date formats that clients of this API send: with slashes, single digits, or a time, which is dropped. */
function dayOf(text: string): string {
  const [, year = '', month = '', day = '', time] =
    /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](.+))?$/i.exec(text) ?? [];
  if (year === '' || (time !== undefined && !TIME.test(time))) throw new Unusable('is invalid');
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const TIME = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|UTC|[+-]?\d{2}:?\d{2})?$/i;

/** Normalizes a timestamp: also with `UTC` as the offset, or with an offset whose `+` became a space in a URL. */
function momentOf(text: string): string {
  const [, moment = '', offset = ''] = /^(.+?:\d{2}(?:\.\d+)?) ?(UTC|(?<= )\d{2}:?\d{2})$/i.exec(text) ?? [];
  if (moment === '') return text;
  return /^utc$/i.test(offset) ? `${moment}Z` : `${moment}+${offset}`;
}

function viaScalar(type: GraphQLInputType, text: string): unknown {
  try {
    if ('parseValue' in type) type.parseValue(text);
    return text;
  } catch {
    throw new Unusable('is invalid');
  }
}

/** PostgreSQL's text cannot contain NUL or unpaired surrogates. */
function clean(text: string): string {
  if (text.includes('\0')) throw new Unusable('is invalid');
  return text.toWellFormed();
}

/** Like clean, for all texts within a value. */
function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleanDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [clean(key), cleanDeep(entry)]));
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
