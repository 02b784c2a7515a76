import { type Position, wrong } from '#src/domain/ci/pipelines/config/yaml/error.ts';

/** The value of an unquoted text: null, a boolean, a number, or a string. Numbers that would lose digits stay strings. */
export function resolvePlain(text: string): unknown {
  if (NULLS.has(text)) return null;
  const truth = TRUTH.get(text);
  if (truth !== undefined) return truth;
  if (!/^[-+.\d]/.test(text)) return text;
  const number = numberOf(text);
  return number === null ? text : number;
}

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUTH = new Map([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
]);

/** Leading zeros mean octal in YAML 1.1 and nothing in 1.2: such a text stays a string. */
function numberOf(text: string): number | null {
  if (/^0[xo][0-9a-fA-F]{1,12}$/.test(text)) return Number.isNaN(Number(text)) ? null : Number(text);
  if (/^[-+]?(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (/^[-+]?(?:0|[1-9]\d{0,14})?\.\d{1,15}(?:[eE][-+]?\d{1,3})?$/.test(text)) return Number(text);
  return null;
}

/** The value of a text with a tag. Throws InvalidConfig for unknown tags and mismatched values. */
export function resolveTagged(text: string, tag: Position & { value: string }): unknown {
  if (tag.value === '!') return text;
  const kind = KINDS.get(nameOf(tag.value));
  if (!kind) throw wrong(`The tag ${tag.value} is not supported`, tag);
  const value = kind === 'string' ? text : kind === 'boolean' ? (WORDS.get(text) ?? null) : resolvePlain(text);
  const isKind = kind === 'null' ? value === null : typeof value === kind;
  if (!isKind) throw wrong(`The value does not fit the tag ${tag.value}`, tag);
  return value;
}

/** Whether a tag says that a key merges another map. */
export function isMergeTag(tag: string): boolean {
  return nameOf(tag) === 'merge';
}

/** The name of a tag of YAML; empty for others. */
function nameOf(tag: string): string {
  const [, short, long] = /^(?:!!(\w+)|!<tag:yaml\.org,2002:(\w+)>)$/.exec(tag) ?? [];
  return short ?? long ?? '';
}

/** The words of YAML 1.1, which mean a boolean where a tag says so. */
const WORDS = new Map([
  ...TRUTH,
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);

/** What plain texts with these tags mean; times are texts here. */
const KINDS = new Map<string, 'string' | 'number' | 'boolean' | 'null'>([
  ['str', 'string'],
  ['int', 'number'],
  ['float', 'number'],
  ['bool', 'boolean'],
  ['null', 'null'],
  ['merge', 'string'],
  ['value', 'string'],
  ['timestamp', 'string'],
]);
