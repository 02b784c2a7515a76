import { builder } from '#schema/builder.ts';
import { DiffHunk } from '#schema/commits/diff.ts';
import { Commit } from '#schema/commits/types.ts';
import { RepositoryFile } from '#schema/repository/types.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { symbolsOf } from '#src/domain/repository/file_text.ts';
import { colouredHunks } from '#src/domain/repository/highlight/hunks.ts';
import type { FileSymbol as FileSymbolRow, SymbolKind as Kind } from '#src/domain/repository/highlight/symbols.ts';
import { type LineChangeRow, lineHistoryOf } from '#src/domain/repository/line_history.ts';
import { hunksOf } from '#src/git/diff/hunks.ts';

const SymbolKind = builder.enumType('SymbolKind', {
  description: 'What a file defines in a line.',
  values: {
    CLASS: { value: 'class', description: 'The line begins a class, or what the language has in its place.' },
    FUNCTION: { value: 'function', description: 'The line begins a function, or a target of a makefile.' },
    METHOD: { value: 'method', description: 'The line begins a function of a class or type.' },
    TYPE: { value: 'type', description: 'The line begins a type: an interface, an enumeration, a struct or a table.' },
    MODULE: { value: 'module', description: 'The line begins a module, a namespace or a package.' },
    CONSTANT: { value: 'constant', description: 'The line gives a value a name.' },
    SECTION: { value: 'section', description: 'The line is a heading, or begins a section or a key of settings.' },
  } satisfies Record<string, { value: Kind; description: string }>,
});

const FileSymbol = builder.objectRef<FileSymbolRow>('FileSymbol').implement({
  description: 'What a file defines in a line, such as a function or a heading.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name that is defined; at most 200 characters of it.' }),
    kind: t.expose('kind', { type: SymbolKind, description: 'What has that name.' }),
    line: t.exposeInt('line', { description: 'Number of the line, from 1.' }),
    depth: t.exposeInt('depth', {
      description: 'How many symbols it is inside of, as the indentation of the lines says; 0 for the outermost.',
    }),
  }),
});

/** Lines of the hunks of one commit. */
const MAX_LINES = 1_000;

const LineChange = builder.objectRef<LineChangeRow>('LineChange').implement({
  description: 'What a commit did to lines of a file.',
  fields: (t) => ({
    commit: t.expose('commit', { type: Commit, description: 'The commit that changed the lines.' }),
    path: t.string({
      description: 'Path of the file after the commit, from the root of the repository.',
      resolve: ({ path }) => path.toWellFormed(),
    }),
    hunks: t.field({
      type: [DiffHunk],
      description: 'What it did to them; at most 1,000 lines.',
      resolve: ({ path, diff }, _args, { actor, clientAddress }) =>
        colouredHunks(callerOf(actor, clientAddress), path, hunksOf(diff, MAX_LINES)),
    }),
  }),
});

builder.objectFields(RepositoryFile, (t) => ({
  symbols: t.field({
    type: [FileSymbol],
    description:
      'What the file defines, in the order of its lines, at most 2,000: functions, classes, headings and the like, as far as lines tell it by themselves. None for binary files, more than 512 KB, and languages that are not known.',
    resolve: (file, _args, context) => symbolsOf(context, file),
  }),
  lineHistory: t.field({
    type: [LineChange],
    nullable: true,
    description:
      'The commits that changed lines of the file, newest first, through its renames. Null if the file is not text or more than 2 MB, and on servers without git. For callers who can read commits.',
    args: {
      from: t.arg.int({ required: true, description: 'Number of the first line, from 1.' }),
      to: t.arg.int({ required: true, description: 'Number of the last line: at most 1,000 lines.' }),
      count: t.arg.int({ required: true, defaultValue: 20, description: 'Number of commits; at most 100.' }),
    },
    resolve: (file, args, context) => lineHistoryOf(context, file, args),
  }),
}));
