import { builder } from '#schema/builder.ts';
import { Variable } from '#schema/variables/types.ts';
import type { VariableRow } from '#src/variables/list.ts';
import { createVariable, deleteVariable, updateVariable } from '#src/variables/save.ts';

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

const VariablePayload = builder.objectRef<{ variable: VariableRow }>('VariablePayload').implement({
  description: 'The variable as it is now, or was.',
  fields: (t) => ({ variable: t.expose('variable', { type: Variable, description: 'The variable.' }) }),
});

builder.mutationFields((t) => ({
  createVariable: t.field({
    type: VariablePayload,
    description: 'Makes a variable, for who administers the project.',
    args: { input: t.arg({ type: VariableInput, required: true, description: 'The new variable.' }) },
    resolve: async (_root, { input: { project, ...variable } }, context) => ({
      variable: await createVariable(context, project, variable),
    }),
  }),
  updateVariable: t.field({
    type: VariablePayload,
    description: 'Gives a variable another value.',
    args: { input: t.arg({ type: VariableInput, required: true, description: 'The new value.' }) },
    resolve: async (_root, { input: { project, key, value } }, context) => ({
      variable: await updateVariable(context, project, key, value),
    }),
  }),
  deleteVariable: t.field({
    type: VariablePayload,
    description: 'Deletes a variable.',
    args: { input: t.arg({ type: DeleteVariableInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, key } }, context) => ({
      variable: await deleteVariable(context, project, key),
    }),
  }),
}));
