import { Reference } from '#src/domain/ci/pipelines/config/base/reference.ts';
import { InvalidConfig, type Variables } from '#src/domain/ci/pipelines/config/base/types.ts';

/** A mapping as returned by the YAML parser. */
export type Raw = Record<string, unknown>;

/** Maximum number of characters of all values; what aliases repeat counts each time. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

/** Counts the characters read. */
export class ExpansionLimit {
  #left = MAX_CHARACTERS;

  /** Throws InvalidConfig if the limit is exceeded. */
  spend(text: string): string {
    this.count(text.length + 1);
    return text.replaceAll('\0', '').toWellFormed();
  }

  /** Throws InvalidConfig if the limit is exceeded. */
  count(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new InvalidConfig('The configuration is too large');
  }
}

export function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Like isRecord, in a file whose references are not resolved. */
export function isMap(value: unknown): value is Raw {
  return isRecord(value) && !(value instanceof Reference);
}

/** Throws InvalidConfig for a mapping with other keys than these; those of later releases are reported as not supported. */
export function requireKeys(
  value: Raw,
  where: string,
  known: readonly string[],
  unsupported: ReadonlySet<string> = new Set(),
): void {
  const others = Object.keys(value).filter((key) => !known.includes(key));
  const unknown = others.filter((key) => !unsupported.has(key));
  if (unknown.length > 0) throw new InvalidConfig(`${where} config contains unknown keys: ${unknown.join(', ')}`);
  if (others.length > 0) {
    throw new InvalidConfig(`${where} config contains keys that are not supported: ${others.join(', ')}`);
  }
}

const TRUTH: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ...['yes', 'Yes', 'YES', 'on', 'On', 'ON', 'y', 'Y'].map((word) => [word, true] as const),
  ...['no', 'No', 'NO', 'off', 'Off', 'OFF', 'n', 'N'].map((word) => [word, false] as const),
]);

/** Reads a boolean, also in the words of YAML 1.1. Null if absent. Throws InvalidConfig. */
export function readBoolean(value: unknown, where: string): boolean | null {
  if (value == null) return null;
  const truth = TRUTH.get(value);
  if (truth === undefined) throw new InvalidConfig(`${where} should be a boolean value`);
  return truth;
}

/** The text of a string, number or boolean; null for anything else. */
export function scalarText(value: unknown): string | null {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
}

/** Reads an array of strings, or a single one. Null if absent. Throws InvalidConfig. */
export function readNames(value: unknown, where: string, budget: ExpansionLimit): string[] | null {
  if (value === undefined || value === null) return null;
  const list = Array.isArray(value) ? value : [value];
  return list.map((entry) => {
    const text = scalarText(entry);
    if (text === null) throw new InvalidConfig(`${where} config should be an array of strings`);
    return budget.spend(text);
  });
}

/** How deeply lists of commands may be nested. */
const MAX_COMMAND_DEPTH = 10;

/** Reads commands: a string, or an array of strings and, by anchors, of such arrays. Null if absent. */
export function readCommands(value: unknown, where: string, budget: ExpansionLimit, depth = 0): string[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) {
    const text = scalarText(value);
    if (text !== null) return [budget.spend(text)];
  }
  if (!Array.isArray(value) || depth > MAX_COMMAND_DEPTH) {
    throw new InvalidConfig(`${where} config should be a string or an array of strings`);
  }
  return value.flatMap((entry) => readCommands(entry, where, budget, depth + 1) ?? []);
}

/** Reads strings by name. Throws InvalidConfig. */
export function readVariables(value: unknown, where: string, budget: ExpansionLimit): Variables {
  if (value === undefined || value === null) return {};
  const entries = isRecord(value) ? Object.entries(value) : null;
  if (!entries?.every(([, text]) => scalarText(text) !== null)) {
    throw new InvalidConfig(`${where} config should be a hash of key value pairs`);
  }
  return Object.fromEntries(entries.map(([key, text]) => [budget.spend(key), budget.spend(String(text))]));
}

/** Variables, and the names of those whose values are not expanded. */
export interface DefinedVariables {
  values: Variables;
  raw: string[];
}

/** Reads texts, or mappings with a text and what is said about it, by name. Throws InvalidConfig. */
export function readDefinedVariables(
  value: unknown,
  where: string,
  budget: ExpansionLimit,
  keys: readonly string[],
): DefinedVariables {
  if (value == null) return { values: {}, raw: [] };
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash of key value pairs`);
  const raw: string[] = [];
  const texts = Object.entries(value).map(([name, given]) => {
    if (!isRecord(given)) return [name, given ?? ''];
    requireKeys(given, `${where}:${name}`, keys);
    const { options } = given;
    if (options != null && !(Array.isArray(options) && options.includes(given.value))) {
      throw new InvalidConfig(`${where}:${name} config value must be present in options`);
    }
    if (readBoolean(given.expand, `${where}:${name} expand`) === false) raw.push(budget.spend(name));
    return [name, given.value ?? ''];
  });
  return { values: readVariables(Object.fromEntries(texts), where, budget), raw };
}

/** A copy of any value as JSON, within the limit. Throws InvalidConfig. */
export function copyOf(value: unknown, budget: ExpansionLimit, depth = 0): unknown {
  if (depth > 10) throw new InvalidConfig('The configuration is nested too deeply');
  if (typeof value === 'string') return budget.spend(value);
  budget.spend('');
  if (Array.isArray(value)) return value.map((entry) => copyOf(entry, budget, depth + 1));
  if (!isRecord(value)) return typeof value === 'bigint' ? String(value) : value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [budget.spend(key), copyOf(entry, budget, depth + 1)]),
  );
}
