import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import {
  downloadTable,
  findTable,
  type ReassignmentTable,
  type RefusedRow,
  reassignByTable,
} from '#src/domain/placeholder_users/table.ts';

const RefusedReassignmentRow = builder.objectRef<RefusedRow>('RefusedReassignmentRow').implement({
  description: 'A row of a table of placeholders that was not accepted.',
  fields: (t) => ({
    line: t.exposeInt('line', {
      description: 'Number of the row in the table, of which the names of the columns are the first.',
    }),
    message: t.exposeString('message', { description: 'Why the placeholder was not assigned.' }),
  }),
});

const Table = builder.objectRef<ReassignmentTable>('ReassignmentTable').implement({
  description: 'How far the reassignments of a table of placeholders are. Its result is kept for 30 days.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the table, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('ReassignmentTable', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the table, as addresses of pages have it.' }),
    totalCount: t.exposeInt('totalCount', { description: 'Number of rows that name an account.' }),
    assignedCount: t.exposeInt('assignedCount', { description: 'Number of rows that were accepted so far.' }),
    failures: t.expose('failures', {
      type: [RefusedReassignmentRow],
      description: 'The first 500 rows that were refused so far, in the order of the table.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the table was sent.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last row was done; null while a job is at it.',
    }),
  }),
});

const Download = builder.objectRef<{ id: number; csv: string }>('PlaceholderTable').implement({
  description: 'The placeholders of a namespace that nobody is assigned to, as a table to be filled.',
  fields: (t) => ({
    namespaceId: t.exposeInt('id', { description: 'Numeric ID of the namespace that the placeholders are of.' }),
    csv: t.exposeString('csv', {
      description: 'The table in CSV (RFC 4180), with the names of the columns first; at most 10,000 placeholders.',
    }),
  }),
});

const namespace = {
  type: 'NamespaceRef',
  required: true,
  description: 'Numeric ID or full path of the top-level group or personal namespace.',
} as const;

builder.queryFields((t) => ({
  placeholderTable: t.field({
    type: Download,
    nullable: true,
    description:
      'The placeholders that nobody is assigned to, or that an account has refused, to be filled and sent to `reassignImportSourceUsers`. For owners of the namespace.',
    args: { namespace: t.arg(namespace) },
    resolve: (_root, args, context) => downloadTable(context, args.namespace),
  }),
  reassignmentTable: t.field({
    type: Table,
    nullable: true,
    description: 'How far a table of placeholders is that the caller sent.',
    args: {
      id: t.arg({ ...idOf('ReassignmentTable'), required: true, description: 'Global or numeric ID of the table.' }),
    },
    resolve: (_root, { id }, context) => findTable(context, id),
  }),
}));

mutation('reassignImportSourceUsers', {
  description:
    'Assigns the placeholders of a table in the background, as `reassignImportSourceUser` does for one. Rows that are refused do not keep others from being assigned. For owners of the namespace.',
  input: {
    description: 'A table of who the users of sources are.',
    argument: 'The table and the namespace.',
    fields: (t) => ({
      namespace: t.field(namespace),
      file: t.field({
        type: 'Upload',
        required: true,
        description:
          'CSV in UTF-8 of at most 2 MB and 10,000 rows, with the columns of `placeholderTable`, of which `GitLab username` or `GitLab public email` name the account; rows that have neither are passed over. Sent as described in the GraphQL multipart request specification.',
      }),
    }),
  },
  resolve: async (input, context) => ({ table: await reassignByTable(context, input.namespace, input.file) }),
  payload: {
    description: 'The table that was taken.',
    fields: (t) => ({
      table: t.expose('table', { type: Table, description: 'How far the table is.' }),
    }),
  },
});
