import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { variableFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { variableOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { VariableType } from '#schema/variables/variable_type.ts';
import {
  findVariable,
  listGroupVariables,
  listProjectVariables,
  listServerVariables,
  variableValue,
} from '#src/domain/ci/variables/list.ts';
import { administered } from '#src/domain/ci/variables/place.ts';

export const Variable = builder.prismaObject('Variable', {
  description: 'A variable that is passed to the jobs of a project, of the projects below a group, or of all projects.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the variable.',
      resolve: ({ id }) => toGlobalId('Variable', id),
    }),
    key: t.exposeString('key', { description: 'Name of the variable: letters, digits and `_`.' }),
    value: t.string({
      nullable: true,
      description: 'Value of the variable, which may be a secret; null if it is hidden.',
      select: { valueEncrypted: true, hidden: true },
      resolve: (variable, _args, context) => variableValue(context, variable),
    }),
    type: t.field({
      type: VariableType,
      description: 'How jobs get the value.',
      select: { isFile: true },
      resolve: ({ isFile }) => (isFile ? 'file' : 'env_var'),
    }),
    isProtected: t.exposeBoolean('protected', {
      description: 'Whether only jobs of protected branches get the variable.',
    }),
    isMasked: t.exposeBoolean('masked', { description: 'Whether runners hide the value in logs.' }),
    isHidden: t.exposeBoolean('hidden', { description: 'Whether the value is never shown again.' }),
    isRaw: t.exposeBoolean('raw', { description: 'Whether variables in the value stay as they are.' }),
    environmentScope: t.exposeString('environmentScope', {
      description: 'The environments whose jobs get the variable; `*` matches any text, and by itself all jobs.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the variable is for; null without a description.',
    }),
  }),
});

const VariableConnection = connectionOf('Variable', Variable);

export const VariableFilter = builder.inputType('VariableFilter', {
  description: 'Tells variables of one key apart.',
  fields: (t) => ({
    environmentScope: t.string({ description: 'The environment scope that the variable has.' }),
  }),
});

const key = { required: true, description: 'The variable’s key, with exact case.' } as const;
const filter = { type: VariableFilter, description: 'Which one, as there may be several variables of a key.' } as const;

builder.objectFields(Project, (t) => ({
  variables: t.field({
    type: VariableConnection,
    description: 'The variables of the project, in order of creation. For masters.',
    args: { ...pageArgs, ...variableFilter, ...variableOrder('ID', 'asc') },
    resolve: (project, args, context, info) =>
      pageBelow('Variable', project, args, context, info, listProjectVariables),
  }),
  variable: t.field({
    type: Variable,
    description: 'A variable of the project by its key. For masters. CONFLICT if there are several of the key.',
    args: { key: t.arg.string(key), filter: t.arg(filter) },
    resolve: async (project, { key: name, filter: given }, context, info) =>
      findVariable(
        context,
        await administered(context, { project: project.id }),
        { key: name, ...given },
        selectionAt(info, 'Variable'),
      ),
  }),
}));

builder.objectFields(Group, (t) => ({
  variables: t.field({
    type: VariableConnection,
    description:
      'The variables of the group, which jobs of all projects below it get, in order of creation. For owners.',
    args: { ...pageArgs, ...variableFilter, ...variableOrder('ID', 'asc') },
    resolve: (group, args, context, info) => pageBelow('Variable', group, args, context, info, listGroupVariables),
  }),
  variable: t.field({
    type: Variable,
    nullable: true,
    description: 'A variable of the group by its key. For owners. CONFLICT if there are several of the key.',
    args: { key: t.arg.string(key), filter: t.arg(filter) },
    resolve: async (group, { key: name, filter: given }, context, info) =>
      findVariable(
        context,
        await administered(context, { group: group.id }),
        { key: name, ...given },
        selectionAt(info, 'Variable'),
      ),
  }),
}));

builder.queryFields((t) => ({
  serverVariables: t.field({
    type: VariableConnection,
    description: 'The variables that jobs of all projects get, in order of creation. For administrators.',
    args: { ...pageArgs, ...variableFilter, ...variableOrder('ID', 'asc') },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listServerVariables(context, page, selectionAt(info, 'Variable'))),
  }),
  serverVariable: t.field({
    type: Variable,
    nullable: true,
    description: 'A variable that jobs of all projects get, by its key. For administrators.',
    args: { key: t.arg.string(key) },
    resolve: async (_root, name, context, info) =>
      findVariable(context, await administered(context, {}), name, selectionAt(info, 'Variable')),
  }),
}));
