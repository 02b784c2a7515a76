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
  const [, short, long] = /^(?:!!(\w+)|!<tag:yaml\.org,2002:(\w+)>)$/.exec(tag.value) ?? [];
  const kind = KINDS.get(short ?? long ?? '');
  if (!kind) throw wrong(`The tag ${tag.value} is not supported`, tag);
  const value = kind === 'string' ? text : resolvePlain(text);
  const isKind = kind === 'null' ? value === null : typeof value === kind;
  if (!isKind) throw wrong(`The value does not fit the tag ${tag.value}`, tag);
  return value;
}

const KINDS = new Map<string, 'string' | 'number' | 'boolean' | 'null'>([
  ['str', 'string'],
  ['int', 'number'],
  ['float', 'number'],
  ['bool', 'boolean'],
  ['null', 'null'],
]);
