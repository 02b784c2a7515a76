import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import { Variable } from '#schema/variables/types.ts';
import { findVariable } from '#src/variables/list.ts';
import { type ChangedVariable, createVariable, deleteVariable, updateVariable } from '#src/variables/save.ts';

const VariableInput = builder.inputType('VariableInput', {
  description: 'A variable and its value.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    key: t.string({ required: true, description: 'Letters, digits and `_`; at most 255.' }),
    value: t.string({ required: true, description: 'It is kept encrypted.' }),
  }),
});

const DeleteVariableInput = builder.inputType('DeleteVariableInput', {
  description: 'Which variable to delete.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where it is.' }),
    key: t.string({ required: true, description: 'Its key.' }),
  }),
});

const VariablePayload = builder.objectRef<{ variable: Known<'Variable'> }>('VariablePayload').implement({
  description: 'The variable as it is now, or was.',
  fields: (t) => ({ variable: t.expose('variable', { type: Variable, description: 'The variable.' }) }),
});

async function shown(context: GraphQLContext, { project, key }: ChangedVariable, info: GraphQLResolveInfo) {
  return { variable: await findVariable(context, project, key, selectionAt(info, 'Variable')) };
}

builder.mutationFields((t) => ({
  createVariable: t.field({
    type: VariablePayload,
    description: 'Makes a variable, for who administers the project.',
    args: { input: t.arg({ type: VariableInput, required: true, description: 'The new variable.' }) },
    resolve: async (_root, { input: { project, ...variable } }, context, info) =>
      shown(context, await createVariable(context, project, variable), info),
  }),
  updateVariable: t.field({
    type: VariablePayload,
    description: 'Gives a variable another value.',
    args: { input: t.arg({ type: VariableInput, required: true, description: 'The new value.' }) },
    resolve: async (_root, { input: { project, key, value } }, context, info) =>
      shown(context, await updateVariable(context, project, key, value), info),
  }),
  deleteVariable: t.field({
    type: VariablePayload,
    description: 'Deletes a variable.',
    args: { input: t.arg({ type: DeleteVariableInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, key } }, context, info) => ({
      variable: await deleteVariable(context, project, key, selectionAt(info, 'Variable')),
    }),
  }),
}));
