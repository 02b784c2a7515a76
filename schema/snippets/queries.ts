import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Project } from '#schema/projects/types.ts';
import { Snippet, SnippetConnection } from '#schema/snippets/types.ts';
import {
  findPersonalSnippet,
  findProjectSnippet,
  listOwnSnippets,
  listProjectSnippets,
  listPublicSnippets,
} from '#src/snippets/list.ts';

builder.objectFields(Project, (t) => ({
  snippets: t.field({
    type: SnippetConnection,
    description: 'Its snippets that the caller sees, newest first.',
    args: pageArgs,
    resolve: (project, args, context, info) =>
      loadPage(args, info, (page) => listProjectSnippets(context, project, page)),
  }),
  snippet: t.field({
    type: Snippet,
    description: 'One of its snippets.',
    args: { databaseId: t.arg.int({ required: true, description: 'Numeric ID.' }) },
    resolve: (project, args, context) => findProjectSnippet(context, project, args.databaseId),
  }),
}));

builder.queryFields((t) => ({
  ownSnippets: t.field({
    type: SnippetConnection,
    description: "The caller's personal snippets, newest first.",
    args: pageArgs,
    resolve: (_root, args, context, info) => loadPage(args, info, (page) => listOwnSnippets(context, page)),
  }),
  publicSnippets: t.field({
    type: SnippetConnection,
    description: 'The personal snippets that everybody may see, newest first.',
    args: pageArgs,
    resolve: (_root, args, context, info) => loadPage(args, info, (page) => listPublicSnippets(context, page)),
  }),
  snippet: t.field({
    type: Snippet,
    description: 'A personal snippet.',
    args: { databaseId: t.arg.int({ required: true, description: 'Numeric ID.' }) },
    resolve: (_root, args, context) => findPersonalSnippet(context, args.databaseId),
  }),
}));
