import {
  type FieldNode,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { collectFields } from '#schema/plan/fields.ts';
import { readsOf } from '#schema/records/plugin.ts';
import type { Known } from '#schema/records/types.ts';
import { relationOf } from '#src/platform/records/computed_fields.ts';
import { factsOf, type ModelName } from '#src/platform/records/model.ts';
import { Selection } from '#src/platform/records/selection.ts';

type Asking = Pick<GraphQLResolveInfo, 'schema' | 'fragments'>;

/**
 * What a document selects from the records of a model at and below a field: from its own value, from the nodes of a connection,
 * from the records in a payload. Computed once per field of a document, regardless of variables: what `@include` leaves out this
 * time is read anyway, so that there is one statement.
 */
export function selectionAt<M extends ModelName>(
  {
    fieldNodes,
    returnType,
    schema,
    fragments,
  }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'returnType' | 'schema' | 'fragments'>,
  model: M,
): Selection<M, Known<M>> {
  const [first] = fieldNodes as [FieldNode];
  const of = known.get(first) ?? new Map<string, Collected>();
  if (of.size === 0) known.set(first, of);
  let found = of.get(model);
  if (!found || !isSame(found.nodes, fieldNodes)) {
    const selection = below(model, returnType, setsOf(fieldNodes), { schema, fragments });
    found = { nodes: fieldNodes, selection };
    of.set(model, found);
  }
  return found.selection as Selection<M, Known<M>>;
}

interface Collected {
  nodes: readonly FieldNode[];
  selection: Selection;
}

/** Keyed by the first node of a field, so that entries live as long as the document. */
const known = new WeakMap<FieldNode, Map<string, Collected>>();

function isSame(some: readonly FieldNode[], others: readonly FieldNode[]): boolean {
  return some.length === others.length && some.every((node, index) => node === others[index]);
}

function below(
  model: ModelName,
  type: GraphQLResolveInfo['returnType'],
  sets: SelectionSetNode[],
  asking: Asking,
): Selection {
  const named = getNamedType(type);
  let selection = recordsOf(model, named, sets, asking);
  // Connections, edges and payloads wrap the records.
  const around = isObjectType(named) && modelOf(named) === undefined ? named : undefined;
  for (const { nodes } of around ? collectFields(asking.schema, asking.fragments, around, sets) : []) {
    const field = around?.getFields()[nodes[0].name.value];
    const under = setsOf(nodes);
    if (field && under.length > 0) selection = selection.with(below(model, field.type, under, asking));
  }
  return selection;
}

function objectsOf(type: ReturnType<typeof getNamedType>, { schema }: Asking): readonly GraphQLObjectType[] {
  if (isAbstractType(type)) return schema.getPossibleTypes(type);
  return isObjectType(type) ? [type] : [];
}

/** What is selected from the records of a model in a type, or an interface or union of several. */
function recordsOf(
  model: ModelName,
  type: ReturnType<typeof getNamedType>,
  sets: SelectionSetNode[],
  asking: Asking,
): Selection {
  const objects = objectsOf(type, asking).filter((object) => modelOf(object) === model);
  // Interfaces over one model always read their common columns; more only if more is selected.
  const common = isInterfaceType(type) && modelOf(type) === model ? type : undefined;
  return objects.reduce(
    (all, object) => {
      const isWhole = !common || asksBeyond(common, object, sets, asking);
      return all.with(isWhole ? alwaysOf(model, object) : keyOf(model)).with(collect(model, object, sets, asking));
    },
    common ? alwaysOf(model, common) : keyOf(model),
  );
}

/** Whether the selection needs a type that not all types of the interface have. */
function asksBeyond(
  common: GraphQLInterfaceType,
  type: GraphQLObjectType,
  sets: SelectionSetNode[],
  { schema, fragments }: Asking,
): boolean {
  const names = collectFields(schema, fragments, type, sets).map(({ nodes }) => nodes[0].name.value);
  return names.some((name) => name !== '__typename' && !common.getFields()[name]);
}

/** What the selected fields of a type read. */
function collect(model: ModelName, type: GraphQLObjectType, sets: SelectionSetNode[], asking: Asking): Selection {
  let selection = keyOf(model);
  for (const { nodes } of collectFields(asking.schema, asking.fragments, type, sets)) {
    const field = type.getFields()[nodes[0].name.value];
    const reads = field && readsOf(field);
    if (!reads) continue;
    const { path, select } = reads;
    selection = selection.with(constant(model, select));
    if (path) selection = selection.with(along(model, path, () => related(field.type, nodes, asking)));
  }
  return selection;
}

/** The selection along a path of relations, with what is selected at its end if that is a record. */
function along(model: ModelName, [part = '', ...rest]: readonly string[], end: () => Selection): Selection {
  const relation = relationOf(model, part);
  const below = relation && (rest.length > 0 ? along(relation.model, rest, end) : end());
  return new Selection(model, new Map([[part, below ?? null]]));
}

function related(type: GraphQLResolveInfo['returnType'], nodes: FieldNode[], asking: Asking): Selection {
  const named = getNamedType(type);
  const [object] = objectsOf(named, asking);
  const model = object && modelOf(object);
  if (!model) throw new Error(`${String(type)} is no type with a model`);
  return recordsOf(model, named, setsOf(nodes), asking);
}

/** What resolvers need besides the document. */
function constant(model: ModelName, select: Readonly<Record<string, unknown>>): Selection {
  const parts = Object.entries(select).map(([name, part]): [string, Selection | null] => {
    const relation = relationOf(model, name);
    if (!relation) return [name, null];
    return [name, constant(relation.model, (part as { select: Record<string, unknown> }).select)];
  });
  return new Selection(model, new Map(parts));
}

/** Every record needs its key. */
function keyOf(model: ModelName): Selection {
  return new Selection(model, new Map(factsOf(model).key.map((name) => [name, null])));
}

/** What every record of a type needs. */
function alwaysOf(model: ModelName, { extensions }: GraphQLObjectType | GraphQLInterfaceType): Selection {
  return keyOf(model).with(constant(model, (extensions.pothosPrismaSelect ?? {}) as Record<string, unknown>));
}

function modelOf(type: GraphQLObjectType | GraphQLInterfaceType): ModelName | undefined {
  return type.extensions.pothosPrismaModel as ModelName | undefined;
}

function setsOf(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
}
