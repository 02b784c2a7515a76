import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';

type Values = Record<string, unknown>;

/** What a template knows: the roots `.Values` and `.Release`, and variables of `range`. */
interface Scope {
  roots: Values;
  variables: Values;
}

type Token = { text: string } | { code: string };

/** The documents that a Helm chart renders to, by the part of Go's templates that ours uses; anything else is an Error. */
export function renderChart(chart: string, given: Values = {}, release = 'our'): Values[] {
  return readdirSync(path.join(chart, 'templates'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => renderTemplate(chart, name, given, release))
    .flatMap((text) => (text.trim() === '' ? [] : [parse(text) as Values]));
}

/** The text that one template of a Helm chart renders to. */
export function renderTemplate(chart: string, name: string, given: Values = {}, release = 'our'): string {
  const values = merge(parse(readFileSync(path.join(chart, 'values.yaml'), 'utf8')), given);
  const scope = { roots: { Values: values, Release: { Name: release, Namespace: 'here' } }, variables: {} };
  return render(tokens(readFileSync(path.join(chart, 'templates', name), 'utf8')), scope);
}

function merge(base: unknown, change: unknown): unknown {
  if (!isMap(base) || !isMap(change)) return change;
  const names = new Set([...Object.keys(base), ...Object.keys(change)]);
  return Object.fromEntries(
    [...names].map((name) => [name, name in change ? merge(base[name], change[name]) : base[name]]),
  );
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tokens(template: string): Token[] {
  const found: Token[] = [];
  const rest = template.replaceAll(/\s*\{\{-/g, '{{').replaceAll(/-\}\}\s*/g, '}}');
  for (const [at, part] of rest.split(/\{\{(.*?)\}\}/).entries()) {
    found.push(at % 2 === 0 ? { text: part } : { code: part.trim() });
  }
  return found;
}

function render(left: Token[], scope: Scope, isWanted = true): string {
  let text = '';
  for (let token = left.shift(); token !== undefined; token = left.shift()) {
    if ('text' in token) text += token.text;
    else if (token.code === 'end') return isWanted ? text : '';
    else if (token.code.startsWith('if ')) {
      text += render(left, scope, isWanted && isTrue(evaluate(token.code.slice(3), scope)));
    } else if (token.code.startsWith('range ')) text += repeat(token.code, left, scope);
    else if (isWanted) text += String(evaluate(token.code, scope) ?? '');
  }
  return isWanted ? text : '';
}

function repeat(code: string, left: Token[], scope: Scope): string {
  const [, key = '', value = '', list = ''] = /^range \$(\w+), \$(\w+) := (.+)$/.exec(code) ?? [];
  const body = [...left];
  let text = '';
  let after = [...body];
  for (const [name, content] of Object.entries((evaluate(list, scope) ?? {}) as Values)) {
    after = [...body];
    text += render(after, { ...scope, variables: { ...scope.variables, [key]: name, [value]: content } });
  }
  if (text === '') render(after, scope, false);
  left.splice(0, left.length, ...after);
  return text;
}

function isTrue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

const FUNCTIONS: Record<string, (...given: never[]) => unknown> = {
  not: (value: unknown) => !isTrue(value),
  quote: (value: unknown) => JSON.stringify(String(value)),
  default: (usual: unknown, value: unknown) => (isTrue(value) ? value : usual),
  printf: (format: string, ...given: unknown[]) => format.replaceAll('%s', () => String(given.shift())),
  add: (...given: number[]) => given.reduce((sum, one) => sum + one, 0),
  join: (between: string, list: unknown[]) => list.join(between),
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  nindent: (width: number, text: string) => `\n${text.replaceAll(/^/gm, ' '.repeat(width))}`,
};

/** A pipeline: what comes out of a part is the last argument of the next one. */
function evaluate(code: string, scope: Scope): unknown {
  let result: unknown[] = [];
  for (const part of code.match(/(?:\([^)]*\)|"[^"]*"|[^|])+/g) ?? []) {
    const words = (part.match(/\([^)]*\)|"[^"]*"|[^\s]+/g) ?? []).map((word) => word.trim());
    const [first = ''] = words;
    const call = Object.hasOwn(FUNCTIONS, first) ? FUNCTIONS[first] : undefined;
    const given = (call ? words.slice(1) : words).map((word) => operand(word, scope));
    if (!call && given.length !== 1) throw new Error(`"${part}" is beyond this renderer`);
    result = [call ? call(...([...given, ...result] as never[])) : given[0]];
  }
  return result[0];
}

function operand(word: string, scope: Scope): unknown {
  if (word.startsWith('(')) return evaluate(word.slice(1, -1), scope);
  if (word.startsWith('"')) return JSON.parse(word);
  if (/^\d+$/.test(word)) return Number(word);
  if (word.startsWith('$')) return scope.variables[word.slice(1)];
  const names = /^\.(\w+(?:\.\w+)*)$/.exec(word)?.[1]?.split('.');
  if (!names) throw new Error(`"${word}" is beyond this renderer`);
  return names.reduce<unknown>((value, name) => {
    if (!isMap(value) || !(name in value)) throw new Error(`There is no value ${word}`);
    return value[name];
  }, scope.roots);
}
