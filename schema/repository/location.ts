import { builder } from '#schema/builder.ts';
import { Commit, CommitConnection } from '#schema/commits/types.ts';
import { loadCountedPage, pageArgs } from '#schema/connection.ts';
import { Repository, RepositoryFile, TreeEntryConnection, TreeEntryType } from '#schema/repository/types.ts';
import { listCommits } from '#src/domain/repository/commits/list.ts';
import {
  fileAt,
  findLocation,
  type LocationRow,
  lastCommitAt,
  readmeAt,
  searchPaths,
} from '#src/domain/repository/location.ts';
import { listTree } from '#src/domain/repository/tree.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

const RefKind = builder.enumType('RefKind', {
  description: 'What a ref names.',
  values: {
    BRANCH: { value: 'branch', description: 'The ref is a branch, whose files change with each push.' },
    TAG: { value: 'tag', description: 'The ref is a tag, whose files stay as they are.' },
    COMMIT: { value: 'commit', description: 'The ref is a hash, or steps from one or from a branch or tag.' },
  } as const,
});

/** Paths that one search returns at most. */
const MAX_PATHS = 100;

const RepositoryLocation = builder.objectRef<LocationRow>('RepositoryLocation').implement({
  description: 'A directory, file or submodule at a path of a branch, tag or commit.',
  fields: (t) => ({
    ref: t.string({ description: 'The branch, tag or hash.', resolve: ({ ref }) => ref.toWellFormed() }),
    refKind: t.expose('refKind', { type: RefKind, description: 'Whether the ref is a branch, a tag or a commit.' }),
    path: t.string({
      description: 'Path from the root of the repository, without a leading slash; empty for the root.',
      resolve: ({ path }) => path.toWellFormed(),
    }),
    type: t.expose('kind', { type: TreeEntryType, description: 'Whether a directory, file or submodule is there.' }),
    sha: t.exposeString('oid', { description: 'Hash of the directory, file or submodule commit.' }),
    commitSha: t.exposeString('commitOid', { description: 'Full hash of the commit that the ref leads to.' }),
    viewerCanPush: t.boolean({
      description: 'Whether the ref is a branch that the caller can push to, considering its protection.',
      resolve: async ({ project, ref, refKind }, _args, { loaders }) =>
        refKind === 'branch' && (await loaders.branchRefusals.load(project))?.(ref, 'push') === null,
    }),
    lastCommit: t.field({
      type: Commit,
      nullable: true,
      description:
        'The latest commit that changed what is there; at the root the commit of the ref. Null for callers who cannot read commits.',
      resolve: (at, _args, context) => lastCommitAt(context, at),
    }),
    commits: t.field({
      type: CommitConnection,
      description: 'The commits that changed what is there, newest first; at the root all of the ref.',
      args: pageArgs,
      resolve: ({ project, commitOid: ref, path }, args, context, info) =>
        loadCountedPage(args, info, (page) => listCommits(context, project, { ref, path }, page)),
    }),
    entries: t.field({
      type: TreeEntryConnection,
      nullable: true,
      description: 'The entries of the directory: directories, files and submodules. Null for anything else.',
      args: pageArgs,
      resolve: (at, args, context, info) => {
        const { project, commitOid: ref, path, kind } = at;
        return kind !== 'tree'
          ? null
          : loadCountedPage(args, info, (page) => listTree(context, project, { ref, path }, page));
      },
    }),
    file: t.field({
      type: RepositoryFile,
      nullable: true,
      description: 'The file; null for directories and submodules.',
      resolve: (at, _args, context) => fileAt(context, at),
    }),
    readme: t.field({
      type: RepositoryFile,
      nullable: true,
      description: 'The file that introduces the directory, such as `README.md`; null if there is none.',
      resolve: (at, _args, context) => readmeAt(context, at),
    }),
    paths: t.stringList({
      description: `Paths of files below the directory, at most ${MAX_PATHS}, of the first 50,000 files and directories.`,
      args: {
        search: t.arg.string({
          required: true,
          defaultValue: '',
          description: 'Words that the paths have in them, in any case, separated by spaces; any files if empty.',
        }),
        limit: t.arg.int({
          required: true,
          defaultValue: 20,
          description: `Number of paths; at most ${MAX_PATHS}.`,
        }),
      },
      resolve: (at, { search, limit }, context) => {
        if (limit < 0 || limit > MAX_PATHS)
          throw new ValidationFailed({ limit: [`must be between 0 and ${MAX_PATHS}`] });
        return searchPaths(context, at, search, limit);
      },
    }),
  }),
});

builder.objectFields(Repository, (t) => ({
  at: t.field({
    type: RepositoryLocation,
    description: 'What is at a path of a branch, tag or commit; by default the root of the default branch.',
    args: {
      refAndPath: t.arg.string({
        description:
          'Ref and path in one, as in addresses of pages: `feature/new/src/index.ts`. The ref is the longest beginning that is a branch or tag, else the first part, as a commit.',
      }),
      ref: t.arg.string({ description: 'A branch, a tag or a hash; the default branch when left out.' }),
      path: t.arg.string({ description: 'Path from the root of the repository; the root when left out.' }),
    },
    resolve: (project, args, context) => findLocation(context, project, args),
  }),
}));
