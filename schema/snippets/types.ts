import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { Visibility } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { also } from '#schema/records/plugin.ts';
import '#schema/users/types.ts';

const PLACE = { project: { select: { fullPath: true } } } as const;

function pathOf({ id, project }: { id: number; project: { fullPath: string } | null }): string {
  return `${project === null ? '' : `/${project.fullPath}`}/snippets/${id}`;
}

export const Snippet = builder.prismaObject('Snippet', {
  description: 'A text that somebody keeps, in a project or for themselves.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the snippet, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Snippet', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the snippet, as the REST API uses it.' }),
    title: t.exposeString('title', { description: 'Title of the snippet, of at most 255 characters.' }),
    fileName: t.exposeString('fileName', { description: 'File name of the text, which tells its format.' }),
    visibility: t.expose('visibility', {
      type: Visibility,
      description:
        'Who may see the snippet: its author alone, all who see the project and are signed in, or everybody.',
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
      ...also({ author: { select: { shownEmail: true } } }),
    }),
    webUrl: t.string({
      description: 'URL of the page of the snippet.',
      select: PLACE,
      resolve: (snippet, _args, { baseUrl }) => `${baseUrl}${pathOf(snippet)}`,
    }),
    rawUrl: t.string({
      description: 'URL of the bare text of the snippet.',
      select: PLACE,
      resolve: (snippet, _args, { baseUrl }) => `${baseUrl}${pathOf(snippet)}/raw`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the snippet was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the snippet last changed.' }),
  }),
});

export const SnippetConnection = connectionOf('Snippet', Snippet);
