import type { Endpoint } from '#rest/engine/compile.ts';
import type { Route } from '#rest/engine/route.ts';

interface Branch {
  literals: Map<string, Branch>;
  parameter: Branch | null;
  /** Whether the parameter may span several segments. */
  slashes: boolean;
  endpoints: Map<string, () => Endpoint>;
}

/** The endpoints at a path by method, each made when it is first asked for, with the path's parameter values in order. */
export interface Match {
  endpoints: ReadonlyMap<string, () => Endpoint>;
  values: string[];
}

/** A tree over path segments. Literal segments win over parameters, and shorter parameters over longer ones. */
export class Router {
  readonly #root = branch();

  add({ method, path, slashes }: Pick<Route, 'method' | 'path' | 'slashes'>, endpoint: () => Endpoint): void {
    let at = this.#root;
    for (const segment of segments(path)) {
      if (segment.startsWith(':')) {
        at.parameter ??= branch();
        at.slashes ||= slashes?.includes(segment.slice(1)) ?? false;
        at = at.parameter;
      } else {
        const next = at.literals.get(segment) ?? branch();
        at.literals.set(segment, next);
        at = next;
      }
    }
    at.endpoints.set(method, endpoint);
  }

  /**
   * Finds what is at a path below /api/v4, still encoded; of several matching routes, the first that has the method. Doubled and
   * trailing slashes are ignored, and a `.json` suffix is removed if nothing matches with it. Null if nothing matches or a
   * segment is badly encoded.
   */
  find(path: string, method: string): Match | null {
    const parts = segments(path);
    const match = this.#best(parts, method);
    if (match) return match;
    const last = parts.at(-1);
    return last?.endsWith('.json') ? this.#best([...parts.slice(0, -1), last.slice(0, -5)], method) : null;
  }

  #best(parts: string[], method: string): Match | null {
    let first: Match | null = null;
    for (const match of walk(this.#root, parts, 0, [])) {
      if (match.endpoints.has(method)) return match;
      first ??= match;
    }
    return first;
  }
}

function* walk(at: Branch, parts: string[], index: number, values: string[]): Generator<Match> {
  const part = parts[index];
  if (part === undefined) {
    if (at.endpoints.size > 0) yield { endpoints: at.endpoints, values };
    return;
  }
  const literal = at.literals.get(part);
  if (literal) yield* walk(literal, parts, index + 1, values);
  if (!at.parameter) return;
  let value = decode(part);
  for (let end = index + 1; value !== null; end++) {
    yield* walk(at.parameter, parts, end, [...values, value]);
    const next = at.slashes ? parts[end] : undefined;
    const more = next === undefined ? null : decode(next);
    value = more === null ? null : `${value}/${more}`;
  }
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function decode(segment: string): string | null {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    return null;
  }
}

function branch(): Branch {
  return { literals: new Map(), parameter: null, slashes: false, endpoints: new Map() };
}
