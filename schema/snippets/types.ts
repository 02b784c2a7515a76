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
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Snippet', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    title: t.exposeString('title', { description: 'What it is.' }),
    fileName: t.exposeString('fileName', { description: 'What its file would be called.' }),
    visibility: t.expose('visibility', {
      type: Visibility,
      description: 'Who may see it: its author alone, all who see the project and are signed in, or everybody.',
    }),
    content: t.exposeString('content', { description: 'The text itself.' }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'Where it is; null for a personal one.',
      select: { projectId: true },
      resolve: ({ projectId }, _args, context, info) => projectOf(context, info, projectId),
    }),
    author: t.relation('author', {
      description: 'Whose it is; the e-mail address is shown to all readers.',
      ...also({ author: { select: { shownEmail: true } } }),
    }),
    webUrl: t.string({
      description: 'Address of its page.',
      select: PLACE,
      resolve: (snippet, _args, { baseUrl }) => `${baseUrl}${pathOf(snippet)}`,
    }),
    rawUrl: t.string({
      description: 'Address of its text.',
      select: PLACE,
      resolve: (snippet, _args, { baseUrl }) => `${baseUrl}${pathOf(snippet)}/raw`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

export const SnippetConnection = connectionOf('Snippet', Snippet);
