import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Visibility } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { alsoSelect } from '#schema/records/plugin.ts';
import { checkLines, FileLines, lineArgs } from '#schema/repository/types.ts';
import { snippetPath } from '#src/domain/namespaces/address.ts';
import '#schema/users/types.ts';
import '#src/domain/snippets/computed_fields.ts';
import { shownLinesOf } from '#src/domain/repository/file_text.ts';
import { readTexts, type SnippetFileRow } from '#src/domain/snippets/files.ts';
import { NotFound } from '#src/platform/errors.ts';

const PLACE = { project: { select: { fullPath: true } } } as const;

function pathOf({ id, project }: { id: number; project: { fullPath: string } | null }): string {
  return snippetPath(project?.fullPath ?? null, id);
}

/** A file of a snippet, with the path of the page of the snippet. */
interface ShownFile extends SnippetFileRow {
  pagePath: string;
}

const SnippetFile = builder.objectRef<ShownFile>('SnippetFile').implement({
  description: 'One of the files of a snippet, with its text.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the file, whose ending indicates its format.' }),
    size: t.expose('size', { type: 'Long', description: 'Size of the text, in bytes of UTF-8.' }),
    content: t.string({
      description: 'The whole text of the file.',
      resolve: ({ snippetId, position }, _args, context, info) =>
        textLoader(context, info).load(`${snippetId} ${position}`),
    }),
    lines: t.field({
      type: FileLines,
      description: 'Lines of the file, as many as are asked for or as have some 50,000 characters, at least one.',
      args: lineArgs,
      resolve: async ({ snippetId, position, name }, { from, count }, context, info) => {
        checkLines({ from, count });
        const text = await textLoader(context, info).load(`${snippetId} ${position}`);
        return shownLinesOf(context, { name, text }, from, count);
      },
    }),
    url: t.field({
      type: 'URL',
      description: 'URL of the raw text of the file.',
      resolve: ({ pagePath, name }, _args, { baseUrl }) =>
        `${baseUrl}${pagePath}/raw/main/${name.split('/').map(encodeURIComponent).join('/')}`,
    }),
  }),
});

/** The texts of files by `snippetId position`, read together. */
function textLoader(context: GraphQLContext, info: GraphQLResolveInfo) {
  return loaderAt(context, info, { key: 'text' }, (keys: readonly string[]) => readTexts(context, keys.map(keyed)));
}

function keyed(key: string): { snippetId: number; position: number } {
  const [snippetId = 0, position = 0] = key.split(' ').map(Number);
  return { snippetId, position };
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
      description: 'Name of the first file of the snippet, whose ending indicates its format.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the snippet is for, in Markdown; null when unset.',
    }),
    files: t.field({
      type: [SnippetFile],
      description:
        'The files of the snippet, in order: at least one, at most 10. The first is also `fileName` and `content`.',
      select: { ...PLACE, files: true },
      resolve: (snippet) => snippet.files.map((file) => ({ ...file, pagePath: pathOf(snippet) })),
    }),
    file: t.field({
      type: SnippetFile,
      description: 'A file of the snippet by its name.',
      args: {
        name: t.arg.string({ required: true, description: 'Name of the file; must match exactly.' }),
        ref: t.arg.string({
          description: 'Version of the files: `main`, `master` or `HEAD`, which are the same, as there is one.',
        }),
      },
      select: { ...PLACE, files: true },
      resolve: (snippet, { name, ref }) => {
        const found = snippet.files.find((file) => file.name === name);
        if (!found || (ref != null && !['main', 'master', 'HEAD'].includes(ref))) throw new NotFound('SnippetFile');
        return { ...found, pagePath: pathOf(snippet) };
      },
    }),
    visibility: t.expose('visibility', {
      type: Visibility,
      description: 'Who can see the snippet: only its author, signed-in users who can see the project, or everyone.',
    }),
    content: t.exposeString('content', { description: 'The whole text of the first file of the snippet.' }),
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
