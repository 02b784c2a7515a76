import { builder } from '#schema/builder.ts';
import { FileDiff, FileDiffConnection, fileDiffArgs } from '#schema/commits/diff.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Heading } from '#schema/markdown/heading.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { fileHtml, renderedFlavour } from '#schema/repository/file_html.ts';
import { User } from '#schema/users/types.ts';
import { userByAddress } from '#schema/users/user_by_address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  type BlamedLines as BlamedLinesRow,
  type BlameRow,
  blameLines,
  blameOf,
} from '#src/domain/repository/blame.ts';
import { type BlobRow, blobContent } from '#src/domain/repository/blob.ts';
import { diffPage } from '#src/domain/repository/commits/diff.ts';
import type { ComparisonRow } from '#src/domain/repository/compare.ts';
import type { Table } from '#src/domain/repository/csv.ts';
import { contentHash, type FileRow, lastCommitOf } from '#src/domain/repository/file.ts';
import {
  hasPreview,
  imageTypeOf,
  isEditable,
  lfsPointerOf,
  linesOfText,
  MAX_TEXT_BYTES,
  type ShownLines,
  shownLines,
  tableOf,
  textOf,
} from '#src/domain/repository/file_text.ts';
import type { LfsPointer } from '#src/domain/repository/lfs_pointer.ts';
import { entriesOf } from '#src/domain/repository/shown_diff.ts';
import type { TreeRow } from '#src/domain/repository/tree.ts';
import { headingsOf } from '#src/domain/tracking/markdown/headings.ts';
import { EXECUTABLE } from '#src/git/base/model.ts';
import type { Contributor as ContributorRow } from '#src/git/base/reader.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

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

export const TreeEntryType = builder.enumType('TreeEntryType', {
  description: 'The kinds of entries of a directory.',
  values: {
    TREE: { value: 'tree', description: 'The entry is a directory.' },
    BLOB: { value: 'blob', description: 'The entry is a file or a symbolic link.' },
    COMMIT: { value: 'commit', description: 'The entry is a submodule: a commit of another repository.' },
  } as const,
});

const TreeEntry = builder.objectRef<TreeRow>('TreeEntry').implement({
  description: 'An entry of a directory of the repository.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the entry in its commit, which its path makes.',
      resolve: ({ projectId, commitOid, path }) => toGlobalId('TreeEntry', [projectId, commitOid, path]),
    }),
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
    lastCommit: t.field({
      type: Commit,
      nullable: true,
      description:
        'The latest commit that changed the entry. Null where it is more than 5,000 commits back, in recursive lists, and for callers who cannot read commits.',
      resolve: (entry) => entry.lastCommit(),
    }),
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

const BlameRange = builder.inputType('BlameRange', {
  description: 'Lines that follow each other, with both ends.',
  fields: (t) => ({
    start: t.int({ required: true, description: 'Number of the first line, from 1.' }),
    end: t.int({ required: true, description: 'Number of the last line of them.' }),
  }),
});

const BlamedLines = builder.objectRef<BlamedLinesRow>('BlamedLines').implement({
  description: 'Lines that follow each other and were written in one commit.',
  fields: (t) => ({
    commit: t.expose('commit', { type: Commit, description: 'The commit in which the lines were written.' }),
    lines: t.exposeStringList('lines', { description: 'The lines without the breaks at their ends.' }),
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
    contentSha256: t.string({
      nullable: true,
      description: 'SHA-256 of the content in hexadecimal digits; null for content of more than 20 MB.',
      resolve: (file, _args, context) => contentHash(context, file),
    }),
    executable: t.boolean({
      description: 'Whether the file can be run as a program, as its mode says.',
      resolve: ({ mode }) => mode === EXECUTABLE,
    }),
    blamedLines: t.field({
      type: [BlamedLines],
      description:
        'The lines of the file with the commits in which they were written: at most 20,000 at once, of a file of at most 2 MB.',
      args: { range: t.arg({ type: BlameRange, description: 'Which lines; all of them when left out.' }) },
      resolve: (file, { range }, context) => blameLines(context, file, range ?? null),
    }),
  }),
});

/** Lines that are read at once. */
const MAX_LINES = 1_000;

const LfsPointerType = builder.objectRef<LfsPointer>('LfsPointer').implement({
  description: 'The content of a file that is kept in large file storage (Git LFS) rather than in the repository.',
  fields: (t) => ({
    oid: t.exposeString('oid', { description: 'SHA-256 of the content, in hexadecimal digits.' }),
    size: t.expose('size', { type: 'Long', description: 'Size of the content, in bytes.' }),
  }),
});

export const FileLines = builder.objectRef<ShownLines>('FileLines').implement({
  description: 'Lines of a file as HTML, with colours where its name says in which language it is.',
  fields: (t) => ({
    from: t.exposeInt('from', { description: 'Number of the first line, from 1.' }),
    to: t.exposeInt('to', { description: 'Number of the last line; less than `from` if there are none.' }),
    total: t.exposeInt('total', { description: 'Number of lines of the file.' }),
    html: t.exposeString('html', {
      description:
        'The lines as sanitised HTML, separated by line breaks. Every tag that is opened in a line is closed in it; the classes of `span` are those of highlight.js.',
    }),
    language: t.exposeString('language', {
      nullable: true,
      description: 'The language by which the lines have colours, such as `ts`; null where they have none.',
    }),
    isCut: t.exposeBoolean('isCut', {
      description: 'Whether lines of the file are longer than 5,000 characters, and so cut.',
    }),
  }),
});

