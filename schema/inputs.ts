import type { builder } from '#schema/builder.ts';
import { SortDirection } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';

/** What the arguments of a field are made with. */
type ArgFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'Arg'>;

/** What the fields of an input are made with. */
export type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>;

/** The project that an input concerns; `whose` follows "The project". */
export function projectField(t: InputFields, whose: string) {
  return t.field({
    type: 'ProjectRef',
    required: true,
    description: `The project ${whose}: full path, global ID or numeric ID.`,
  });
}

/** The group that an input concerns; `whose` follows "The group". */
export function groupField(t: InputFields, whose: string) {
  return t.field({
    type: 'GroupRef',
    required: true,
    description: `The group ${whose}: full path, global ID or numeric ID.`,
  });
}

/** The project of a record, which may be omitted as the ID implies it. */
export function holderField(t: InputFields, record: string) {
  return t.field({
    type: 'ProjectRef',
    description: `The project that the ${record} must belong to: full path, global ID or numeric ID. Any project when left out.`,
  });
}

/** The full path of a place, as somebody typed it to confirm what is to be done. */
export function confirmationField(t: InputFields) {
  return t.string({
    description:
      'The full path as it was typed to confirm this; nothing is done when it is another one. Nobody was asked when left out.',
  });
}

/** The direction of an order. */
export function sortField(t: ArgFields, defaultValue: 'asc' | 'desc') {
  return t.field({
    type: SortDirection,
    required: true,
    defaultValue,
    description: 'Direction of the order.',
  });
}

/** A boolean filter; `which` follows "Only". */
export function onlyField(t: ArgFields | InputFields, which: string) {
  return t.boolean({ required: true, defaultValue: false, description: `Only ${which}; false does not filter.` });
}

/** The user whose account an input concerns. */
export function accountField(t: InputFields) {
  return t.field({
    ...idOf('User'),
    description: 'ID of the user; the caller when left out. Only administrators can name other users.',
  });
}
