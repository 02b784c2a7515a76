import { builder } from '#schema/builder.ts';
import { FileDiff, FileDiffConnection, fileDiffArgs } from '#schema/commits/diff.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { User } from '#schema/users/types.ts';
import { userByAddress } from '#schema/users/user_by_address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type BlobRow, blobContent } from '#src/domain/repository/blob.ts';
import { diffPage } from '#src/domain/repository/commits/diff.ts';
import type { ComparisonRow } from '#src/domain/repository/compare.ts';
import { type FileRow, lastCommitOf } from '#src/domain/repository/file.ts';
import type { TreeEntry as Entry } from '#src/git/model.ts';
import type { Contributor as ContributorRow } from '#src/git/reader.ts';

export const Repository = builder.objectRef<ProjectRow>('Repository').implement({
  description: 'The git repository of a project: its files and their history.',
  fields: (t) => ({
    projectId: t.exposeInt('id', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field({
      type: Project,
      description: 'The project that has the repository.',
      resolve: ({ id }, _args, context, info) => requireProject(context, info, id),
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  repository: t.field({
    type: Repository,
    nullable: true,
    description:
      'The git repository of the project; null, with errors, if the caller cannot read a requested list in it.',
    resolve: (project) => project,
  }),
}));

const TreeEntryType = builder.enumType('TreeEntryType', {
  description: 'The kinds of entries of a directory.',
  values: {
    TREE: { value: 'tree', description: 'The entry is a directory.' },
    BLOB: { value: 'blob', description: 'The entry is a file or a symbolic link.' },
    COMMIT: { value: 'commit', description: 'The entry is a submodule: a commit of another repository.' },
  } as const,
});

const TreeEntry = builder.objectRef<Entry>('TreeEntry').implement({
  description: 'An entry of a directory of the repository.',
  fields: (t) => ({
    sha: t.exposeString('oid', { description: 'Hash of the file, directory or submodule commit.' }),
    name: t.string({
      description: 'Name of the entry within its directory.',
      resolve: ({ name }) => name.toWellFormed(),
    }),
    type: t.expose('type', {
      type: TreeEntryType,
      description: 'Whether the entry is a file, a directory or a submodule.',
    }),
    path: t.string({
      description: 'Path from the root of the repository, without a leading slash.',
      resolve: ({ path }) => path.toWellFormed(),
    }),
    mode: t.exposeString('mode', { description: 'File mode as six octal digits: `100644`.' }),
  }),
});

export const TreeEntryConnection = connectionOf('TreeEntry', TreeEntry);

export const Blob = builder.objectRef<BlobRow>('Blob').implement({
  description: 'The content of files, whatever their names.',
  fields: (t) => ({
    sha: t.exposeString('oid', { description: 'Hash of the content, in full.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field({
      type: Project,
      description: 'The project that has the repository.',
      resolve: ({ projectId }, _args, context, info) => requireProject(context, info, projectId),
    }),
    size: t.expose('size', { type: 'Long', description: 'Size of the content, in bytes.' }),
    encoding: t.string({ description: 'Encoding of `content`: always `base64`.', resolve: () => 'base64' }),
    content: t.string({
      description: 'The whole content in Base64. Fails with CONTENT_TOO_LARGE above 20 MB.',
      resolve: (blob, _args, context) => blobContent(context, blob),
    }),
  }),
});

export const RepositoryFile = builder.objectRef<FileRow>('RepositoryFile').implement({
  description: 'A file as it is in one commit of the repository.',
  fields: (t) => ({
    name: t.string({
      description: 'File name: the last part of the path.',
      resolve: ({ name }) => name.toWellFormed(),
    }),
    path: t.string({
      description: 'Path from the root of the repository, without a leading slash.',
      resolve: ({ path }) => path.toWellFormed(),
    }),
    mode: t.exposeString('mode', { description: 'File mode as six octal digits: `100644`.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field({
      type: Project,
      description: 'The project that has the repository.',
      resolve: ({ projectId }, _args, context, info) => requireProject(context, info, projectId),
    }),
    size: t.expose('size', { type: 'Long', description: 'Size of the content, in bytes.' }),
    encoding: t.string({ description: 'Encoding of `content`: always `base64`.', resolve: () => 'base64' }),
    content: t.string({
      description: 'The whole content in Base64. Fails with CONTENT_TOO_LARGE above 20 MB.',
      resolve: (file, _args, context) => blobContent(context, file),
    }),
    ref: t.exposeString('ref', { description: 'The branch, tag or hash that the file was requested by.' }),
    blobSha: t.exposeString('oid', { description: 'Hash of the content of the file, in full.' }),
    commitSha: t.exposeString('commitOid', {
      description: 'Full hash of the commit that the file was read from.',
    }),
    lastCommitSha: t.string({
      description: 'Hash of the latest commit that changed the file, in full.',
      resolve: (file) => lastCommitOf(file),
    }),
  }),
});

export const Comparison = builder.objectRef<ComparisonRow>('Comparison').implement({
  description: 'The commits and changes between two states of a repository.',
  fields: (t) => ({
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The latest of the commits; null without any.',
      resolve: async ({ commits }) => (await commits()).rows.at(-1) ?? null,
    }),
    allCommits: t.field({
      type: [Commit],
      description: 'The commits in `to` that are not in `from`, oldest first: at most the latest 5,000.',
      resolve: async ({ commits }) => (await commits()).rows,
    }),
    diffs: t.field({
      type: [FileDiff],
      description: 'The files that changed since the last common commit, by path.',
      resolve: async ({ diff }) => (await diff()).entries,
    }),
    fileDiffs: t.field({
      type: FileDiffConnection,
      description: 'The files that changed since the last common commit, by path, page by page.',
      args: { ...pageArgs, ...fileDiffArgs },
      resolve: ({ diff }, { path, ...args }, _context, info) =>
        loadCountedPage(args, info, async (page) => diffPage(await diff(), page, path)),
    }),
    timeout: t.boolean({
      description: 'Whether some diffs or commits are missing because there are too many.',
      resolve: async ({ commits, diff }) => (await commits()).more || (await diff()).overflow,
    }),
    sameRef: t.exposeBoolean('sameRef', { description: 'Whether both refs are the same commit.' }),
  }),
});

const Contributor = builder.objectRef<ContributorRow>('Contributor').implement({
  description: 'An author of commits; merges do not count.',
  fields: (t) => ({
    name: t.string({
      description: 'Name of the author, as in their latest commit.',
      resolve: ({ name }) => name.toWellFormed(),
    }),
    email: t.string({
      description: 'E-mail address of the author, which identifies the contributor.',
      resolve: ({ email }) => email.toWellFormed(),
    }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user with this confirmed e-mail address; null if there is none, and for anonymous callers.',
      resolve: ({ email }, _args, context, info) => userByAddress(context, info, email.toWellFormed()),
    }),
    commits: t.exposeInt('commits', { description: 'Number of commits that they wrote.' }),
    additions: t.exposeInt('additions', { description: 'Number of lines that they added.' }),
    deletions: t.exposeInt('deletions', { description: 'Number of lines that they removed.' }),
  }),
});

export const ContributorConnection = connectionOf('Contributor', Contributor);
