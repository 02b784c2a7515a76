import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';

/**
 * Makes nullable what can fail while the rest of the response stands: every mutation, and every look-up, which means fields of
 * Query and fields with arguments. Lists, including connections, and the unconditional fields of records stay as declared.
 */
class NullabilityPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { type } = config;
    if (type.kind === 'List' || !mayBeRefused(config)) return config;
    if (this.buildCache.getTypeConfig(type.ref).name.endsWith('Connection')) return config;
    return { ...config, type: { ...type, nullable: true } };
  }
}

function mayBeRefused<Types extends SchemaTypes>({ kind, args }: PothosOutputFieldConfig<Types>): boolean {
  if (kind === 'Subscription') return false;
  return kind === 'Mutation' || kind === 'Query' || Object.keys(args).length > 0;
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      nullability: NullabilityPlugin<Types>;
    }
  }
}

SchemaBuilder.registerPlugin('nullability', NullabilityPlugin);
