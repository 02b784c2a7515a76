import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { issueTableArgs, order } from '#schema/issues/queries.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { exportIssues } from '#src/domain/tracking/issue_tables/export.ts';
import {
  findIssueImport,
  type IssueImport,
  importIssues,
  type RefusedRow,
} from '#src/domain/tracking/issue_tables/import.ts';

const RefusedImportRow = builder.objectRef<RefusedRow>('RefusedImportRow').implement({
  description: 'A row of a table from which no issue was opened.',
  fields: (t) => ({
    line: t.exposeInt('line', {
      description: 'Number of the row in the table, of which the names of the columns are the first.',
    }),
    message: t.exposeString('message', { description: 'Why the issue was not opened.' }),
  }),
});

const Import = builder.objectRef<IssueImport>('IssueImport').implement({
  description: 'How far the import of a table of issues is. Its result is kept for 30 days.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the import, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('IssueImport', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the import, as addresses of pages have it.' }),
    project: t.field({
      type: Project,
      description: 'The project that gets the issues.',
      resolve: ({ projectId }, _args, context, info) => requireProject(context, info, projectId),
    }),
    totalCount: t.exposeInt('totalCount', { description: 'Number of issues in the table.' }),
    createdCount: t.exposeInt('createdCount', { description: 'Number of issues that were opened so far.' }),
    failures: t.expose('failures', {
      type: [RefusedImportRow],
      description: 'The rows that were refused so far, in the order of the table.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the table was sent.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last row was done; null while the import runs.',
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  issuesCsv: t.string({
    description:
      'The issues of the project that the caller can see as a table in CSV (RFC 4180), with the names of the columns first; times are in seconds. At most 10,000 issues and 16 MB; a filter that matches more is refused. For signed-in callers.',
    args: issueTableArgs,
    resolve: (project, args, context) => exportIssues(context, project, args.filter, order(args), context.baseUrl),
  }),
  issueImport: t.field({
    type: Import,
    description: 'How far an import of issues is that the caller began.',
    args: { id: t.arg({ ...idOf('IssueImport'), required: true, description: 'Global or numeric ID of the import.' }) },
    resolve: (project, { id }, context) => findIssueImport(context, project, id),
  }),
}));

mutation('importIssues', {
  description:
    'Opens the issues of a table in the background, in the name of the caller. For reporters of the project. Each row is an issue of its own: one that is refused does not keep the others from being opened.',
  input: {
    description: 'A table of issues, and the project that gets them.',
    argument: 'The table and the project.',
    fields: (t) => ({
      project: projectField(t, 'that gets the issues'),
      file: t.field({
        type: 'Upload',
        required: true,
        description:
          'CSV in UTF-8 of at most 1 MB and 1,000 issues, separated by commas, semicolons or tabs. The first row names the columns, in any case and order: `title` must be there, `description`, `labels`, `milestone`, `assignee_usernames`, `due_date` (YYYY-MM-DD), `confidential` (yes or no) and `type` may; others are passed over. Sent as described in the GraphQL multipart request specification.',
      }),
    }),
  },
  resolve: async ({ project, file }, context) => ({ import: await importIssues(context, project, file) }),
  payload: {
    description: 'The import that was begun.',
    fields: (t) => ({
      import: t.expose('import', { type: Import, description: 'How far the import is.' }),
    }),
  },
});
