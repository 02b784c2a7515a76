import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import type { InputFields } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { ownerFields } from '#schema/places/owner_ref.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { Variable, VariableFilter } from '#schema/variables/types.ts';
import { VariableType } from '#schema/variables/variable_type.ts';
import { findVariable } from '#src/domain/ci/variables/list.ts';
import { type ChangedVariable, createVariable, deleteVariable, updateVariable } from '#src/domain/ci/variables/save.ts';

const which = (t: InputFields) => ({
  ...ownerFields(t, {
    owner: 'The project or group of the variable; without one it is of the server.',
    project: 'The project of the variable: full path, global ID or numeric ID.',
    group:
      'The group of the variable: full path, global ID or numeric ID. Without project and group it is of the server.',
  }),
  key: t.string({ required: true, description: 'Key of the variable: letters, digits and `_`; at most 255.' }),
});

const assignment = (t: InputFields, otherwise: string) => ({
  ...which(t),
  isProtected: t.boolean({
    description: `Whether only jobs of protected branches get the variable. ${otherwise} when left out.`,
  }),
  isMasked: t.boolean({
    description: `Whether runners hide the value in logs: one line of 8 characters or more, without spaces. ${otherwise} when left out.`,
  }),
  isRaw: t.boolean({ description: `Whether variables in the value stay as they are. ${otherwise} when left out.` }),
  environmentScope: t.string({
    description:
      'The environments whose jobs get the variable, with `*` for any text. Not for variables of the server.',
  }),
  description: t.string({ description: 'What the variable is for, of at most 255 characters.' }),
});

type Shown = { variable: Known<'Variable'> };

const variablePayload: Payload<Shown> = {
  description: 'The variable after the mutation.',
  fields: (t) => ({
    variable: t.expose('variable', { type: Variable, description: 'The variable as it is now.' }),
  }),
};

async function shown(context: GraphQLContext, { place, ...name }: ChangedVariable, info: GraphQLResolveInfo) {
  return { variable: await findVariable(context, place, name, selectionAt(info, 'Variable')) };
}

mutation('createVariable', {
  description:
    'Creates a variable for the jobs of a project, of the projects below a group, or of all. For masters, owners and administrators.',
  input: {
    description: 'A new variable of a project, a group or the server.',
    argument: 'Key and value of the variable.',
    fields: (t) => ({
      ...assignment(t, 'False'),
      value: t.string({ required: true, description: 'Value that jobs get. Stored encrypted.' }),
      type: t.field({
        type: VariableType,
        description: 'How jobs get the value; as an environment variable when left out.',
      }),
      isHidden: t.boolean({
        description: 'Whether the value is never shown again; it is masked then. False when left out.',
      }),
    }),
  },
  resolve: async ({ type, ...input }, context, info) =>
    shown(context, await createVariable(context, { ...input, isFile: type && type === 'file' }), info),
  payload: variablePayload,
});

mutation('updateVariable', {
  description:
    'Changes the value of a variable. For masters of its project, owners of its group, or administrators. CONFLICT if there are several of the key.',
  input: {
    description: 'Which variable to change.',
    argument: 'Key and new value of the variable.',
    fields: (t) => ({
      ...assignment(t, 'Unchanged'),
      value: t.string({
        description: 'Value that jobs get. Stored encrypted. Needed unless it is hidden, and stays as it is then.',
      }),
      type: t.field({ type: VariableType, description: 'How jobs get the value. Unchanged when left out.' }),
      filter: t.field({ type: VariableFilter, description: 'Which one, if there are several variables of the key.' }),
    }),
  },
  resolve: async ({ type, filter, ...input }, context, info) => {
    const changed = { ...input, isFile: type && type === 'file', currentScope: filter?.environmentScope };
    return shown(context, await updateVariable(context, changed), info);
  },
  payload: variablePayload,
});

mutation('deleteVariable', {
  description:
    'Deletes a variable. For masters of its project, owners of its group, or administrators. CONFLICT if there are several of the key.',
  input: {
    description: 'Which variable to delete.',
    argument: 'Names the variable to delete.',
    fields: (t) => ({
      ...which(t),
      filter: t.field({ type: VariableFilter, description: 'Which one, if there are several variables of the key.' }),
    }),
  },
  resolve: async ({ key, filter, ...place }, context, info) => ({
    key,
    variable: await deleteVariable(context, place, { key, ...filter }, selectionAt(info, 'Variable')),
  }),
  payload: {
    from: fromPlace,
    description: 'The variable that was deleted.',
    fields: (t) => ({
      deletedVariableKey: t.exposeString('key', { description: 'Key of the variable that was deleted.' }),
      variable: t.expose('variable', { type: Variable, description: 'The variable as it was.' }),
    }),
  },
});
