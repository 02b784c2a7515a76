import SchemaBuilder, {
  BasePlugin,
  createInputValueMapper,
  type InputRef,
  mapInputFields,
  type PothosOutputFieldConfig,
  PothosSchemaError,
  type SchemaTypes,
} from '@pothos/core';
import { fromGlobalId } from '#schema/node/global_id.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/** An input or argument for the ID of a record of the type; resolvers get its database ID. */
export function idOf(type: string) {
  return { type: 'ID' as unknown as InputRef<number>, extensions: { idOf: type } };
}

/** Like `idOf`, for a list. */
export function idsOf(type: string) {
  return { type: ['ID'] as unknown as [InputRef<number>], extensions: { idOf: type } };
}

/**
 * The database ID for an ID: a global one of the type, or the number itself, as in the REST API, or the key of a thread. Numbers out of range are
 * accepted but match nothing.
 *
 * @param input name of the input, for the message
 * @throws ValidationFailed for the ID of a record of another type, and for values that are not IDs
 */
export function databaseIdOf(type: string, given: string, input: string): number {
  const found = fromGlobalId(given);
  if (found?.type === type) return found.id;
  // A key of no thread, or of one elsewhere.
  if (/^[0-9a-f]{40}$/.test(given)) return 0;
  if (/^-?\d+$/.test(given)) return Math.max(-MAX_ID, Math.min(MAX_ID, Number(given)));
  const wrong = found ? `is the ID of a record of type ${found.type}, not ${type}` : `is not the ID of a ${type}`;
  throw new ValidationFailed({ [input]: [wrong] });
}

/** IDs are 32 bits wide, and the last one is never used. */
const MAX_ID = 2_147_483_647;

/** Passes database IDs to resolvers in place of the IDs in inputs and arguments. */
class GlobalIdsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const ids = mapInputFields(config.args, this.buildCache, ({ extensions }) => (extensions?.idOf as string) ?? null);
    if (!ids) return config;
    const numbers = createInputValueMapper(ids, (value, { value: type, config: { name, parentType } }) => {
      if (type === null) throw new PothosSchemaError(`${parentType}.${name} is no ID`);
      return databaseIdOf(type, String(value), name);
    });
    return { ...config, argMappers: [...config.argMappers, (args) => numbers(args)] };
  }
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      globalIds: GlobalIdsPlugin<Types>;
    }
  }
}

SchemaBuilder.registerPlugin('globalIds', GlobalIdsPlugin);
