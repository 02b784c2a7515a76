import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Pairs of fields with the same response name in one place. */
const MAX_PAIRS = 20_000;

/** The fields with one response name in one place. */
interface Merged {
  count: number;
  inside: SelectionSetNode[];
}

/** Fields with all fragments spread, so that counting them takes little time. */
const MAX_FIELDS = 25_000;

/**
 * Whether an operation repeats response names in one place excessively: validation compares each pair of them, as both are merged
 * into one field (GraphQL, 5.3.2). Takes time proportional to the fields with fragments spread, and stops as soon as there are
 * too many. No fragment of the document may be within itself.
 */
export function repeatsTooMuch(operation: OperationDefinitionNode, { definitions }: DocumentNode): boolean {
  const fragments = new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );
  let pairs = 0;
  let fields = 0;
  const places: SelectionSetNode[][] = [[operation.selectionSet]];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    for (const { count, inside } of merge(place, fragments)) {
      fields += count;
      pairs += (count * (count - 1)) / 2;
      if (fields > MAX_FIELDS || pairs > MAX_PAIRS) return true;
      if (inside.length > 0) places.push(inside);
    }
  }
  return false;
}

/** Merges the fields of selections on one object; repeated spreads of a fragment count once. */
function merge(
  selections: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Iterable<Merged> {
  const fields = new Map<string, Merged>();
  const spread = new Set<string>();
  const left = [...selections];
  for (let set = left.pop(); set !== undefined; set = left.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const known = fields.get(name) ?? { count: 0, inside: [] };
        fields.set(name, known);
        known.count++;
        if (selection.selectionSet) known.inside.push(selection.selectionSet);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) left.push(selection.selectionSet);
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) left.push(fragment.selectionSet);
      }
    }
  }
  return fields.values();
}
