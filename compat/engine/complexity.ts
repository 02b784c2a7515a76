import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** The size of an operation as clients of today expect it to be counted. */
export interface Complexity {
  /** One for each field, in fragments once per spread; lists do not multiply. */
  readonly complexity: number;
  /** Levels of fields. */
  readonly depth: number;
  /** Spreads of fragments, those in fragments once per spread. */
  readonly spreads: number;
}

const NOTHING: Complexity = { complexity: 0, depth: 0, spreads: 0 };

/** Counts the fields of an operation. Each fragment is visited once; none is within itself. Introspection counts as one field. */
export function complexityOf({ definitions }: DocumentNode, operation: OperationDefinitionNode): Complexity {
  const fragments = new Map<string, SelectionSetNode>();
  for (const one of definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one.selectionSet);
  }
  const counted = new Map<string, Complexity>();
  const ofFragment = (name: string): Complexity => {
    const set = fragments.get(name);
    const known = counted.get(name) ?? (set ? of(set) : NOTHING);
    counted.set(name, known);
    return known;
  };
  const of = ({ selections }: SelectionSetNode): Complexity => {
    let complexity = 0;
    let depth = 0;
    let spreads = 0;
    for (const one of selections) {
      let part = NOTHING;
      if (one.kind === Kind.FRAGMENT_SPREAD) part = ofFragment(one.name.value);
      else if (one.kind === Kind.INLINE_FRAGMENT) part = of(one.selectionSet);
      else if (one.name.value !== '__typename') {
        const inner = one.selectionSet && !one.name.value.startsWith('__') ? of(one.selectionSet) : NOTHING;
        part = { complexity: inner.complexity + 1, depth: inner.depth + 1, spreads: inner.spreads };
      }
      complexity = Math.min(complexity + part.complexity, Number.MAX_SAFE_INTEGER);
      depth = Math.max(depth, part.depth);
      const own = one.kind === Kind.FRAGMENT_SPREAD ? 1 : 0;
      spreads = Math.min(spreads + part.spreads + own, Number.MAX_SAFE_INTEGER);
    }
    return { complexity, depth, spreads };
  };
  return of(operation.selectionSet);
}

/** What a caller's operation may have. */
export interface Admission {
  readonly complexity: number;
  readonly depth: number;
}

/** By kinds of callers, as GitLab documents them. */
export const ADMISSION = {
  visitor: { complexity: 200, depth: 15 },
  user: { complexity: 250, depth: 20 },
  administrator: { complexity: 300, depth: 20 },
} as const satisfies Record<string, Admission>;

/** What is wrong with the size of an operation; empty if nothing is. */
export function tooComplex({ complexity, depth }: Complexity, most: Admission): string[] {
  const told: string[] = [];
  if (complexity > most.complexity) {
    told.push(`Query has complexity of ${complexity}, which exceeds max complexity of ${most.complexity}`);
  }
  if (depth > most.depth) told.push(`Query has depth of ${depth}, which exceeds max depth of ${most.depth}`);
  return told;
}
