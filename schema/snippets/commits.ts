import { builder } from '#schema/builder.ts';
import { FileDiffConnection, fileDiffArgs } from '#schema/commits/diff.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { PLACE, pathOf, Snippet, SnippetFile } from '#schema/snippets/types.ts';
import { User } from '#schema/users/types.ts';
import { userByAddress } from '#schema/users/user_by_address.ts';
import { commitDiff, diffPage } from '#src/domain/repository/commits/diff.ts';
import { titleOf } from '#src/domain/repository/find_commit.ts';
import {
  filesOfCommit,
  findSnippetCommit,
  listSnippetCommits,
  type SnippetCommitRow,
} from '#src/domain/snippets/history.ts';

/** A commit, with the path of the page of its snippet. */
interface ShownCommit extends SnippetCommitRow {
  pagePath: string;
}

const SnippetCommit = builder.objectRef<ShownCommit>('SnippetCommit').implement({
  description: 'A state of the files of a snippet, with its author and a message.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the commit in its snippet, which its hash makes.',
      resolve: ({ snippetId, oid }) => toGlobalId('SnippetCommit', [snippetId, oid]),
    }),
    sha: t.expose('oid', { type: 'Sha', description: 'Hash of the commit, in full: 40 hexadecimal digits.' }),
    title: t.string({ description: 'The first line of its message.', resolve: titleOf }),
    message: t.string({
      description: 'The whole message of the commit.',
      resolve: ({ message }) => message.toWellFormed(),
    }),
    authorName: t.string({
      description: 'Name of the author, as recorded in the commit.',
      resolve: ({ author }) => author.name.toWellFormed(),
    }),
    authorEmail: t.string({
      description: 'E-mail address of the author, as recorded in the commit.',
      resolve: ({ author }) => author.email.toWellFormed(),
    }),
    authorUser: t.field({
      type: User,
      nullable: true,
      description:
        'The user with the author’s confirmed e-mail address; null if there is none, and for anonymous callers.',
      resolve: ({ author }, _args, context, info) => userByAddress(context, info, author.email.toWellFormed()),
    }),
    authoredDate: t.field({
      type: 'CommitDateTime',
      description: 'When the change was authored, as recorded in the commit.',
      resolve: ({ author }) => author,
    }),
    committedDate: t.field({
      type: 'CommitDateTime',
      description: 'When the change was committed, as recorded in the commit.',
      resolve: ({ committer }) => committer,
    }),
    files: t.field({
      type: [SnippetFile],
      description: 'The files of the snippet as they were in the commit, by name, at most 10.',
      resolve: async (commit) => (await filesOfCommit(commit)).map((file) => ({ ...file, pagePath: commit.pagePath })),
    }),
    fileDiffs: t.field({
      type: FileDiffConnection,
      description: 'The files that the commit changed against its first parent, by path.',
      args: { ...pageArgs, ...fileDiffArgs },
      resolve: (commit, { path, ...args }, context, info) =>
        loadCountedPage(args, info, async (page) => diffPage(await commitDiff(context, commit), page, path)),
    }),
  }),
});

const SnippetCommitConnection = connectionOf('SnippetCommit', SnippetCommit);

builder.prismaObjectFields(Snippet, (t) => ({
  commits: t.field({
    type: SnippetCommitConnection,
    description: 'The history of the files of the snippet, newest first.',
    args: pageArgs,
    select: PLACE,
    resolve: (snippet, args, context, info) =>
      loadCountedPage(args, info, async (page) => {
        const found = await listSnippetCommits(context, snippet.id, page);
        const pagePath = pathOf(snippet);
        return { ...found, nodes: found.nodes.map((commit) => ({ ...commit, pagePath })) };
      }),
  }),
  commit: t.field({
    type: SnippetCommit,
    nullable: true,
    description: 'One of the states of its files, by its hash.',
    args: {
      sha: t.arg.string({
        required: true,
        description: 'Hash of the commit, or the beginning of it, of 7 digits or more; `main` for the latest.',
      }),
    },
    select: PLACE,
    resolve: async (snippet, { sha }, context) => ({
      ...(await findSnippetCommit(context, snippet.id, sha)),
      pagePath: pathOf(snippet),
    }),
  }),
}));
