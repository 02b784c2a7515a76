import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { commitDiff, diffPage } from '#src/domain/repository/commits/diff.ts';
import { type ColouredLine, colouredHunks } from '#src/domain/repository/highlight/hunks.ts';
import { entriesOf, type ShownEntry } from '#src/domain/repository/shown_diff.ts';
import { isGenerated } from '#src/git/diff/generated.ts';
import { withoutHeaders } from '#src/git/diff/headers.ts';
import { type Hunk, type HunkLine, hunksOf } from '#src/git/diff/hunks.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

const DiffLineType = builder.enumType('DiffLineType', {
  description: 'What a change did to a line.',
  values: {
    ADDED: { value: 'added', description: 'The line was added.' },
    REMOVED: { value: 'removed', description: 'The line was removed.' },
    UNCHANGED: { value: 'unchanged', description: 'The line is near lines that were added or removed.' },
  } as const,
});

/** Lines that were kept with a thread do not say whether they end. */
type ShownLine = Omit<ColouredLine, 'isUnterminated'> & Partial<Pick<HunkLine, 'isUnterminated'>>;

export const DiffLine = builder.objectRef<ShownLine>('DiffLine').implement({
  description: 'A line of a diff: its text, and its number on each side of the change.',
  fields: (t) => ({
    type: t.expose('type', { type: DiffLineType, description: 'What the change did to the line.' }),
    oldLine: t.exposeInt('oldLine', {
      nullable: true,
      description: 'Number of the line before the change, from 1; null for an added line.',
    }),
    newLine: t.exposeInt('newLine', {
      nullable: true,
      description: 'Number of the line after the change, from 1; null for a removed line.',
    }),
    text: t.exposeString('text', { description: 'The line without its end; at most 1,000 characters of it.' }),
    html: t.field({
      type: 'HTML',
      nullable: true,
      description:
        'The text as HTML with the classes of highlight.js, by the language that the name of the file says; null where that is not known, the file shows too many lines, the server is busy, and for the lines that are shown with a thread.',
      resolve: ({ html }) => html?.() ?? null,
    }),
    noNewlineAtEnd: t.boolean({
      description:
        'Whether the file ends with the line, without a newline; always false for the lines that are shown with a thread.',
      resolve: ({ isUnterminated }) => isUnterminated === true,
    }),
  }),
});

export const DiffHunk = builder.objectRef<Omit<Hunk, 'lines'> & { lines: ColouredLine[] }>('DiffHunk').implement({
  description: 'Lines of a diff that follow each other in the file.',
  fields: (t) => ({
    header: t.exposeString('header', {
      description: 'The line that begins it, in the format of `git diff`: `@@ -1,3 +1,4 @@ section`.',
    }),
    lines: t.expose('lines', { type: [DiffLine], description: 'The lines, in the order of `git diff`.' }),
    truncated: t.exposeBoolean('truncated', {
      description:
        'Whether lines are missing at its end, and any hunks after it, as the diff has more than `maxLines`.',
    }),
  }),
});

/** How many lines of a file are returned one by one. */
const MAX_LINES = 5_000;

const ABSENT = 'What stands for the mode of a file that is not there, in place of null.';

