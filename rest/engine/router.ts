import type { Endpoint } from '#rest/engine/compile.ts';

interface Branch {
  literals: Map<string, Branch>;
  parameter: Branch | null;
  endpoints: Map<string, Endpoint>;
}

/** The endpoints at a path by method, with the values of the path's parameters in order. */
export interface Match {
  endpoints: ReadonlyMap<string, Endpoint>;
  values: string[];
}

/** A tree over path segments. Literal segments win over parameters. */
export class Router {
  readonly #root = branch();

  add(endpoint: Endpoint): void {
    let at = this.#root;
    for (const segment of segments(endpoint.route.path)) {
      if (segment.startsWith(':')) {
        at.parameter ??= branch();
        at = at.parameter;
      } else {
        const next = at.literals.get(segment) ?? branch();
        at.literals.set(segment, next);
        at = next;
      }
    }
    at.endpoints.set(endpoint.route.method, endpoint);
  }

  /**
   * What is at a path below /api/v4, still encoded. Doubled and trailing slashes do not matter, and a `.json`
   * behind the last segment is taken off. Null when nothing is there or a segment is badly encoded.
   */
  find(path: string): Match | null {
    const parts = segments(path);
    const match = walk(this.#root, parts, 0, []);
    if (match) return match;
    const last = parts.at(-1);
    return last?.endsWith('.json') ? walk(this.#root, [...parts.slice(0, -1), last.slice(0, -5)], 0, []) : null;
  }
}

function walk(at: Branch, parts: string[], index: number, values: string[]): Match | null {
  const part = parts[index];
  if (part === undefined) return at.endpoints.size > 0 ? { endpoints: at.endpoints, values } : null;
  const literal = at.literals.get(part);
  const found = literal && walk(literal, parts, index + 1, values);
  if (found || !at.parameter) return found ?? null;
  const value = decode(part);
  return value === null ? null : walk(at.parameter, parts, index + 1, [...values, value]);
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
  return { literals: new Map(), parameter: null, endpoints: new Map() };
}
