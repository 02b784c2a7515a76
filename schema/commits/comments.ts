import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { commitCommentFilter } from '#schema/filters.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { commitCommentOrder } from '#schema/orders.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { alsoSelect } from '#schema/records/plugin.ts';
import '#schema/users/types.ts';
import { LINE_TYPES, listCommitComments } from '#src/domain/tracking/commits/comments_list.ts';

export const LineType = builder.enumType('LineType', {
  description: 'Side of a diff that a line is on.',
  values: {
    NEW: { value: 'new', description: 'The line is in the new version of the file.' },
    OLD: { value: 'old', description: 'The line is in the old version of the file.' },
  } as const,
});

export const CommitComment = builder.prismaObject('CommitComment', {
  description: 'A comment on a commit, or on a line that it changed.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the comment.',
      resolve: ({ id }) => toGlobalId('CommitComment', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the comment.' }),
    sha: t.exposeString('sha', { description: 'Full hash of the commit; see also `commit`.' }),
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The commit that the comment is on; null if it no longer exists.',
      select: { projectId: true, sha: true },
      resolve: ({ projectId, sha }, _args, { loaders }) => loaders.commit.load({ projectId, sha }),
    }),
    note: t.exposeString('note', { description: 'Text of the comment, in Markdown.' }),
    path: t.exposeString('path', {
      nullable: true,
      description: 'Path of the file that the comment is about; null if it is about the whole commit.',
    }),
    line: t.exposeInt('line', {
      nullable: true,
      description: 'Line that the comment is about, from 1; null if it is about the whole commit.',
    }),
    lineType: t.field({
      type: LineType,
      nullable: true,
      description: 'Side of the diff that the line is on; null if the comment is about the whole commit.',
      select: { lineType: true },
      resolve: ({ lineType }) => LINE_TYPES.find((one) => one === lineType) ?? null,
    }),
    author: t.relation('author', {
      description: 'The user who wrote the comment; the e-mail address is shown to all readers.',
      ...alsoSelect({ author: { select: { shownEmail: true } } }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the comment was written.' }),
  }),
});

const CommitCommentConnection = connectionOf('CommitComment', CommitComment);

builder.objectFields(Commit, (t) => ({
  comments: t.field({
    type: CommitCommentConnection,
    description: 'The comments on the commit, oldest first.',
    args: { ...pageArgs, ...commitCommentFilter, ...commitCommentOrder('ID', 'asc') },
    resolve: (commit, args, context, info) =>
      pageBelow('CommitComment', commit, args, context, info, listCommitComments),
  }),
}));
