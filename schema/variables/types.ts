import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { Project } from '#schema/projects/types.ts';
import { findVariable, listVariables, type VariableRow } from '#src/variables/list.ts';

export const Variable = builder.objectRef<VariableRow>('Variable').implement({
  description: 'A value that the builds of a project get.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Unique within the project: letters, digits and `_`.' }),
    value: t.exposeString('value', { description: 'It may be a secret.' }),
  }),
});

const VariableConnection = connectionOf('Variable', Variable);

builder.objectFields(Project, (t) => ({
  variables: t.field({
    type: VariableConnection,
    description: 'What its builds get, in the order of creation; for who administers the project.',
    args: pageArgs,
    resolve: (project, args, context, info) => loadPage(args, info, (page) => listVariables(context, project, page)),
  }),
  variable: t.field({
    type: Variable,
    description: 'One of its variables; for who administers the project.',
    args: { key: t.arg.string({ required: true, description: 'Its key.' }) },
    resolve: (project, { key }, context) => findVariable(context, project, key),
  }),
}));
