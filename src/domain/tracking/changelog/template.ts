/** What a template shows: texts, numbers, switches, and maps and lists of them. */
export type Value = string | number | boolean | null | undefined | readonly Value[] | { readonly [key: string]: Value };

/** Characters of the longest result. */
const MAX_RESULT_LENGTH = 1024 * 1024;
/** Parts of all loops that are written, and how deep they nest. */
const MAX_STEPS = 200_000;
const MAX_LOOP_DEPTH = 20;

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: string[] }
  | { kind: 'if'; path: string[]; body: Node[]; otherwise: Node[] }
  | { kind: 'each'; path: string[]; body: Node[]; otherwise: Node[] };

/** A template that is wrong or makes too much. */
export class InvalidTemplate extends Error {
  override name = 'InvalidTemplate';
}

/**
 * Writes values by a template: `{{ a.b }}` is a value, `{% if a %}…{% else %}…{% end %}` shows a part, and `{% each a %}…{% end %}` repeats
 * it for each of a list. `it` is the value at hand. A tag `{% … %}` at the end of a line takes the line break with it, and so does a
 * backslash. Throws InvalidTemplate.
 */
export function renderTemplate(template: string, values: Value): string {
  const parser = new Parser(template);
  const nodes = parser.parse();
  let [result, steps] = ['', 0];
  const write = (list: readonly Node[], scope: Value) => {
    for (const node of list) {
      if (++steps > MAX_STEPS || result.length > MAX_RESULT_LENGTH)
        throw new InvalidTemplate('The changelog becomes too long');
      if (node.kind === 'text') result += node.text;
      else if (node.kind === 'value') result += textOf(valueAt(scope, node.path));
      else if (node.kind === 'if') write(isSet(valueAt(scope, node.path)) ? node.body : node.otherwise, scope);
      else {
        const items = valueAt(scope, node.path);
        if (!Array.isArray(items) || items.length === 0) write(node.otherwise, scope);
        else for (const item of items) write(node.body, item);
      }
    }
  };
  write(nodes, values);
  return result;
}

function isSet(value: Value): boolean {
  return Array.isArray(value)
    ? value.length > 0
    : value !== null && value !== undefined && value !== false && value !== '';
}

function textOf(value: Value): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function valueAt(scope: Value, path: readonly string[]): Value {
  let at: Value = scope;
  for (const name of path) {
    if (name === 'it') continue;
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, name)) return null;
    at = (at as { readonly [key: string]: Value })[name];
  }
  return at;
}

const TAG = /\{\{\s*([\w.]+)\s*\}\}|\{%\s*(?:(if|each)\s+([\w.]+)|(else|end))\s*%\}\n?|\\\n/g;

/** Reads a template, tag by tag. */
class Parser {
  readonly #parts: (string | RegExpExecArray)[] = [];
  #at = 0;

  constructor(template: string) {
    let from = 0;
    for (const match of template.matchAll(TAG)) {
      this.#parts.push(template.slice(from, match.index), match);
      from = match.index + match[0].length;
    }
    this.#parts.push(template.slice(from));
  }

  parse(): Node[] {
    const { nodes, end } = this.#block(0);
    if (end !== null) throw new InvalidTemplate(`There is an {% ${end} %} without a beginning`);
    return nodes;
  }

  /** The nodes up to the tag that ends a block, or to the end of the template. */
  #block(depth: number): { nodes: Node[]; end: string | null } {
    if (depth > MAX_LOOP_DEPTH) throw new InvalidTemplate('The template nests too deeply');
    const nodes: Node[] = [];
    while (this.#at < this.#parts.length) {
      const part = this.#parts[this.#at++];
      if (typeof part === 'string') {
        const [wrong] = /\{%.{0,40}/s.exec(part) ?? [];
        if (wrong !== undefined) throw new InvalidTemplate(`There is something else where a tag should be: ${wrong}`);
        if (part !== '') nodes.push({ kind: 'text', text: part });
        continue;
      }
      const [, value, block, path = '', end] = part ?? [];
      if (value !== undefined) nodes.push({ kind: 'value', path: value.split('.') });
      else if (block === 'if' || block === 'each') nodes.push(this.#nested(block, path.split('.'), depth + 1));
      else if (end !== undefined) return { nodes, end };
    }
    return { nodes, end: null };
  }

  #nested(kind: 'if' | 'each', path: string[], depth: number): Node {
    const first = this.#block(depth);
    const second = first.end === 'else' ? this.#block(depth) : { nodes: [], end: first.end };
    if (second.end !== 'end') throw new InvalidTemplate(`There is an {% ${kind} %} without an {% end %}`);
    return { kind, path, body: first.nodes, otherwise: second.nodes };
  }
}
