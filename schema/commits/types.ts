import { builder } from '#schema/builder.ts';
import { surelyProjectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { connectionOf } from '#schema/connection.ts';
import { User } from '#schema/users/types.ts';
import { userByAddress } from '#schema/users/user_by_address.ts';
import { type CommitRow, type CommitStats, commitStats, titleOf } from '#src/commits/find.ts';

const CommitStatistics = builder.objectRef<CommitStats>('CommitStatistics').implement({
  description: 'How many lines a commit changed against its first parent; binary files count none.',
  fields: (t) => ({
    additions: t.exposeInt('additions', { description: 'Lines added.' }),
    deletions: t.exposeInt('deletions', { description: 'Lines removed.' }),
    total: t.int({ description: 'Both together.', resolve: ({ additions, deletions }) => additions + deletions }),
  }),
});

export const Commit = builder.objectRef<CommitRow>('Commit').implement({
  description: 'A state of all files of a repository, with who made it of which states before it, and why.',
  fields: (t) => ({
    sha: t.exposeString('oid', { description: 'Its hash, in full.' }),
    shortSha: t.string({ description: 'The first 8 digits of its hash.', resolve: ({ oid }) => oid.slice(0, 8) }),
    projectId: t.int({
      description: 'Numeric ID of the project; `project` leads to it.',
      resolve: ({ project }) => project.id,
    }),
    project: t.field({
      type: Project,
      description: 'The project from whose repository the commit was read.',
      resolve: ({ project }, _args, context, info) => surelyProjectOf(context, info, project.id),
    }),
    title: t.string({
      description: 'The first line of its message.',
      resolve: titleOf,
    }),
    message: t.string({ description: 'Why it was made.', resolve: ({ message }) => message.toWellFormed() }),
    parentShas: t.exposeStringList('parents', { description: 'Hashes of the states that it was made of.' }),
    authorName: t.string({
      description: 'Who wrote the change.',
      resolve: ({ author }) => author.name.toWellFormed(),
    }),
    authorEmail: t.string({
      description: 'E-mail address of who wrote the change.',
      resolve: ({ author }) => author.email.toWellFormed(),
    }),
    authorUser: t.field({
      type: User,
      nullable: true,
      description:
        'The user who has confirmed the e-mail address of the author as theirs; null without one, and for anonymous callers.',
      resolve: ({ author }, _args, context, info) => userByAddress(context, info, author.email.toWellFormed()),
    }),
    authoredDate: t.field({
      type: 'CommitDateTime',
      description: 'When the change was written.',
      resolve: ({ author }) => author,
    }),
    committerName: t.string({
      description: 'Who made the commit.',
      resolve: ({ committer }) => committer.name.toWellFormed(),
    }),
    committerEmail: t.string({
      description: 'E-mail address of who made the commit.',
      resolve: ({ committer }) => committer.email.toWellFormed(),
    }),
    committerUser: t.field({
      type: User,
      nullable: true,
      description:
        'The user who has confirmed the e-mail address of the committer as theirs; null without one, and for anonymous callers.',
      resolve: ({ committer }, _args, context, info) => userByAddress(context, info, committer.email.toWellFormed()),
    }),
    committedDate: t.field({
      type: 'CommitDateTime',
      description: 'When the commit was made.',
      resolve: ({ committer }) => committer,
    }),
    stats: t.field({
      type: CommitStatistics,
      description: 'How many lines it changed.',
      resolve: (commit, _args, context) => commitStats(context, commit),
    }),
  }),
});

export const CommitConnection = connectionOf('Commit', Commit);
