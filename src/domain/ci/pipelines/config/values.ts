import { InvalidConfig, type Variables } from '#src/domain/ci/pipelines/config/model.ts';

/** A mapping as the YAML library gives it. */
export type Raw = Record<string, unknown>;

/** How many characters all values together may have: what is repeated by aliases counts each time. */
const MOST_CHARACTERS = 1024 * 1024;

/** Counts what was read. */
export class ExpansionLimit {
  #left = MOST_CHARACTERS;

  /** Throws InvalidConfig when it is used up. */
  spend(text: string): string {
    this.#left -= text.length + 1;
    if (this.#left < 0) throw new InvalidConfig('The configuration is too large');
    return text.replaceAll('\0', '').toWellFormed();
  }
}

export function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Throws InvalidConfig for a mapping with other keys than these; those of later releases are named as what is not supported. */
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

/** A truth value, also in the words of YAML 1.1. Null when there is nothing. Throws InvalidConfig. */
export function readBoolean(value: unknown, where: string): boolean | null {
  if (value == null) return null;
  const truth = TRUTH.get(value);
  if (truth === undefined) throw new InvalidConfig(`${where} should be a boolean value`);
  return truth;
}

/** A text where a text, a number or a truth value stands; null for anything else. */
export function scalarText(value: unknown): string | null {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
}

/** An array of texts, or a single one. Null when there is nothing. Throws InvalidConfig. */
export function readNames(value: unknown, where: string, budget: ExpansionLimit): string[] | null {
  if (value === undefined || value === null) return null;
  const list = Array.isArray(value) ? value : [value];
  return list.map((entry) => {
    const text = scalarText(entry);
    if (text === null) throw new InvalidConfig(`${where} config should be an array of strings`);
    return budget.spend(text);
  });
}

/** Commands: a text, or an array of texts and, by anchors, of such arrays. Null when there is nothing. */
export function readCommands(value: unknown, where: string, budget: ExpansionLimit, depth = 0): string[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) {
    const text = scalarText(value);
    if (text !== null) return [budget.spend(text)];
  }
  if (!Array.isArray(value) || depth > 2) {
    throw new InvalidConfig(`${where} config should be a string or an array of strings`);
  }
  return value.flatMap((entry) => readCommands(entry, where, budget, depth + 1) ?? []);
}

/** Texts by their names. Throws InvalidConfig. */
export function readVariables(value: unknown, where: string, budget: ExpansionLimit): Variables {
  if (value === undefined || value === null) return {};
  const entries = isRecord(value) ? Object.entries(value) : null;
  if (!entries?.every(([, text]) => scalarText(text) !== null)) {
    throw new InvalidConfig(`${where} config should be a hash of key value pairs`);
  }
  return Object.fromEntries(entries.map(([key, text]) => [budget.spend(key), budget.spend(String(text))]));
}

/** A copy of any value as JSON can hold it, within the budget. Throws InvalidConfig. */
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
