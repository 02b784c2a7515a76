import type {
  FieldMap,
  InputFieldMap,
  InputShapeFromFields,
  MaybePromise,
  OneOfInputShapeFromFields,
  OutputRef,
} from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import type { InputFields } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { withOwner } from '#schema/places/owner_ref.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ModelName } from '#src/platform/records/model.ts';
import type { Selection } from '#src/platform/records/selection.ts';

type Types = typeof builder.$inferSchemaTypes;

/** The project or the group that an input names. */
interface Place {
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
}

/** The type that a mutation returns; `Result` is what the mutation resolves to. */
export interface Payload<Result> {
  description: string;
  /** Further fields, which read the `project` and the `group` that the input names, or the result (`schema/places/parents.ts`). */
  from?: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Place>) => FieldMap;
  interfaces?: PothosSchemaTypes.InterfaceRef<Types, Result>[];
  fields?: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Result>) => FieldMap;
}

/** What is inferred from one is the type in the next: `input`, then `resolve`, then `payload`. */
interface Mutation<Result, Fields extends InputFieldMap, IsOneOf extends boolean> {
  description: string;
  input: {
    /** The description of the input type. */
    description: string;
    /** The description of the argument of that type. */
    argument: string;
    isOneOf?: IsOneOf;
    /** An input without fields is empty. */
    fields?: (t: InputFields) => Fields;
  };
  resolve: (
    input: [IsOneOf] extends [true] ? OneOfInputShapeFromFields<Fields> : InputShapeFromFields<Fields>,
    context: GraphQLContext,
    info: GraphQLResolveInfo,
  ) => MaybePromise<Result>;
  payload: Payload<Result>;
}

/** Adds a mutation to the schema, with an input type and a payload that are named after it. */
export function mutation<
  Result,
  Fields extends InputFieldMap = Record<never, never>,
  const IsOneOf extends boolean = false,
>(name: string, options: Mutation<Result, Fields, IsOneOf>): void;
export function mutation(
  name: string,
  { description, input: { argument, ...input }, resolve, payload }: Mutation<object, InputFieldMap, false>,
): void {
  const base = name.slice(0, 1).toUpperCase() + name.slice(1);
  const type = builder.inputType(`${base}Input`, { fields: noFields, ...input });
  const { from, fields, ...shape } = payload;
  const result = builder
    .objectRef<object>(`${base}Payload`)
    .implement({ ...shape, ...((fields || from) && { fields: (t) => ({ ...fields?.(t), ...from?.(t) }) }) });
  builder.mutationField(name, (t) =>
    t.field({
      type: result,
      description,
      args: { input: t.arg({ type, required: true, description: argument }) },
      resolve: async (_root, { input }, context, info) => {
        const given = withOwner(input);
        const made = await resolve(given, context, info);
        return from ? { ...placeOf(given), ...made } : made;
      },
    }),
  );
}

/** The project and the group that an input names. */
function placeOf({ project, group }: Place): Place {
  return { project, group };
}

/** GraphQL has no empty inputs. */
function noFields(t: InputFields) {
  return { clientMutationId: t.string({ description: 'Any text; the server ignores it.' }) };
}

/** The payload of a deletion, which resolves to the ID of the record. `what` is the type in words. */
export function deleted(type: string, what: string, how: 'deleted' | 'removed' = 'deleted'): Payload<{ id: number }> {
  return {
    description: `The ${what} that was ${how}.`,
    fields: (t) => ({
      [`deleted${type}Id`]: t.id({
        description: `Global ID of the ${what} that was ${how}.`,
        resolve: ({ id }) => toGlobalId(type, id),
      }),
    }),
  };
}

/** The payload with `changed`, of a mutation that succeeds, too, where its record is as it should be. */
export function toldChanged<Result>(payload: Payload<Result>): Payload<Result & { changed: boolean }> {
  const { description, fields } = payload as Payload<{ changed: boolean }>;
  const told: Payload<{ changed: boolean }> = {
    description,
    fields: (t) => ({
      ...fields?.(t),
      changed: t.exposeBoolean('changed', { description: 'False when that was so already, and nothing changed.' }),
    }),
  };
  return told as Payload<Result & { changed: boolean }>;
}

/**
 * The payload of a mutation whose record is read after it, from what the mutation resolves to: `Result` is not inferred, but taken
 * from the constant, `const labelPayload: Payload<ChangedRecord> = changed(…)`. `what` is the type in words, those of the field unless given.
 */
export function changed<Result, M extends ModelName, Shape extends object>(
  field: string,
  type: OutputRef<Shape>,
  model: M,
  read: (context: GraphQLContext, result: Result, selection: Selection<M, Known<M>>) => MaybePromise<Shape>,
  what = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
): Payload<Result> {
  const record: OutputRef<object> = type;
  return {
    description: `The ${what} after the mutation.`,
    fields: (t) => ({
      [field]: t.field({
        type: record,
        description: `The ${what} as it is now.`,
        resolve: (result, _args, context, info) => read(context, result, selectionAt(info, model)),
      }),
    }),
  };
}
