import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { snippetFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { snippetOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Snippet, SnippetConnection } from '#schema/snippets/types.ts';
import { findPersonalSnippet, findProjectSnippet } from '#src/domain/snippets/find.ts';
import { listOwnSnippets, listProjectSnippets, listPublicSnippets } from '#src/domain/snippets/list.ts';

builder.objectFields(Project, (t) => ({
  snippets: t.field({
    type: SnippetConnection,
    description: 'The snippets of the project that the caller can see, newest first.',
    args: { ...pageArgs, ...snippetFilter, ...snippetOrder('ID', 'desc') },
    resolve: (project, args, context, info) => pageBelow('Snippet', project, args, context, info, listProjectSnippets),
  }),
  snippet: t.field({
    type: Snippet,
    description: 'A snippet of the project by its ID.',
    args: {
      id: t.arg({ ...idOf('Snippet'), required: true, description: 'Global or numeric ID of the snippet.' }),
    },
    resolve: (project, args, context, info) =>
      findProjectSnippet(context, project, args.id, selectionAt(info, 'Snippet')),
  }),
}));

builder.queryFields((t) => ({
  ownSnippets: t.field({
    type: SnippetConnection,
    description: "The caller's personal snippets, newest first.",
    args: { ...pageArgs, ...snippetFilter, ...snippetOrder('ID', 'desc') },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listOwnSnippets(context, page, selectionAt(info, 'Snippet'))),
  }),
  publicSnippets: t.field({
    type: SnippetConnection,
    description: 'The public personal snippets of all users, newest first.',
    args: { ...pageArgs, ...snippetFilter, ...snippetOrder('ID', 'desc') },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listPublicSnippets(context, page, selectionAt(info, 'Snippet'))),
  }),
  snippet: t.field({
    type: Snippet,
    description: 'A personal snippet by its ID, if the caller can see it.',
    args: {
      id: t.arg({ ...idOf('Snippet'), required: true, description: 'Global or numeric ID of the snippet.' }),
    },
    resolve: (_root, args, context, info) => findPersonalSnippet(context, args.id, selectionAt(info, 'Snippet')),
  }),
}));
