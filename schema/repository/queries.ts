import { builder } from '#schema/builder.ts';
import { FileDiffConnection } from '#schema/commits/diff.ts';
import { CommitActionInput } from '#schema/commits/mutations.ts';
import { loadCountedPage, pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { Archive, ArchiveFormat } from '#schema/repository/archive.ts';
import { fileHtml } from '#schema/repository/file_html.ts';
import {
  Blob,
  Comparison,
  ContributorConnection,
  Repository,
  RepositoryFile,
  TreeEntryConnection,
  TreeEntryType,
} from '#schema/repository/types.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { findArchive } from '#src/domain/repository/archive.ts';
import { findBlob } from '#src/domain/repository/blob.ts';
import {
  type CommitActivity as Activity,
  commitActivity,
  type CommitInterval as Interval,
} from '#src/domain/repository/commit_activity.ts';
import { diffPage } from '#src/domain/repository/commits/diff.ts';
import { previewActions } from '#src/domain/repository/commits/preview.ts';
import { compareRefs } from '#src/domain/repository/compare.ts';
import { listContributors } from '#src/domain/repository/contributors.ts';
import { findFile, findFiles } from '#src/domain/repository/file.ts';
import { listTree } from '#src/domain/repository/tree.ts';

const CommitInterval = builder.enumType('CommitInterval', {
  description: 'The spans of time in which commits are counted.',
  values: {
    DAY: { value: 'day', description: 'The last 30 days, one by one.' },
    WEEK: { value: 'week', description: 'The last 13 weeks, which begin on Monday.' },
    MONTH: { value: 'month', description: 'The last 12 months, one by one.' },
  } satisfies Record<string, { value: Interval; description: string }>,
});

const CommitActivity = builder.objectRef<Activity>('CommitActivity').implement({
  description: 'How many commits were made within a span of time.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'When the span begins, at midnight in UTC.' }),
    commits: t.exposeInt('commits', { description: 'How many commits were made, by the clocks of their committers.' }),
  }),
});

const CommitPreviewFilter = builder.inputType('CommitPreviewFilter', {
  description: 'Which files of a preview to compare.',
  fields: (t) => ({
    path: t.string({ description: 'Only the file that has this path before or after the change.' }),
  }),
});

