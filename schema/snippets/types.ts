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
import { requireAdmin } from '#src/access/permissions/actor.ts';
import { refInPath, snippetPath } from '#src/domain/namespaces/address.ts';
import '#schema/users/types.ts';
import '#src/domain/snippets/computed_fields.ts';
import { shownLinesOf } from '#src/domain/repository/file_text.ts';
import { readTexts, type SnippetFileRow } from '#src/domain/snippets/files.ts';
import { type CommittedFile, committedText, findCommittedFile, isLatest } from '#src/domain/snippets/history.ts';
import { BRANCH } from '#src/domain/snippets/repository.ts';
import { sshUrl } from '#src/platform/config/ssh_address.ts';
import { NotFound } from '#src/platform/errors.ts';

export const PLACE = { project: { select: { fullPath: true } } } as const;

interface Placed {
  id: number;
  project: { fullPath: string } | null;
}

export function pathOf({ id, project }: Placed): string {
  return snippetPath(project?.fullPath ?? null, id);
}

/** The address of the repository of a snippet, without `.git`. */
function repositoryOf({ id, project }: Placed): string {
  return `${project ? `${project.fullPath}/` : ''}snippets/${id}`;
}

/** A file of a snippet as it is, or as it was in a commit, with the path of the page of the snippet. */
export type ShownFile = { pagePath: string } & (SnippetFileRow | CommittedFile);

/** The text of a file; those of files as they are are read together. */
function textOf(file: ShownFile, context: GraphQLContext, info: GraphQLResolveInfo): Promise<string> {
  if ('oid' in file) return committedText(context, file);
  return textLoader(context, info).load(`${file.snippetId} ${file.position}`);
}

export const SnippetFile = builder.objectRef<ShownFile>('SnippetFile').implement({
  description: 'One of the files of a snippet, with its text.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the file, whose ending indicates its format.' }),
    size: t.expose('size', { type: 'Long', description: 'Size of the text, in bytes of UTF-8.' }),
    content: t.string({
      description: 'The whole text of the file.',
      resolve: (file, _args, context, info) => textOf(file, context, info),
    }),
    lines: t.field({
      type: FileLines,
      description: 'Lines of the file, as many as are asked for or as have some 50,000 characters, at least one.',
      args: lineArgs,
      resolve: async (file, { from, count }, context, info) => {
        checkLines({ from, count });
        const text = await textOf(file, context, info);
        return shownLinesOf(context, { name: file.name, text }, from, count);
      },
    }),
    url: t.field({
      type: 'URL',
      description: 'URL of the raw text of the file.',
      resolve: ({ pagePath, name, ...file }, _args, { baseUrl }) =>
        `${baseUrl}${pagePath}/raw/${'commit' in file ? file.commit : BRANCH}/${refInPath(name)}`,
    }),
    sha: t.field({
      type: 'Sha',
      nullable: true,
      description: 'Full hash of the commit that the file was read at; null for the file as it is now.',
      resolve: (file) => ('commit' in file ? file.commit : null),
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
          description:
            'Version of the file: `main` or `HEAD` for the file as it is, which is the default, or the hash of a commit of the snippet.',
        }),
      },
      select: { ...PLACE, files: true },
      resolve: async (snippet, { name, ref }, context) => {
        const isNow = ref == null || isLatest(ref);
        const found = isNow
          ? snippet.files.find((file) => file.name === name)
          : await findCommittedFile(context, snippet.id, ref, name);
        if (!found) throw new NotFound('SnippetFile');
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
    httpUrlToRepo: t.string({
      description: 'URL from which git clones the files of the snippet over HTTP.',
      select: PLACE,
      resolve: (snippet, _args, { baseUrl }) => `${baseUrl}/${repositoryOf(snippet)}.git`,
    }),
    sshUrlToRepo: t.string({
      description:
        'Address from which git clones the files of the snippet over SSH; empty where the server has not got its port for SSH.',
      select: PLACE,
      resolve: (snippet, _args, { baseUrl, ssh }) => sshUrl(repositoryOf(snippet), baseUrl, ssh),
    }),
    repositoryStorage: t.string({
      nullable: true,
      description:
        'The storage that the repository lies in; null before it was needed for the first time. For administrators.',
      select: { repositoryStorage: true },
      resolve: ({ repositoryStorage }, _args, context) => {
        requireAdmin(context);
        return repositoryStorage;
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the snippet was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the snippet last changed.' }),
  }),
});

export const SnippetConnection = connectionOf('Snippet', Snippet);