const FileTable = builder.objectRef<Table>('FileTable').implement({
  description: 'The values of a file of comma- or tab-separated values.',
  fields: (t) => ({
    rows: t.field({
      type: t.listRef(t.listRef('String')),
      description: 'The first 500 rows, each with the same number of values, at most 50.',
      resolve: ({ rows }) => rows,
    }),
    isCut: t.exposeBoolean('isCut', { description: 'Whether rows, columns or parts of long values were left out.' }),
  }),
});

const BlamePrevious = builder.objectRef<NonNullable<BlameRow['previous']>>('BlamePrevious').implement({
  description: 'Where a file was before a commit changed it.',
  fields: (t) => ({
    sha: t.expose('sha', { type: 'Sha', description: 'Hash of the commit before.' }),
    path: t.exposeString('path', { description: 'Path of the file there.' }),
  }),
});

const BlameHunk = builder.objectRef<BlameRow>('BlameHunk').implement({
  description: 'Lines of a file that follow each other and were written in one commit.',
  fields: (t) => ({
    from: t.exposeInt('from', { description: 'Number of the first line, from 1.' }),
    lines: t.exposeInt('lines', { description: 'Number of lines that follow each other.' }),
    commit: t.expose('commit', { type: Commit, description: 'The latest commit that changed the lines.' }),
    previous: t.field({
      type: BlamePrevious,
      nullable: true,
      description: 'Where the file was before that commit, to be blamed there; null where it began.',
      resolve: ({ previous }) => previous,
    }),
  }),
});

/** A file as HTML; null where it is not shown so. */
async function htmlOfFile(context: GraphQLContext, file: FileRow): Promise<string | null> {
  const text = renderedFlavour(file.name, file.size) === null ? null : await textOf(context, file);
  return text === null ? null : fileHtml(context, file, text);
}

/** The arguments of fields about lines of a file. */
export const lineArgs = builder.args((t) => ({
  from: t.int({ required: true, defaultValue: 1, description: 'Number of the first line, from 1.' }),
  count: t.int({ required: true, defaultValue: MAX_LINES, description: `Number of lines; at most ${MAX_LINES}.` }),
}));

/** Throws ValidationFailed. */
export function checkLines({ from, count }: { from: number; count: number }, most = MAX_LINES): void {
  if (from < 1) throw new ValidationFailed({ from: ['must be at least 1'] });
  if (count < 1 || count > most) throw new ValidationFailed({ count: [`must be between 1 and ${most}`] });
}

builder.objectFields(RepositoryFile, (t) => ({
  text: t.string({
    nullable: true,
    description:
      'The content as text, all of it unless `from` or `count` is given; null if it is binary, not in UTF-8, or more than 2 MB.',
    args: {
      from: t.arg.int({ description: 'The first line, counted from 1; the first of the file when left out.' }),
      count: t.arg.int({ description: 'Number of lines, at least 1; all that follow when left out.' }),
    },
    resolve: (file, { from, count }, context) => {
      const [first, lines] = [from ?? 1, count ?? MAX_TEXT_BYTES];
      checkLines({ from: first, count: lines }, MAX_TEXT_BYTES);
      return from == null && count == null ? textOf(context, file) : linesOfText(context, file, first, lines);
    },
  }),
  hasPreview: t.boolean({
    description:
      'Whether the file is, by its name, one that is shown in another form than its lines: as `html`, as a `table` or as an image.',
    resolve: (file) => hasPreview(file),
  }),
  isEditable: t.boolean({
    description:
      'Whether the content can be edited as text: at most 1 MB in UTF-8 without NUL, which is no target of a symbolic link and no pointer to large file storage.',
    resolve: (file, _args, context) => isEditable(context, file),
  }),
  imageType: t.string({
    nullable: true,
    description: 'Media type of an image that browsers show, by the name of the file; null for other files.',
    resolve: ({ name }) => imageTypeOf(name),
  }),
  lfsPointer: t.field({
    type: LfsPointerType,
    nullable: true,
    description: 'The content, if it is kept in large file storage; null for other files.',
    resolve: (file, _args, context) => lfsPointerOf(context, file),
  }),
  lines: t.field({
    type: FileLines,
    nullable: true,
    description:
      'Lines of the file, as many as are asked for or as have some 50,000 characters, at least one. Null if the file is binary or more than 2 MB.',
    args: lineArgs,
    resolve: (file, args, context) => {
      checkLines(args);
      return shownLines(context, file, args.from, args.count);
    },
  }),
  html: t.string({
    nullable: true,
    description:
      'A file in Markdown or a Jupyter notebook as sanitised HTML, with links to what the caller can see; relative links lead to files of the same ref. Null for other files, Markdown of more than 128 KB and notebooks of more than 2 MB.',
    resolve: (file, _args, context) => htmlOfFile(context, file),
  }),
  headings: t.field({
    type: [Heading],
    description:
      'The headings of `html` in the order of the text, at most 200: its table of contents. None where the file is not shown as HTML.',
    resolve: async (file, _args, context) => headingsOf((await htmlOfFile(context, file)) ?? ''),
  }),
  table: t.field({
    type: FileTable,
    nullable: true,
    description:
      'The values of a file whose name ends in `.csv` or `.tsv`; null for others, and those of more than 128 KB.',
    resolve: (file, _args, context) => tableOf(context, file),
  }),
  blame: t.field({
    type: [BlameHunk],
    nullable: true,
    description:
      'The commits in which lines of the file were written. Null if the file is binary or more than 2 MB, and on servers without git. For callers who can read commits.',
    args: lineArgs,
    resolve: (file, args, context) => {
      checkLines(args);
      return blameOf(context, file, args.from, args.count);
    },
  }),
}));

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
      resolve: async ({ diff }) => entriesOf(await diff()),
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
    webUrl: t.string({
      description: 'URL of the page of the comparison, from where the two parted.',
      resolve: async ({ pagePath }, _args, { baseUrl }) => baseUrl + (await pagePath()),
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
