import { type GraphQLResolveInfo, getNamedType } from 'graphql';
import { builder } from '#schema/builder.ts';
import { AccessLevel } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import type { Narrowing } from '#src/platform/page.ts';
import type { Columns, ModelName } from '#src/platform/records/model.ts';

/** The types of the values of a filter. */
const VALUES = {
  text: { type: 'String' },
  sha: { type: 'Sha' },
  flag: { type: 'Boolean' },
  moment: { type: 'DateTime' },
  user: idOf('User'),
  level: { type: AccessLevel },
} as const;

interface Condition<M extends ModelName> {
  column: keyof Columns[M] & string;
  is: Narrowing['is'];
  value: keyof typeof VALUES;
  description: string;
}

/** The columns that the fields of filters compare, by the names of the filters. */
const declared = new Map<string, Readonly<Record<string, Pick<Narrowing, 'column' | 'is'>>>>();

/** The fields `createdAfter` and `createdBefore` of a filter. */
export const CREATED = {
  createdAfter: {
    column: 'createdAt',
    is: 'from',
    value: 'moment',
    description: 'Only what was created then or later.',
  },
  createdBefore: {
    column: 'createdAt',
    is: 'until',
    value: 'moment',
    description: 'Only what was created then or before.',
  },
} as const;

/** A field of a filter for a text within a column, in any case; `which` follows "Only". */
export function textIn<Column extends string>(column: Column, which: string) {
  return { column, is: 'contains', value: 'text', description: `Only ${which}, in any case.` } as const;
}

/**
 * Declares what lists of a model can be narrowed by: the argument `filter`, of an input whose fields compare columns that everybody
 * sees who sees the record. `loadPage` hands on what was given, so that lists that are read by `pageOfRows` need nothing else.
 *
 * @param what the records in words: `variables`
 */
export function listFilter<M extends ModelName>(
  _model: M,
  name: string,
  what: string,
  conditions: Readonly<Record<string, Condition<M>>>,
) {
  declared.set(name, conditions);
  const type = builder.inputType(name, {
    description: `Which ${what} a list has: those that meet all conditions.`,
    fields: (t) =>
      Object.fromEntries(
        Object.entries<Condition<M>>(conditions).map(([field, { value, description }]) => [
          field,
          t.field({ ...(VALUES[value] as typeof VALUES.text), description }),
        ]),
      ),
  });
  return builder.args((t) => ({ filter: t.field({ type, description: `Which ${what} to list; all when left out.` }) }));
}

/** The conditions of the filter that a list was given; none for filters of other kinds. */
export function narrowings(filter: unknown, { parentType, fieldName }: GraphQLResolveInfo): Narrowing[] {
  if (typeof filter !== 'object' || filter === null) return [];
  const argument = parentType.getFields()[fieldName]?.args.find(({ name }) => name === 'filter');
  const conditions = argument && declared.get(getNamedType(argument.type).name);
  return Object.entries(conditions ?? {}).flatMap(([field, { column, is }]) => {
    const value: unknown = Reflect.get(filter, field);
    if (value == null) return [];
    return [{ column, is, value: value instanceof Date ? value.toISOString() : (value as Narrowing['value']) }];
  });
}
