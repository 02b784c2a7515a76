import { builder } from '#schema/builder.ts';
import { FileDiff } from '#schema/commits/diff.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import { Project } from '#schema/projects/types.ts';
import type { TreeEntry as Entry } from '#src/git/model.ts';
import type { Contributor as ContributorRow } from '#src/git/reader.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { type BlobRow, blobContent } from '#src/repository/blob.ts';
import type { ComparisonRow } from '#src/repository/compare.ts';
import { type FileRow, lastCommitOf } from '#src/repository/file.ts';

export const Repository = builder.objectRef<ProjectRow>('Repository').implement({
  description: 'The git repository of a project: its files and their history.',
  fields: (t) => ({
    projectId: t.exposeInt('id', { description: 'Numeric ID of the project.' }),
  }),
});

builder.objectFields(Project, (t) => ({
  repository: t.field({
    type: Repository,
    nullable: true,
    description: 'Its files and their history; null, with the errors, where a list in it is refused to the caller.',
    resolve: (project) => project,
  }),
}));

const TreeEntryType = builder.enumType('TreeEntryType', {
  description: 'What a directory holds.',
  values: {
    TREE: { value: 'tree', description: 'A directory.' },
    BLOB: { value: 'blob', description: 'A file or a symbolic link.' },
    COMMIT: { value: 'commit', description: 'A submodule: a commit of another repository.' },
  } as const,
});

const TreeEntry = builder.objectRef<Entry>('TreeEntry').implement({
  description: 'Something in a directory.',
  fields: (t) => ({
    sha: t.exposeString('oid', { description: 'Hash of what it is.' }),
    name: t.string({ description: 'Its name in the directory.', resolve: ({ name }) => name.toWellFormed() }),
    type: t.expose('type', { type: TreeEntryType, description: 'What it is.' }),
    path: t.string({ description: 'From the root of the repository.', resolve: ({ path }) => path.toWellFormed() }),
    mode: t.exposeString('mode', { description: 'Six octal digits: `100644`.' }),
  }),
});

export const TreeEntryConnection = connectionOf('TreeEntry', TreeEntry);

export const Blob = builder.objectRef<BlobRow>('Blob').implement({
  description: 'A content, whichever files have it.',
  fields: (t) => ({
    sha: t.exposeString('oid', { description: 'Its hash.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    size: t.exposeFloat('size', { description: 'In bytes.' }),
    encoding: t.string({ description: 'How `content` is written: always `base64`.', resolve: () => 'base64' }),
    content: t.string({
      description: 'All of it; refused with CONTENT_TOO_LARGE where it is larger than 20 MB.',
      resolve: (blob, _args, context) => blobContent(context, blob),
    }),
  }),
});

export const RepositoryFile = builder.objectRef<FileRow>('RepositoryFile').implement({
  description: 'A file in a state of the repository.',
  fields: (t) => ({
    name: t.string({ description: 'The last part of its path.', resolve: ({ name }) => name.toWellFormed() }),
    path: t.string({ description: 'From the root of the repository.', resolve: ({ path }) => path.toWellFormed() }),
    mode: t.exposeString('mode', { description: 'Six octal digits: `100644`.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    size: t.exposeFloat('size', { description: 'In bytes.' }),
    encoding: t.string({ description: 'How `content` is written: always `base64`.', resolve: () => 'base64' }),
    content: t.string({
      description: 'All of it; refused with CONTENT_TOO_LARGE where it is larger than 20 MB.',
      resolve: (file, _args, context) => blobContent(context, file),
    }),
    ref: t.exposeString('ref', { description: 'The branch, tag or hash that was asked for.' }),
    blobSha: t.exposeString('oid', { description: 'Hash of its content.' }),
    commitSha: t.exposeString('commitOid', { description: 'Hash of the commit that was asked for.' }),
    lastCommitSha: t.string({
      description: 'Hash of the latest commit that changed it.',
      resolve: (file) => lastCommitOf(file),
    }),
  }),
});

export const Comparison = builder.objectRef<ComparisonRow>('Comparison').implement({
  description: 'What one state has that another one has not.',
  fields: (t) => ({
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The latest of `allCommits`.',
      resolve: async ({ commits }) => (await commits()).rows.at(-1) ?? null,
    }),
    allCommits: t.field({
      type: [Commit],
      description: 'The commits that it has more, oldest first: the latest 5,000.',
      resolve: async ({ commits }) => (await commits()).rows,
    }),
    diffs: t.field({
      type: [FileDiff],
      description: 'What changed since both parted, by path.',
      resolve: async ({ diff }) => (await diff()).entries,
    }),
    timeout: t.boolean({
      description: 'Whether some of `diffs`, or of the commits, is missing because there is too much.',
      resolve: async ({ commits, diff }) => (await commits()).more || (await diff()).overflow,
    }),
    sameRef: t.exposeBoolean('sameRef', { description: 'Whether both are the same commit.' }),
  }),
});

const Contributor = builder.objectRef<ContributorRow>('Contributor').implement({
  description: 'Somebody who wrote commits; merges do not count.',
  fields: (t) => ({
    name: t.string({ description: 'As in the latest commit.', resolve: ({ name }) => name.toWellFormed() }),
    email: t.string({ description: 'By which commits are told apart.', resolve: ({ email }) => email.toWellFormed() }),
    commits: t.exposeInt('commits', { description: 'How many.' }),
    additions: t.exposeInt('additions', { description: 'Lines that they added.' }),
    deletions: t.exposeInt('deletions', { description: 'Lines that they removed.' }),
  }),
});

export const ContributorConnection = connectionOf('Contributor', Contributor);
