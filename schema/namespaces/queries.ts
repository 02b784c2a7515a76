import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { NamespaceConnection } from '#schema/namespaces/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { listNamespaces } from '#src/domain/groups/list_namespaces.ts';

builder.queryFields((t) => ({
  namespaces: t.field({
    type: NamespaceConnection,
    description:
      'The caller’s personal namespace and the groups that they are a member of, newest first; for administrators, all namespaces.',
    args: {
      ...pageArgs,
      search: t.arg.string({ description: 'Only namespaces with this text in name or path, in any case.' }),
    },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listNamespaces(context, args, page, selectionAt(info, 'Namespace'))),
  }),
}));