export const FileDiff = builder.objectRef<ShownEntry>('FileDiff').implement({
  description: 'The difference of one file, link or submodule between two states.',
  fields: (t) => ({
    diff: t.string({
      description:
        'The lines that differ, in the format of `git diff` without headers; empty if only the mode or the name differ.',
      args: {
        headers: t.arg.boolean({
          required: true,
          defaultValue: true,
          description: 'Whether it begins with the lines `---` and `+++` that name the file.',
        }),
      },
      resolve: ({ diff }, { headers }) => (headers ? diff : withoutHeaders(diff)).toWellFormed(),
    }),
    hunks: t.field({
      type: [DiffHunk],
      description: 'The lines of `diff` one by one; empty if only the mode or the name differ.',
      args: {
        maxLines: t.arg.int({
          required: true,
          defaultValue: 1_000,
          description: `How many lines to return, from 1 to ${MAX_LINES.toLocaleString('en')}.`,
        }),
      },
      resolve: ({ diff, newPath }, { maxLines }, { actor, clientAddress }) => {
        if (maxLines < 1 || maxLines > MAX_LINES) {
          throw new ValidationFailed({ maxLines: [`must be from 1 to ${MAX_LINES}`] });
        }
        return colouredHunks(callerOf(actor, clientAddress), newPath, hunksOf(diff, maxLines));
      },
    }),
    oldPath: t.string({
      description: 'Path of the file before the change, from the root.',
      resolve: ({ oldPath }) => oldPath.toWellFormed(),
    }),
    newPath: t.string({
      description: 'Path of the file after the change, from the root.',
      resolve: ({ newPath }) => newPath.toWellFormed(),
    }),
    oldMode: t.string({
      nullable: true,
      description: 'Mode of the file before, as six octal digits; null for a new file.',
      args: { absent: t.arg.string({ description: ABSENT }) },
      resolve: ({ oldMode }, { absent }) => oldMode ?? absent ?? null,
    }),
    newMode: t.string({
      nullable: true,
      description: 'Mode of the file after, as six octal digits; null for a deleted file.',
      args: { absent: t.arg.string({ description: ABSENT }) },
      resolve: ({ newMode }, { absent }) => newMode ?? absent ?? null,
    }),
    newFile: t.exposeBoolean('newFile', { description: 'Whether the change added the file.' }),
    renamedFile: t.exposeBoolean('renamedFile', { description: 'Whether the change renamed the file.' }),
    deletedFile: t.exposeBoolean('deletedFile', { description: 'Whether the change deleted the file.' }),
    binary: t.exposeBoolean('binary', {
      description: 'Whether the file is binary, so that its lines are not compared.',
    }),
    tooLarge: t.exposeBoolean('tooLarge', {
      description: 'Whether the file is too large to be compared, so that `diff` is empty.',
    }),
    collapsed: t.boolean({
      description: 'Whether `diff` is left out although it could be compared, which no list does.',
      resolve: () => false,
    }),
    generatedFile: t.boolean({
      description:
        'Whether a program writes the file: as `linguist-generated` in `.gitattributes` of the newer commit says, else if it is a lock file of a package manager, by its name.',
      resolve: async ({ newPath, attributes }) => (await attributes?.())?.generated ?? isGenerated(newPath),
    }),
    suppressed: t.boolean({
      description:
        'Whether `.gitattributes` of the newer commit says that the changes of the file are not to be shown (`-diff` or `binary`). They are there nevertheless.',
      resolve: async ({ attributes }) => (await attributes?.())?.suppressed ?? false,
    }),
    additions: t.exposeInt('additions', { description: 'Number of lines added to the file.' }),
    deletions: t.exposeInt('deletions', { description: 'Number of lines removed from the file.' }),
  }),
});

export const FileDiffConnection = connectionOf('FileDiff', FileDiff);

builder.objectField(FileDiffConnection, 'overflow', (t) =>
  t.boolean({
    description:
      'Whether files of the whole list are missing at its end, or are too large, because there are too many.',
    resolve: (page) => 'overflow' in page && page.overflow === true,
  }),
);

/** The arguments of a list of files that differ. */
export const fileDiffArgs = builder.args((t) => ({
  path: t.string({ description: 'Only the file with this path after the change.' }),
}));

builder.objectFields(Commit, (t) => ({
  diffs: t.field({
    type: [FileDiff],
    description:
      'The files that the commit changed compared to its first parent, by path. `fileDiffs` has them page by page.',
    resolve: async (commit, _args, context) => entriesOf(await commitDiff(context, commit)),
  }),
  fileDiffs: t.field({
    type: FileDiffConnection,
    description: 'The files that the commit changed against its first parent, by path.',
    args: { ...pageArgs, ...fileDiffArgs },
    resolve: (commit, { path, ...args }, context, info) =>
      loadCountedPage(args, info, async (page) => diffPage(await commitDiff(context, commit), page, path)),
  }),
}));
