import { Reference } from '#src/domain/ci/pipelines/config/base/reference.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { wrong } from '#src/domain/ci/pipelines/config/yaml/error.ts';
import { isMergeTag, resolvePlain, resolveTagged } from '#src/domain/ci/pipelines/config/yaml/resolve.ts';
import { scan, type Token, type TokenType } from '#src/domain/ci/pipelines/config/yaml/scan.ts';

/** Values of the largest file; repeated or merged ones count each time. */
export const MAX_VALUES = 100_000;
/** Aliases in one file. */
export const MAX_ALIASES = 5_000;
/** Maximum nesting of lists and maps. */
export const MAX_YAML_DEPTH = 100;

/** The tag of a list that stands for a value elsewhere in the file. */
const REFERENCE = '!reference';

/**
 * Parses a text with one YAML document. Maps have no prototype, and all aliases of an anchor share one value. Unquoted texts may
 * be numbers, booleans and null, as in the core schema of YAML 1.2; a list with the tag `!reference` is a Reference. Takes time proportional to the length of the text and
 * `MAX_VALUES`. Throws InvalidConfig.
 */
export function loadYaml(text: string): unknown {
  return new Loader(scan(text)).load(1)[0];
}

/** Like loadYaml, for a text that may have a header: a document before its own. */
export function loadYamlWithHeader(text: string): { header: unknown; content: unknown } {
  const documents = new Loader(scan(text)).load(2);
  return { header: documents.length > 1 ? documents[0] : null, content: documents.at(-1) };
}

/** The value of an anchor. */
interface Anchored {
  value: unknown;
  /** Number of values in it, including itself. */
  size: number;
}

