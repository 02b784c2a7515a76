import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { archived, foundPage, GroupSearch, ProjectSearch, ServerSearch, sayLimited } from '#schema/search/find.ts';
import type { FoundCodeRow, FoundLine } from '#src/domain/repository/code_search/rows.ts';
import { searchCode } from '#src/domain/repository/code_search/search.ts';

const FoundCodeLine = builder.objectRef<FoundLine>('FoundCodeLine').implement({
  description: 'A line of a file with what was searched for.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Number of the line, from 1.' }),
    text: t.exposeString('text', { description: 'The line, cut off after 500 characters.' }),
  }),
});

const FoundCode = builder.objectRef<FoundCodeRow>('FoundCode').implement({
  description: 'A file that a search in code found by its text, or by its path.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'Path from the root of the repository, without a leading slash.',
    }),
    basename: t.string({
      description: 'The path without the ending of the file name.',
      resolve: ({ path }) => path.replace(/(?<=[^/])\.[^./]*$/, ''),
    }),
    ref: t.exposeString('ref', {
      description: 'The branch, tag or hash that was searched: the default branch unless another was asked for.',
    }),
    language: t.exposeString('language', {
      nullable: true,
      description: 'The programming or markup language of the file, in lower case; null for none.',
    }),
    startLine: t.exposeInt('startLine', { description: 'Number of the first line of `data`, from 1.' }),
    data: t.exposeString('data', {
      description:
        'The first line that matches, with up to three lines before and after it; the first lines of a file that was found by its path. Long lines are cut off.',
    }),
    lines: t.field({
      type: [FoundCodeLine],
      description: 'The first lines with one of the terms of the search: at most five.',
      resolve: ({ lines }) => lines,
    }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field({
      type: Project,
      description: 'The project that has the file.',
      resolve: ({ projectId }, _args, context, info) => requireProject(context, info, projectId),
    }),
  }),
});

const FoundCodeConnection = connectionOf<FoundCodeRow>('FoundCode', FoundCode);

sayLimited(FoundCodeConnection);

const QUERY =
  'Words and `"texts"` have to be in the file, or in its path, ignoring case; so do matches of `/regular expressions/` (of PostgreSQL, within a line, without back references). `symbol:run` is a line that defines something of that name. `path:`, `file:`, `extension:` and `lang:` are filters, `-` before a term or filter finds files without it: `"new Map" lang:ts -path:test`. At most ten terms. Binary and large files, and those that programs write, are found by their paths alone.';

builder.objectField(ServerSearch, 'code', (t) =>
  t.field({
    type: FoundCodeConnection,
    description: `Files of the default branches of all projects whose code the caller can read, by project and path. ${QUERY}`,
    args: { ...pageArgs, ...archived },
    resolve: (search, { includeArchived, ...args }, context, info) =>
      foundPage(search, args, info, (text, page) => searchCode(context, { includeArchived }, text, page), true),
  }),
);

builder.objectField(GroupSearch, 'code', (t) =>
  t.field({
    type: FoundCodeConnection,
    description: `Files of the default branches of projects in the group and the groups inside it whose code the caller can read, by project and path. ${QUERY}`,
    args: { ...pageArgs, ...archived },
    resolve: (search, { includeArchived, ...args }, context, info) =>
      foundPage(
        search,
        args,
        info,
        (text, page) => searchCode(context, { group: search.place, includeArchived }, text, page),
        true,
      ),
  }),
);

builder.objectField(ProjectSearch, 'code', (t) =>
  t.field({
    type: FoundCodeConnection,
    description: `Files of a branch, a tag or a commit. Those of the default branch are found by an index, by path; those of others by git, which takes longer. ${QUERY}`,
    args: {
      ...pageArgs,
      ref: t.arg.string({ description: 'A branch, a tag or a hash; the default branch when left out.' }),
    },
    resolve: (search, { ref, ...args }, context, info) =>
      foundPage(
        search,
        args,
        info,
        (text, page) => searchCode(context, { project: search.place, ref }, text, page),
        true,
      ),
  }),
);
