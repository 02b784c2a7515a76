import { parseJson } from '#src/base/json.ts';
import type { PatternMatcher } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import { Reference } from '#src/domain/ci/pipelines/config/base/reference.ts';
import { ABOUT_COMPONENT, type AboutComponent } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { isMap, isRecord, type Raw, requireKeys, scalarText } from '#src/domain/ci/pipelines/config/base/values.ts';

const TYPES = ['string', 'number', 'boolean', 'array'] as const;
const MAX_OPTIONS = 50;
/** Characters of a text with all its inputs put in. */
const MAX_TEXT_LENGTH = 1024 * 1024;

interface Options {
  matcher: PatternMatcher;
  /** Whether the values come from who starts the pipeline, who may have nothing but texts to give: a form has no other values. */
  isFromOutside: boolean;
  /** What a component may ask of itself; null in other files. */
  about: AboutComponent | null;
}

/** Puts the inputs that a file declares in its header in their places. Throws InvalidConfig. */
export function withInputs(content: unknown, header: unknown, given: Raw, options: Options): unknown {
  const declared = declaredInputs(header);
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) throw new InvalidConfig(`unknown input arguments: ${unknown.join(', ')}`);
  const inputs = Object.fromEntries(
    Object.entries(declared).map(([name, spec]) => [name, inputOf(name, spec, given, options)]),
  );
  return header === null ? content : new Interpolation(inputs, askedOf(header, options.about)).of(content);
}

/** What the header of a component asks of itself. */
function askedOf(header: unknown, about: AboutComponent | null): Raw {
  const asked = isRecord(header) && isRecord(header.spec) ? header.spec.component : null;
  if (asked == null) return {};
  const isKnown = (one: unknown) => ABOUT_COMPONENT.some((key) => key === one);
  if (!Array.isArray(asked) || !asked.every(isKnown)) {
    throw new InvalidConfig(`header:spec:component config should be an array of: ${ABOUT_COMPONENT.join(', ')}`);
  }
  return about ? Object.fromEntries(Object.entries(about).filter(([key]) => asked.includes(key))) : {};
}

function declaredInputs(header: unknown): Raw {
  if (header === null) return {};
  if (!isRecord(header)) throw new InvalidConfig('header:spec config should be a hash');
  requireKeys(header, 'header', ['spec']);
  const { spec } = header;
  if (!isRecord(spec)) throw new InvalidConfig('header:spec config should be a hash');
  requireKeys(spec, 'header:spec', ['inputs', 'component']);
  if (spec.inputs == null) return {};
  if (!isRecord(spec.inputs)) throw new InvalidConfig('header:spec:inputs config should be a hash');
  return spec.inputs;
}

function inputOf(name: string, declared: unknown, given: Raw, { matcher, isFromOutside }: Options): unknown {
  const where = `\`${name}\` input`;
  if (declared !== null && !isRecord(declared))
    throw new InvalidConfig(`header:spec:inputs:${name} config should be a hash`);
  const spec = declared ?? {};
  requireKeys(spec, `header:spec:inputs:${name}`, ['default', 'description', 'options', 'regex', 'type']);
  const type = TYPES.find((one) => one === (spec.type ?? 'string'));
  if (!type)
    throw new InvalidConfig(`header:spec:inputs:${name} input type unknown value: ${scalarText(spec.type) ?? ''}`);
  const own = given[name];
  const value = (isFromOutside && typeof own === 'string' ? meant(own, type) : own) ?? spec.default;
  if (value == null) throw new InvalidConfig(`${where}: required value has not been provided`);
  const isFitting = type === 'array' ? Array.isArray(value) : typeof value === type;
  if (!isFitting) throw new InvalidConfig(`${where}: provided value is not ${type === 'array' ? 'an' : 'a'} ${type}`);
  const { options, regex } = spec;
  if (options != null) {
    if (!Array.isArray(options) || options.length > MAX_OPTIONS) {
      throw new InvalidConfig(`header:spec:inputs:${name} options should be an array of at most ${MAX_OPTIONS} values`);
    }
    if (!options.includes(value))
      throw new InvalidConfig(
        `${where}: \`${scalarText(value)}\` cannot be used because it is not in the list of allowed options`,
      );
  }
  if (regex != null) {
    const isMatch =
      type === 'string' && typeof regex === 'string' && matcher.matchesCondition(`/${regex}/`, String(value));
    if (!isMatch) throw new InvalidConfig(`${where}: provided value does not match required RegEx pattern`);
  }
  return value;
}

/** The value of the type that a text stands for; the text itself if it stands for none. */
function meant(text: string, type: (typeof TYPES)[number]): unknown {
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type !== 'array') return text;
  try {
    const value = parseJson(Buffer.from(text));
    return Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

const PLACE = /\$\[\[\s*([^\]]*?)\s*\]\]/g;

class Interpolation {
  readonly #inputs: Raw;
  readonly #component: Raw;
  #left = MAX_TEXT_LENGTH;

  constructor(inputs: Raw, component: Raw) {
    this.#inputs = inputs;
    this.#component = component;
  }

  of(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (value instanceof Reference) return new Reference(value.path.map((key) => this.of(key)));
    if (Array.isArray(value)) return value.map((entry) => this.of(entry));
    if (!isMap(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [String(this.#text(key)), this.of(entry)]));
  }

  /** A text that consists of one input has its type. */
  #text(text: string): unknown {
    if (!text.includes('$[[')) return text;
    const [whole] = text.matchAll(PLACE);
    if (whole && whole[0] === text.trim()) return this.#input(whole[1] ?? '');
    const made = text.replace(PLACE, (_place, inner: string) => {
      const value = this.#input(inner);
      return scalarText(value) ?? JSON.stringify(value);
    });
    this.#left -= made.length;
    if (this.#left < 0) throw new InvalidConfig('The configuration is too large');
    return made;
  }

  #input(inner: string): unknown {
    const [path = '', ...functions] = inner.split('|').map((part) => part.trim());
    const [, place, name = ''] = /^(inputs|component)\.(.+)$/su.exec(path) ?? [];
    const values = place === 'component' ? this.#component : this.#inputs;
    if (place === undefined || !Object.hasOwn(values, name)) {
      const names = Object.keys(values).map((one) => `\`${one}\``);
      const known = names.length === 0 ? '' : `; there are ${names.slice(0, MAX_OPTIONS).join(', ')}`;
      throw new InvalidConfig(`unknown interpolation key: \`${path.replace(/^inputs\./, '')}\`${known}`);
    }
    return functions.reduce(apply, values[name]);
  }
}

/** `truncate(offset, length)`, `posix_escape`; `expand_vars` changes nothing, as variables are expanded where they are used. */
function apply(value: unknown, call: string): unknown {
  if (call === 'expand_vars') return value;
  if (call === 'posix_escape' && typeof value === 'string') return escaped(value);
  const [, offset, length] = /^truncate\(\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\)$/.exec(call) ?? [];
  if (offset === undefined || typeof value !== 'string') {
    throw new InvalidConfig(
      `no function matching \`${call}\`: check that the function name, arguments, and types are correct`,
    );
  }
  return value.slice(Number(offset), Number(offset) + Number(length));
}

/** A text as one word for a shell. */
function escaped(text: string): string {
  if (text === '') return "''";
  return text.replace(/[^\w\-.,:+/@\n]/gu, '\\$&').replaceAll('\n', "'\n'");
}
