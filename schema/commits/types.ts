import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { User } from '#schema/users/types.ts';
import { userByAddress } from '#schema/users/user_by_address.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import { trailersOf } from '#src/domain/repository/commits/trailers.ts';
import { type CommitRow, type CommitStats, commitStats, titleOf } from '#src/domain/repository/find_commit.ts';

const CommitStatistics = builder.objectRef<CommitStats>('CommitStatistics').implement({
  description: 'Number of lines that a commit changed compared to its first parent. Binary files count as none.',
  fields: (t) => ({
    additions: t.exposeInt('additions', { description: 'Number of lines that the commit added.' }),
    deletions: t.exposeInt('deletions', { description: 'Number of lines that the commit removed.' }),
    total: t.int({
      description: 'Number of lines added and removed together.',
      resolve: ({ additions, deletions }) => additions + deletions,
    }),
  }),
});

export const Commit = builder.objectRef<CommitRow>('Commit').implement({
  description: 'A state of all files of a repository, with its author, its parents and a message.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the commit in its project, which its hash makes.',
      resolve: ({ project, oid }) => toGlobalId('Commit', [project.id, oid]),
    }),
    sha: t.exposeString('oid', { description: 'Hash of the commit, in full: 40 hexadecimal digits.' }),
    shortSha: t.string({ description: 'The first 8 digits of its hash.', resolve: ({ oid }) => oid.slice(0, 8) }),
    projectId: t.int({
      description: 'Numeric ID of the project; see also `project`.',
      resolve: ({ project }) => project.id,
    }),
    project: t.field({
      type: Project,
      description: 'The project from whose repository the commit was read.',
      resolve: ({ project }, _args, context, info) => requireProject(context, info, project.id),
    }),
    title: t.string({
      description: 'The first line of its message.',
      resolve: titleOf,
    }),
    message: t.string({
      description: 'The whole message of the commit.',
      resolve: ({ message }) => message.toWellFormed(),
    }),
    parentShas: t.exposeStringList('parents', {
      description: 'Full hashes of the parents: none for the first commit, several for a merge.',
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
    committerName: t.string({
      description: 'Name of the committer, as recorded in the commit.',
      resolve: ({ committer }) => committer.name.toWellFormed(),
    }),
    committerEmail: t.string({
      description: 'E-mail address of the committer, as recorded in the commit.',
      resolve: ({ committer }) => committer.email.toWellFormed(),
    }),
    committerUser: t.field({
      type: User,
      nullable: true,
      description:
        'The user with the committer’s confirmed e-mail address; null if there is none, and for anonymous callers.',
      resolve: ({ committer }, _args, context, info) => userByAddress(context, info, committer.email.toWellFormed()),
    }),
    committedDate: t.field({
      type: 'CommitDateTime',
      description: 'When the change was committed, as recorded in the commit.',
      resolve: ({ committer }) => committer,
    }),
    webUrl: t.string({
      description: 'URL of the page of the commit.',
      resolve: ({ project, oid }, _args, { baseUrl }) => baseUrl + pagePath(project.fullPath, 'commit', oid),
    }),
    trailers: t.field({
      type: 'JSON',
      description: 'The trailers of its message, such as `Signed-off-by`, by key, each with its last value.',
      resolve: ({ message }) =>
        Object.fromEntries([...trailersOf(message)].map(([key, values]) => [key, values.at(-1) ?? ''])),
    }),
    extendedTrailers: t.field({
      type: 'JSON',
      description: 'The trailers of its message by key, each with all of its values.',
      resolve: ({ message }) => Object.fromEntries(trailersOf(message)),
    }),
    stats: t.field({
      type: CommitStatistics,
      description: 'Number of lines that the commit changed compared to its first parent.',
      resolve: (commit, _args, context) => commitStats(context, commit),
    }),
    sequence: t.int({
      description: 'Number of commits up to this one, which is one of them.',
      args: {
        firstParent: t.arg.boolean({ defaultValue: false, description: 'Whether merges count as one commit.' }),
      },
      resolve: ({ oid, repository }, { firstParent }) =>
        repository.count({ start: oid, firstParent: firstParent ?? false }),
    }),
  }),
});

export const CommitConnection = connectionOf('Commit', Commit);
