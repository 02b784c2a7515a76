import {
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/** What one operation may ask for at most. Fields of the introspection do not count. */
export interface Limits {
  /** Levels of fields below the operation. */
  depth: number;
  /**
   * Fields, those under a list counted as often as the list's `limit`, `first` or `last` says (100 for a variable), those
   * under a list that is never cut (UNCUT) a hundred times; some count more than once (COSTS).
   */
  cost: number;
  /** Aliases in all. */
  aliases: number;
  /** Operations that one request may carry. */
  batch: number;
}

export const DEFAULT_LIMITS: Limits = { depth: 12, cost: 25_000, aliases: 120, batch: 10 };

/** Fields with all records of a list. */
const UNCUT = new Set(['allProjects', 'allSharedProjects', 'allCommits', 'diffs']);

/** What single fields cost that take work or memory beyond a record's; others cost 1. */
const COSTS: Readonly<Record<string, number>> = {
  content: 4000,
  compare: 400,
  diffs: 400,
  stats: 100,
  lastCommitSha: 20,
};

/** A validation rule that refuses operations beyond the limits. */
export function limitRule(limits: Limits) {
  return (context: ValidationContext): ASTVisitor => ({
    OperationDefinition(operation: OperationDefinitionNode) {
      const measured = measure(operation.selectionSet, context, new Set());
      for (const name of ['depth', 'cost', 'aliases'] as const) {
        if (measured[name] <= limits[name]) continue;
        const message = `The operation's ${name} is ${measured[name]}; at most ${limits[name]} is allowed.`;
        context.reportError(new GraphQLError(message, { nodes: operation, extensions: { code: 'QUERY_TOO_LARGE' } }));
      }
    },
  });
}

type Measure = Omit<Limits, 'batch'>;

function measure(
  { selections }: SelectionSetNode,
  context: ValidationContext,
  within: Set<FragmentDefinitionNode>,
): Measure {
  const sum: Measure = { depth: 0, cost: 0, aliases: 0 };
  for (const selection of selections) {
    let part: Measure = { depth: 0, cost: 0, aliases: 0 };
    if (selection.kind === Kind.FIELD) {
      if (selection.name.value.startsWith('__')) continue;
      const inner = selection.selectionSet ? measure(selection.selectionSet, context, within) : part;
      const size = selection.arguments?.find(({ name }) => ['limit', 'first', 'last'].includes(name.value))?.value;
      const uncut = UNCUT.has(selection.name.value);
      const times = uncut
        ? 100
        : size === undefined
          ? 1
          : size.kind === Kind.INT
            ? Math.min(Number(size.value), 100)
            : 100;
      part = {
        depth: inner.depth + 1,
        cost: (COSTS[selection.name.value] ?? 1) + inner.cost * Math.max(1, times),
        aliases: inner.aliases + (selection.alias ? 1 : 0),
      };
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      part = measure(selection.selectionSet, context, within);
    } else {
      const fragment = context.getFragment(selection.name.value);
      if (!fragment || within.has(fragment)) continue;
      part = measure(fragment.selectionSet, context, new Set([...within, fragment]));
    }
    sum.depth = Math.max(sum.depth, part.depth);
    sum.cost += part.cost;
    sum.aliases += part.aliases;
    if (sum.cost > 10_000_000) break;
  }
  return sum;
}
