import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  PothosSchemaError,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLField } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';

/** What a field of a type with a model reads of the record. */
export interface Reads {
  /** The way to the answer: relations, and a column, computed field or relation at last; null where a resolver makes it of `select`. */
  path: readonly string[] | null;
  /** Beside what lies at the end of the path. As Prisma's `select`: names of columns, computed fields, and relations with the same below. */
  select: Readonly<Record<string, unknown>>;
  /** Whether it depends on more than the record what the field gives: then only its resolver does. */
  isGuarded: boolean;
}

/**
 * Takes over from the Prisma plugin when fields are resolved: what they read is collected once for a document
 * (`selectionAt`) and is there when they are asked. The plugin would look up for each field of each record whether that is so,
 * and load what it misses, unseen, with all columns; here what was not selected is an error.
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
      ...(path !== null && { resolve: guarded(readerOf(path, place), extensions.guard as Guard | undefined) }),
    };
  }
}

/** Reads what lies at the end of a path, or null where a relation on the way is. All of it must have been selected. */
export function readerOf(path: readonly string[], place: string): (record: unknown) => never {
  const [first = '', ...rest] = path;
  const read = (record: unknown, part: string): unknown => {
    const value = (record as Readonly<Record<string, unknown>>)[part];
    if (value === undefined) throw new Error(`${place} was asked for, but not read`);
    return value;
  };
  if (rest.length === 0) return (record) => read(record, first) as never;
  return (record) => path.reduce((at: unknown, part) => (at === null ? null : read(at, part)), record) as never;
}

/** Whether the caller can see the value of a field; it throws where that is an error. */
type Guard = (record: never, context: GraphQLContext) => boolean;

/** For a field that is null where the guard says no. */
export function guardedBy<T>(guard: (record: T, context: GraphQLContext) => boolean) {
  return { extensions: { guard } };
}

function guarded(read: ReturnType<typeof readerOf>, guard: Guard | undefined) {
  if (!guard) return read;
  return (record: unknown, _args: object, context: object) =>
    guard(record as never, context as GraphQLContext) ? read(record) : (null as never);
}

/** For a field whose answer is that of a record beyond a relation: the path there. */
export function viaRelation(...path: string[]) {
  return {
    extensions: { viaRelation: path },
    resolve: (): never => {
      throw new Error('Fields beyond a relation are read by their path');
    },
  };
}

/** For a field that leads to a record of which its readers see more than the document says: what is read always. */
export function alsoSelect(select: Reads['select']) {
  return { extensions: { alsoSelect: select } };
}

/** What a field reads of its record; undefined for fields of types without a model. */
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
