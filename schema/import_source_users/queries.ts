import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import {
  ImportSourceUser,
  ImportSourceUserConnection,
  ImportSourceUserStatus,
} from '#schema/import_source_users/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findSourceUser, listRequests, listSourceUsers } from '#src/domain/placeholder_users/find.ts';

const ImportSourceUserFilter = builder.inputType('ImportSourceUserFilter', {
  description: 'Which users of sources a list has: those that match all fields.',
  fields: (t) => ({
    statuses: t.field({
      type: [ImportSourceUserStatus],
      description: 'Only those whose takeover stands at one of these.',
    }),
    search: t.string({ description: 'Only those with this text in name or username, in any case.' }),
    hostname: t.string({ description: 'Only those of this host.' }),
  }),
});

const ImportSourceUserOrder = builder.enumType('ImportSourceUserOrder', {
  description: 'What users of sources are sorted by.',
  values: {
    ID: { value: 'id', description: 'By ID, which is when an import first named them.' },
    SOURCE_NAME: { value: 'sourceName', description: 'By the name that they have at the source.' },
  } as const,
});

const PlaceholderRequestFilter = builder.inputType('PlaceholderRequestFilter', {
  description: 'Which requests to take over placeholders a list has: those that match all fields.',
  fields: (t) => ({
    search: t.string({ description: 'Only those with this text in the name or username, in any case.' }),
    hostname: t.string({ description: 'Only those of users of this host.' }),
  }),
});

builder.queryFields((t) => ({
  importSourceUsers: t.field({
    type: ImportSourceUserConnection,
    nullable: true,
    description:
      'The users for whom imports into a top-level group or personal namespace have found no account. For owners of the namespace.',
    args: {
      ...pageArgs,
      namespace: t.arg({
        type: 'NamespaceRef',
        required: true,
        description: 'Numeric ID or full path of the top-level group or personal namespace.',
      }),
      filter: t.arg({ type: ImportSourceUserFilter, description: 'Which of them to list; all when left out.' }),
      orderBy: t.arg({
        type: ImportSourceUserOrder,
        required: true,
        defaultValue: 'id',
        description: 'What the users of sources are sorted by.',
      }),
      sort: t.arg({ type: SortDirection, required: true, defaultValue: 'asc', description: 'Direction of the order.' }),
    },
    resolve: (_root, { namespace, filter, orderBy, sort, ...args }, context, info) =>
      loadPage(args, info, (page) =>
        listSourceUsers(context, namespace, { ...filter, orderBy, sort }, page, selectionAt(info, 'ImportSourceUser')),
      ),
  }),
  importSourceUser: t.field({
    type: ImportSourceUser,
    nullable: true,
    description:
      'A user of a source. For owners of the namespace, and for the account that is asked to take the placeholder over, or has.',
    args: {
      id: t.arg({
        ...idOf('ImportSourceUser'),
        required: true,
        description: 'Global or numeric ID of the user of a source.',
      }),
    },
    resolve: (_root, { id }, context, info) => findSourceUser(context, id, selectionAt(info, 'ImportSourceUser')),
  }),
  placeholderRequests: t.field({
    type: ImportSourceUserConnection,
    nullable: true,
    description: 'The placeholders that the caller is asked to take over and has not answered for.',
    args: {
      ...pageArgs,
      filter: t.arg({ type: PlaceholderRequestFilter, description: 'Which of them to list; all when left out.' }),
      sort: t.arg({ type: SortDirection, required: true, defaultValue: 'asc', description: 'Direction of the order.' }),
    },
    resolve: (_root, { filter, sort, ...args }, context, info) =>
      loadPage(args, info, (page) =>
        listRequests(context, { ...filter, sort }, page, selectionAt(info, 'ImportSourceUser')),
      ),
  }),
}));
