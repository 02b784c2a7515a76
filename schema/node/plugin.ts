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

/** An input or argument that names a record of the type by its ID: resolvers get its number. */
export function idOf(type: string) {
  return { type: 'ID' as unknown as InputRef<number>, extensions: { idOf: type } };
}

/** As `idOf`, for a list of them. */
export function idsOf(type: string) {
  return { type: ['ID'] as unknown as [InputRef<number>], extensions: { idOf: type } };
}

/**
 * The number behind an ID: a global one of the type, or the number itself, as the REST API uses it. What no record can have is
 * a number all the same, and names nothing.
 *
 * @param input name of the input, for the message
 * @throws ValidationFailed for the ID of a record of another type, and for what is no ID
 */
export function databaseIdOf(type: string, given: string, input: string): number {
  if (/^-?\d+$/.test(given)) return Math.max(-MOST, Math.min(MOST, Number(given)));
  const found = fromGlobalId(given);
  if (found?.type === type) return found.id;
  const wrong = found ? `is the ID of a record of type ${found.type}, not ${type}` : `is not the ID of a ${type}`;
  throw new ValidationFailed({ [input]: [wrong] });
}

/** IDs are 32 bits wide, and nothing has the last of them. */
const MOST = 2_147_483_647;

/** Hands resolvers the numbers behind the IDs that inputs and arguments carry. */
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
