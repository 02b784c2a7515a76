import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  PothosSchemaError,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLField } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';

/** What a field of a type with a model reads from the record. */
export interface Reads {
  /**
   * The path to the value: relations, then a relation, column or computed field; null if a resolver computes it from `select`.
   */
  path: readonly string[] | null;
  /** Read besides the end of the path. Like Prisma's `select`: names of columns, computed fields, and nested relations. */
  select: Readonly<Record<string, unknown>>;
  /** Whether the value depends on more than the record, so that only the resolver can produce it. */
  isGuarded: boolean;
}

/**
 * Replaces the Prisma plugin in resolving fields: what fields read is collected once per document (`selectionAt`) and already
 * loaded when they are resolved. The plugin would check that for each field of each record, and silently load what is missing
 * with all columns; here reading what was not selected is an error.
 */
class RecordsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (config.kind !== 'PrismaObject') return config;
    const { pothosPrismaSelect: select, ...extensions } = config.extensions ?? {};
    const place = `${config.parentType}.${config.name}`;
    const relation = (extensions.pothosPrismaRelationField as { name: string } | undefined)?.name;
    const part = relation ?? (extensions.pothosExposedField as string | undefined);
    const path = (extensions.viaRelation as string[] | undefined) ?? (part === undefined ? null : [part]);
    const isAsked = 'query' in config.pothosOptions || Object.keys(config.args).length > 0;
    if (relation && isAsked) {
      throw new PothosSchemaError(`${place}: a relation with arguments is a list of its own, not t.relation`);
    }
    if (!relation && typeof select === 'function') {
      throw new PothosSchemaError(`${place}: its selection must be constant`);
    }
    const reads: Reads = {
      path,
      select: ((path === null ? select : extensions.alsoSelect) as Reads['select'] | undefined) ?? {},
      isGuarded: extensions.guard !== undefined,
    };
    return {
      ...config,
      extensions: { ...extensions, reads },
      ...(path !== null && {
        resolve: guarded(readerOf(path, place), extensions.guard as Guard | undefined, extensions.otherwise),
      }),
    };
  }
}

/**
 * Reads the value at the end of a path, or null if a relation on the way is null; of a relation to many, the values of all. All of
 * it must have been selected.
 */
export function readerOf(path: readonly string[], place: string): (record: unknown) => never {
  const [first = '', ...rest] = path;
  const read = (record: unknown, part: string): unknown => {
    const value = (record as Readonly<Record<string, unknown>>)[part];
    if (value === undefined) throw new Error(`${place} was asked for, but not read`);
    return value;
  };
  if (rest.length === 0) return (record) => read(record, first) as never;
  const along = (at: unknown, part: string): unknown => {
    if (Array.isArray(at)) return at.map((one) => along(one, part));
    return at === null ? null : read(at, part);
  };
  return (record) => path.reduce(along, record) as never;
}

/** Whether the caller can see the value of a field; throws where that is an error. */
type Guard = (record: never, context: GraphQLContext) => boolean | Promise<boolean>;

/** For a field that is null if the guard returns false. */
export function guardedBy<T>(guard: (record: T, context: GraphQLContext) => boolean) {
  return { extensions: { guard } };
}

function guarded(read: ReturnType<typeof readerOf>, guard: Guard | undefined, otherwise: unknown = null) {
  if (!guard) return read;
  const given = (record: unknown, isOpen: boolean) => (isOpen ? read(record) : (otherwise as never));
  return (record: unknown, _args: object, context: object) => {
    const isOpen = guard(record as never, context as GraphQLContext);
    return typeof isOpen === 'boolean' ? given(record, isOpen) : isOpen.then((known) => given(record, known));
  };
}

/** For a field whose value belongs to a related record: the path there. */
export function viaRelation(...path: string[]) {
  return {
    extensions: { viaRelation: path },
    resolve: (): never => {
      throw new Error('Fields beyond a relation are read by their path');
    },
  };
}

/** For a field with a record of which resolvers need more than the document selects: what is always read. */
export function alsoSelect(select: Reads['select']) {
  return { extensions: { alsoSelect: select } };
}

/** What a field reads from its record; undefined for fields of types without a model. */
export function readsOf(field: GraphQLField<unknown, unknown>): Reads | undefined {
  return field.extensions.reads as Reads | undefined;
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      records: RecordsPlugin<Types>;
    }
  }
}

SchemaBuilder.registerPlugin('records', RecordsPlugin);
