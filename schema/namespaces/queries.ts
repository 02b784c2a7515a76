import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Namespace, NamespaceConnection } from '#schema/namespaces/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { namespaceOrder } from '#schema/orders.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findNamespace, type PathUse as PathInUse, pathInUse } from '#src/domain/groups/find_namespace.ts';
import { listNamespaces } from '#src/domain/groups/list_namespaces.ts';

const PathUse = builder.objectRef<PathInUse>('NamespacePathUse').implement({
  description: 'Whether the path of a namespace is in use.',
  fields: (t) => ({
    exists: t.exposeBoolean('exists', { description: 'Whether a user or a group has the path.' }),
    suggestions: t.stringList({
      description: 'A path that is free, made from the one asked for; empty if that is free itself.',
      resolve: ({ suggests }) => suggests,
    }),
  }),
});

builder.queryFields((t) => ({
  namespace: t.field({
    type: Namespace,
    nullable: true,
    description:
      'The caller’s personal namespace, or a group that they are a member of, by numeric ID or full path; for administrators, any namespace.',
    args: {
      ref: t.arg({ type: 'NamespaceRef', required: true, description: 'Numeric ID or full path of the namespace.' }),
    },
    resolve: (_root, { ref }, context, info) => findNamespace(context, ref, selectionAt(info, 'Namespace')),
  }),
  namespacePathUse: t.field({
    type: PathUse,
    nullable: true,
    description:
      'Whether a path is in use by a user, or by a group at the top or directly in a parent group. RATE_LIMITED for more than sixty a minute.',
    args: {
      path: t.arg.string({ required: true, description: 'The path to look for, in any case.' }),
      parentId: t.arg({ ...idOf('Group'), description: 'ID of the parent group; the top without one.' }),
    },
    resolve: (_root, { path, parentId }, context) => pathInUse(context, path, parentId ?? null),
  }),
  namespaces: t.field({
    type: NamespaceConnection,
    description:
      'The caller’s personal namespace and the groups that they are a member of, newest first; for administrators, all namespaces.',
    args: {
      ...pageArgs,
      ...namespaceOrder('ID', 'desc'),
      search: t.arg.string({ description: 'Only namespaces with this text in name or path, in any case.' }),
      searchFullPath: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the text is looked for in full paths instead of names and paths.',
      }),
      owned: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to only list namespaces that the caller owns.',
      }),
      topLevelOnly: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to only list namespaces that are in no group.',
      }),
    },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listNamespaces(context, args, page, selectionAt(info, 'Namespace'))),
  }),
}));
