import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { Visibility } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { alsoSelect } from '#schema/records/plugin.ts';
import { snippetPath } from '#src/domain/namespaces/address.ts';
import '#schema/users/types.ts';

const PLACE = { project: { select: { fullPath: true } } } as const;

function pathOf({ id, project }: { id: number; project: { fullPath: string } | null }): string {
  return snippetPath(project?.fullPath ?? null, id);
}

export const Snippet = builder.prismaObject('Snippet', {
  description: 'A piece of text that belongs to a project or a user.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the snippet, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Snippet', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the snippet, as the REST API uses it.' }),
    title: t.exposeString('title', { description: 'Title of the snippet, of at most 255 characters.' }),
    fileName: t.exposeString('fileName', {
      description: 'File name of the snippet, whose ending indicates its format.',
    }),
    visibility: t.expose('visibility', {
      type: Visibility,
      description: 'Who can see the snippet: only its author, signed-in users who can see the project, or everyone.',
    }),
    content: t.exposeString('content', { description: 'The whole text of the snippet.' }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project that the snippet belongs to; null for a personal one.',
      select: { projectId: true },
      resolve: ({ projectId }, _args, context, info) => projectOf(context, info, projectId),
    }),
    author: t.relation('author', {
      description: 'The user who wrote the snippet; the e-mail address is shown to all readers.',
      ...alsoSelect({ author: { select: { shownEmail: true } } }),
    }),
    webUrl: t.string({
      description: 'URL of the page of the snippet.',
      select: PLACE,
      resolve: (snippet, _args, { baseUrl }) => `${baseUrl}${pathOf(snippet)}`,
    }),
    rawUrl: t.string({
      description: 'URL of the raw text of the snippet.',
      select: PLACE,
      resolve: (snippet, _args, { baseUrl }) => `${baseUrl}${pathOf(snippet)}/raw`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the snippet was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the snippet last changed.' }),
  }),
});

export const SnippetConnection = connectionOf('Snippet', Snippet);