class Loader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #values = 0;
  #aliases = 0;
  /** Null for an anchor whose value is still being read. */
  readonly #anchors = new Map<string, Anchored | null>();

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  load(most: number): unknown[] {
    const documents: unknown[] = [];
    do {
      this.#skipAll('...');
      this.#skip('---');
      documents.push(this.#is('---', '...', 'stop') ? null : this.#node(true));
      this.#skipAll('...');
      this.#anchors.clear();
    } while (this.#is('---') && documents.length < most);
    if (this.#is('---'))
      throw wrong(`A ${most === 1 ? 'second' : 'third'} document, which is not supported`, this.#token);
    if (!this.#is('stop')) throw wrong('Something else than a key or an entry of the list', this.#token);
    return documents;
  }

  get #token(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (!token) throw new Error('A text without tokens');
    return token;
  }

  #is(...types: TokenType[]): boolean {
    return types.includes(this.#token.type);
  }

  #next(): Token {
    const token = this.#token;
    this.#at++;
    return token;
  }

  #skip(type: TokenType): boolean {
    const isThere = this.#is(type);
    if (isThere) this.#at++;
    return isThere;
  }

  #skipAll(type: TokenType): void {
    while (this.#skip(type));
  }

  #count(values: number): void {
    this.#values += values;
    if (this.#values > MAX_VALUES) {
      throw new InvalidConfig(`The file has more than ${MAX_VALUES} values, with those that aliases and merges repeat`);
    }
  }

  /** @param mayBeUnindented whether a list may begin in the column of its key */
  #node(isBlock: boolean, mayBeUnindented = false): unknown {
    if (this.#is('*')) return this.#alias();
    this.#count(1);
    const { anchor, tag } = this.#properties();
    if (anchor === undefined) return this.#content(isBlock, mayBeUnindented, tag);
    const before = this.#values;
    this.#anchors.set(anchor.value, null);
    const value = this.#content(isBlock, mayBeUnindented, tag, anchor);
    this.#anchors.set(anchor.value, { value, size: this.#values - before + 1 });
    return value;
  }

  #properties(): { anchor?: Token | undefined; tag?: Token | undefined } {
    const first = this.#is('&', '!') ? this.#next() : undefined;
    const second = this.#is('&', '!') && this.#token.type !== first?.type && first ? this.#next() : undefined;
    return first?.type === '&' ? { anchor: first, tag: second } : { anchor: second, tag: first };
  }

  #alias(): unknown {
    const token = this.#next();
    this.#aliases++;
    if (this.#aliases > MAX_ALIASES) throw new InvalidConfig(`The file has more than ${MAX_ALIASES} aliases`);
    const found = this.#anchors.get(token.value);
    if (found === undefined) throw wrong(`The anchor of *${token.value} is missing before it`, token);
    if (found === null) throw wrong(`*${token.value} is within its own anchor`, token);
    this.#count(found.size);
    return found.value;
  }

  #content(isBlock: boolean, mayBeUnindented: boolean, tag: Token | undefined, anchor?: Token): unknown {
    const token = this.#token;
    if (token.type === 'text') {
      this.#next();
      return tag ? resolveTagged(token.value, tag) : token.isPlain ? resolvePlain(token.value) : token.value;
    }
    if (token.type === '[' || (isBlock && (token.type === 'block [' || (mayBeUnindented && token.type === '-')))) {
      const isReference = tag?.value === REFERENCE;
      if (!isReference) requireTag(tag, 'seq');
      const list = this.#within(token, () => this.#list(token.type));
      return isReference ? new Reference(list) : list;
    }
    if (token.type === '{' || (isBlock && token.type === 'block {')) {
      requireTag(tag, 'map');
      return this.#within(token, () => this.#map(token.type));
    }
    if (!tag && !anchor) throw wrong(`${named(token)} where a value should be`, token);
    return tag ? resolveTagged('', tag) : null;
  }

  #within<Value>(token: Token, read: () => Value): Value {
    this.#depth++;
    if (this.#depth > MAX_YAML_DEPTH)
      throw wrong(`The file has more than ${MAX_YAML_DEPTH} lists or maps within each other`, token);
    const value = read();
    this.#depth--;
    return value;
  }

  #list(type: TokenType): unknown[] {
    if (type === '[') return this.#flowList();
    const list: unknown[] = [];
    const isUnindented = type === '-';
    if (!isUnindented) this.#next();
    while (this.#skip('-')) list.push(this.#is('-', 'end', '?', ':') ? this.#nothing() : this.#node(true));
    if (!isUnindented && !this.#skip('end')) throw wrong(`${named(this.#token)} where - should be`, this.#token);
    return list;
  }

  #map(type: TokenType): Record<string, unknown> {
    const map = new Entries((values) => this.#count(values));
    this.#next();
    if (type === '{') {
      this.#flowEntries('}', () => map.add(...this.#flowPair('}')));
      return map.values;
    }
    while (this.#is('?')) {
      const place = this.#next();
      const isPlain = this.#isPlainKey();
      const key = this.#is('?', ':', 'end') ? null : this.#key(true);
      const value = this.#skip(':') && !this.#is('?', ':', 'end') ? this.#node(true, true) : this.#nothing();
      map.add(place, key, isPlain, value);
    }
    if (!this.#skip('end')) throw wrong(`${named(this.#token)} where a key should be`, this.#token);
    return map.values;
  }

  #flowList(): unknown[] {
    this.#next();
    const list: unknown[] = [];
    this.#flowEntries(']', () => {
      if (!this.#is('?')) {
        list.push(this.#node(false));
        return;
      }
      // A key and its value without braces.
      this.#count(1);
      const map = new Entries((values) => this.#count(values));
      map.add(...this.#flowPair(']'));
      list.push(map.values);
    });
    return list;
  }

  #flowEntries(end: ']' | '}', read: () => void): void {
    for (let isFirst = true; !this.#skip(end); isFirst = false) {
      if (!isFirst) {
        if (!this.#skip(',')) throw wrong(`${named(this.#token)} where , or ${end} should be`, this.#token);
        if (this.#skip(end)) return;
      }
      read();
    }
  }

  #flowPair(end: ']' | '}'): Parameters<Entries['add']> {
    const place = this.#token;
    const isKey = this.#skip('?');
    const isPlain = this.#isPlainKey();
    const key = isKey && this.#is(':', ',', end) ? null : this.#key(false);
    const value = isKey && this.#skip(':') && !this.#is(',', end) ? this.#node(false) : this.#nothing();
    return [place, key, isPlain, value];
  }

  /** Whether a key that follows is unquoted, or merges by its tag. */
  #isPlainKey(): boolean {
    const { type, value, isPlain } = this.#token;
    return isPlain || (type === '!' && isMergeTag(value));
  }

  /** Reads a key as written. */
  #key(isBlock: boolean): unknown {
    const token = this.#token;
    if (token.type !== 'text') return this.#node(isBlock, true);
    this.#count(1);
    this.#next();
    return token.value;
  }

  #nothing(): null {
    this.#count(1);
    return null;
  }
}

/** The entries of a map: the last of equal keys wins, and merged keys replace none. */
class Entries {
  readonly values: Record<string, unknown> = Object.create(null);
  readonly #count: (values: number) => void;

  constructor(count: (values: number) => void) {
    this.#count = count;
  }

  add(place: Token, key: unknown, isPlain: boolean, value: unknown): void {
    if (key === '<<' && isPlain) {
      for (const source of Array.isArray(value) ? value : [value]) this.#merge(place, source);
    } else if (typeof key === 'object' && key !== null) {
      throw wrong('A list or map as a key', place);
    } else {
      this.values[String(key ?? '')] = value;
    }
  }

  #merge(place: Token, source: unknown): void {
    if (typeof source !== 'object' || source === null || Array.isArray(source)) {
      throw wrong('Only maps can be merged with <<', place);
    }
    const entries = Object.entries(source);
    this.#count(entries.length);
    for (const [key, value] of entries) if (!Object.hasOwn(this.values, key)) this.values[key] = value;
  }
}

function requireTag(tag: Token | undefined, kind: 'map' | 'seq'): void {
  const known = ['!', `!!${kind}`, `!<tag:yaml.org,2002:${kind}>`];
  if (tag && !known.includes(tag.value)) throw wrong(`The tag ${tag.value} is not supported`, tag);
}

function named({ type, value }: Token): string {
  if (type === 'text') return 'A text';
  if (type === 'stop') return 'The end of the file';
  if (type === 'end') return 'The end of a block';
  if (type.startsWith('block')) return type === 'block [' ? 'A list' : 'A map';
  return `${type}${value}`;
}
