import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  PothosSchemaError,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLField } from 'graphql';

/** What a field of a type with a model reads of the record. */
export interface Reads {
  /** The column, own value or relation that is the answer; null where a resolver makes it of what `select` names. */
  part: string | null;
  isRelation: boolean;
  /** As Prisma's `select`: names of columns, own values, and relations with the same below. */
  select: Readonly<Record<string, unknown>>;
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
    const part = relation ?? (extensions.pothosExposedField as string | undefined) ?? null;
    if ((config.pothosOptions as { query?: unknown }).query !== undefined || Object.keys(config.args).length > 0) {
      if (relation)
        throw new PothosSchemaError(`${place}: a relation with arguments is a list of its own, not t.relation`);
    }
    if (typeof select === 'function' && !relation)
      throw new PothosSchemaError(`${place}: its selection must be constant`);
    const reads: Reads = {
      part,
      isRelation: relation !== undefined,
      select: part === null ? ((select as Reads['select'] | undefined) ?? {}) : {},
    };
    return {
      ...config,
      extensions: { ...extensions, reads },
      ...(part !== null && { resolve: (record) => loaded(record, part, place) }),
    };
  }
}

/** The value of a record, which must have been selected. */
export function loaded(record: unknown, part: string, place: string): never {
  const value = (record as Readonly<Record<string, unknown>>)[part];
  if (value === undefined) throw new Error(`${place} was asked for, but not read`);
  return value as never;
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
