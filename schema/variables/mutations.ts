import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { Variable } from '#schema/variables/types.ts';
import { findVariable } from '#src/domain/ci/variables/list.ts';
import { type ChangedVariable, createVariable, deleteVariable, updateVariable } from '#src/domain/ci/variables/save.ts';

const which = (t: InputFields) => ({
  project: projectField(t, 'of the variable'),
  key: t.string({ required: true, description: 'Key of the variable: letters, digits and `_`; at most 255.' }),
});

const assignment = (t: InputFields) => ({
  ...which(t),
  value: t.string({ required: true, description: 'Value that jobs get. Stored encrypted.' }),
});

const CreateVariableInput = builder.inputType('CreateVariableInput', {
  description: 'A new variable of a project.',
  fields: (t) => ({
    ...assignment(t),
    isProtected: t.boolean({
      description: 'Whether only jobs of protected branches get the variable. False when left out.',
    }),
  }),
});

const UpdateVariableInput = builder.inputType('UpdateVariableInput', {
  description: 'Which variable to change.',
  fields: (t) => ({
    ...assignment(t),
    isProtected: t.boolean({
      description: 'Whether only jobs of protected branches get the variable. Unchanged when left out.',
    }),
  }),
});

const DeleteVariableInput = builder.inputType('DeleteVariableInput', {
  description: 'Which variable to delete.',
  fields: which,
});

type Shown = { variable: Known<'Variable'> };

function variablePayload(mutation: string) {
  return builder.objectRef<Shown>(namesOf(mutation).payload).implement({
    description: 'The variable after the mutation.',
    fields: (t) => ({
      variable: t.expose('variable', { type: Variable, description: 'The variable as it is now.' }),
    }),
  });
}

const DeleteVariablePayload = builder.objectRef<Shown & { key: string }>('DeleteVariablePayload').implement({
  description: 'The variable that was deleted.',
  fields: (t) => ({
    deletedVariableKey: t.exposeString('key', { description: 'Key of the variable that was deleted.' }),
    variable: t.expose('variable', { type: Variable, description: 'The variable as it was.' }),
  }),
});

async function shown(context: GraphQLContext, { project, key }: ChangedVariable, info: GraphQLResolveInfo) {
  return { variable: await findVariable(context, project, key, selectionAt(info, 'Variable')) };
}

builder.mutationFields((t) => ({
  createVariable: t.field({
    type: variablePayload('createVariable'),
    description: 'Creates a variable for the jobs of a project. For its masters.',
    args: {
      input: t.arg({ type: CreateVariableInput, required: true, description: 'Key and value of the variable.' }),
    },
    resolve: async (_root, { input: { project, ...variable } }, context, info) =>
      shown(context, await createVariable(context, project, variable), info),
  }),
  updateVariable: t.field({
    type: variablePayload('updateVariable'),
    description: 'Changes the value of a variable. For masters of the project.',
    args: {
      input: t.arg({ type: UpdateVariableInput, required: true, description: 'Key and new value of the variable.' }),
    },
    resolve: async (_root, { input: { project, ...variable } }, context, info) =>
      shown(context, await updateVariable(context, project, variable), info),
  }),
  deleteVariable: t.field({
    type: DeleteVariablePayload,
    description: 'Deletes a variable. For masters of the project.',
    args: { input: t.arg({ type: DeleteVariableInput, required: true, description: 'Names the variable to delete.' }) },
    resolve: async (_root, { input: { project, key } }, context, info) => ({
      key,
      variable: await deleteVariable(context, project, key, selectionAt(info, 'Variable')),
    }),
  }),
}));