builder.objectFields(Repository, (t) => ({
  tree: t.field({
    type: TreeEntryConnection,
    description: 'The entries of a directory: directories, files and submodules.',
    args: {
      ...pageArgs,
      path: t.arg.string({ description: 'Path of the directory; the root when left out.' }),
      ref: t.arg.string({ description: 'A branch, a tag or a hash; the default branch when left out.' }),
      recursive: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to include files and directories further down.',
      }),
      type: t.arg({ type: TreeEntryType, description: 'Only entries of this type; all by default.' }),
      afterSha: t.arg.string({
        description:
          'Only entries after the first with this hash; `offset` counts from there. To walk through a list, use `after`, which is exact where several have one.',
      }),
    },
    resolve: (project, args, context, info) =>
      loadCountedPage(args, info, (page) => listTree(context, project, args, page)),
  }),
  blob: t.field({
    type: Blob,
    description: 'The content of files by its hash.',
    args: { sha: t.arg.string({ required: true, description: 'Hash of the content, in full.' }) },
    resolve: (project, { sha }, context) => findBlob(context, project, sha),
  }),
  file: t.field({
    type: RepositoryFile,
    description: 'A file by its path, as it is at a ref.',
    args: {
      path: t.arg.string({ required: true, description: 'Path of the file from the root of the repository.' }),
      ref: t.arg.string({ required: true, description: 'The branch, tag or hash at which the file is read.' }),
    },
    resolve: (project, { path, ref }, context) => findFile(context, project, path, ref),
  }),
  files: t.field({
    type: [RepositoryFile],
    nullable: true,
    description: 'Several files by their paths, as they are at a ref. Those that are not there are left out.',
    args: {
      paths: t.arg.stringList({
        required: true,
        description: 'Paths of the files from the root of the repository; at most 100, of 20 MB in all.',
      }),
      ref: t.arg.string({ description: 'A branch, a tag or a hash; the default branch when left out.' }),
    },
    resolve: (project, { paths, ref }, context) => findFiles(context, project, paths, ref),
  }),
  renderedFile: t.string({
    nullable: true,
    description:
      'A text as HTML, as it would be shown in a file at this path: for editors, before it is committed. Null where the name of the file says that it is shown as lines, and for what is too long to be rendered. For signed-in callers.',
    args: {
      path: t.arg.string({ required: true, description: 'Path of the file from the root of the repository.' }),
      ref: t.arg.string({
        required: true,
        description: 'The branch, tag or hash to whose files relative links lead.',
      }),
      text: t.arg.string({
        required: true,
        description: 'The text of the file; 128 KB of Markdown, or 2 MB of a notebook.',
      }),
    },
    resolve: (project, { path, ref, text }, context) => {
      requireActor(context);
      context.loaders.noteProject(project);
      return fileHtml(context, { path, ref, projectId: project.id }, text);
    },
  }),
  commitPreview: t.field({
    type: FileDiffConnection,
    nullable: true,
    description:
      'What `createCommit` with the same actions would change, by path; nothing is written. Files of more than 1 MB are not compared.',
    args: {
      ...pageArgs,
      ref: t.arg.string({
        description: 'The branch, tag or hash on which the actions are done; the default branch when left out.',
      }),
      actions: t.arg({
        type: [CommitActionInput],
        required: true,
        description: 'What is done to the files, one after another: at most 100 actions, with 20 MB in all.',
      }),
      filter: t.arg({ type: CommitPreviewFilter, description: 'Which files to compare; all if left out.' }),
      sort: t.arg({ type: SortDirection, required: true, defaultValue: 'asc', description: 'Direction of the order.' }),
    },
    resolve: (project, { ref, actions, filter, sort, ...args }, context, info) =>
      loadCountedPage(args, info, async (page) => {
        const diff = await previewActions(context, project, ref, actions);
        const entries = sort === 'desc' ? diff.entries.toReversed() : diff.entries;
        return diffPage({ ...diff, entries }, page, filter?.path);
      }),
  }),
  compare: t.field({
    type: Comparison,
    description: 'The commits and changes between two refs.',
    args: {
      from: t.arg.string({ required: true, description: 'The base of the comparison: a branch, a tag or a hash.' }),
      to: t.arg.string({ required: true, description: 'The ref to compare with the base: a branch, a tag or a hash.' }),
      straight: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the changes are those between the two refs themselves, not since where they parted.',
      }),
      fromProject: t.arg({
        type: 'ProjectRef',
        description:
          'The project that has the base, if it is another one of the same forks that the caller can read the repository of.',
      }),
    },
    resolve: (project, { from, to, straight, fromProject }, context) =>
      compareRefs(context, project, { from, to, straight, fromProject }),
  }),
  commitActivity: t.field({
    type: [CommitActivity],
    nullable: true,
    description:
      'How many commits of a history were made lately, oldest span first. Null if there is no such ref, on servers without git, and where there are too many commits to be counted. For callers who can read commits.',
    args: {
      ref: t.arg.string({ description: 'A branch, a tag or a hash; the default branch when left out.' }),
      interval: t.arg({
        type: CommitInterval,
        required: true,
        defaultValue: 'week',
        description: 'The spans in which commits are counted.',
      }),
    },
    resolve: (project, { ref, interval }, context) => commitActivity(context, project, ref, interval),
  }),
  contributors: t.field({
    type: ContributorConnection,
    description: 'The authors of the commits in the default branch, in order of their latest commits.',
    args: pageArgs,
    resolve: (project, args, context, info) =>
      loadCountedPage(args, info, (page) => listContributors(context, project, page)),
  }),
  archive: t.field({
    type: Archive,
    description: 'An archive of files at a ref, and where to download it.',
    args: {
      ref: t.arg.string({ description: 'A branch, a tag or a hash; the default branch when left out.' }),
      format: t.arg({
        type: ArchiveFormat,
        required: true,
        defaultValue: 'tar.gz',
        description: 'Archive format, such as tar or zip.',
      }),
      path: t.arg.string({ description: 'Path of the only directory or file in it; everything when left out.' }),
      excludePaths: t.arg.stringList({ description: 'Paths of files and directories to leave out: at most 100.' }),
      lfsObjects: t.arg.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether files that are kept with Git LFS have their content in it, rather than point to it.',
      }),
    },
    resolve: (project, args, context) => findArchive(context, project, args),
  }),
}));
