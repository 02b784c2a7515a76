import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findVariable, listVariables, variableValue } from '#src/domain/ci/variables/list.ts';

export const Variable = builder.prismaObject('Variable', {
  description: 'A variable that is passed to the jobs of a project.',
  select: { id: true },
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'Name of the variable, unique within the project: letters, digits and `_`.',
    }),
    value: t.string({
      description: 'Value of the variable, which may be a secret.',
      select: { valueEncrypted: true },
      resolve: (variable, _args, context) => variableValue(context, variable),
    }),
    isProtected: t.exposeBoolean('protected', {
      description: 'Whether only jobs of protected branches get the variable.',
    }),
  }),
});

const VariableConnection = connectionOf('Variable', Variable);

builder.objectFields(Project, (t) => ({
  variables: t.field({
    type: VariableConnection,
    description: 'The variables of the project, in order of creation. For masters.',
    args: pageArgs,
    resolve: (project, args, context, info) => pageBelow('Variable', project, args, context, info, listVariables),
  }),
  variable: t.field({
    type: Variable,
    description: 'A variable of the project by its key. For masters.',
    args: { key: t.arg.string({ required: true, description: 'The variable’s key, with exact case.' }) },
    resolve: (project, { key }, context, info) => findVariable(context, project, key, selectionAt(info, 'Variable')),
  }),
}));
