import { builder } from '#schema/builder.ts';
import {
  BulkImport,
  BulkImportConnection,
  BulkImportEntity,
  BulkImportEntityConnection,
  BulkImportStatus,
} from '#schema/bulk_imports/types.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findBulkImport, findEntity, listBulkImports, listEntities } from '#src/domain/bulk_imports/find.ts';

const BulkImportFilter = builder.inputType('BulkImportFilter', {
  description: 'Which imports a list has: those that match all fields.',
  fields: (t) => ({ status: t.field({ type: BulkImportStatus, description: 'Only those that are so far.' }) }),
});

const BulkImportEntityFilter = builder.inputType('BulkImportEntityFilter', {
  description: 'Which groups and projects of imports a list has: those that match all fields.',
  fields: (t) => ({
    status: t.field({ type: BulkImportStatus, description: 'Only those that are so far.' }),
    bulkImport: t.field({
      ...idOf('BulkImport'),
      description: 'Only those of this import of the caller: its global or numeric ID.',
    }),
  }),
});

builder.queryFields((t) => ({
  bulkImports: t.field({
    type: BulkImportConnection,
    nullable: true,
    description: 'The imports of groups and projects from other GitLabs that the caller has asked for.',
    args: {
      ...pageArgs,
      filter: t.arg({ type: BulkImportFilter, description: 'Which of them to list; all when left out.' }),
      sort: t.arg({
        type: SortDirection,
        required: true,
        defaultValue: 'desc',
        description: 'Direction of the order by age.',
      }),
    },
    resolve: (_root, { filter, sort, ...args }, context, info) =>
      loadPage(args, info, (page) =>
        listBulkImports(context, { ...filter, sort }, page, selectionAt(info, 'BulkImport')),
      ),
  }),
  bulkImport: t.field({
    type: BulkImport,
    nullable: true,
    description: 'An import of groups and projects from another GitLab that the caller has asked for.',
    args: {
      id: t.arg({ ...idOf('BulkImport'), required: true, description: 'Global or numeric ID of the import.' }),
    },
    resolve: (_root, { id }, context, info) => findBulkImport(context, id, selectionAt(info, 'BulkImport')),
  }),
  bulkImportEntities: t.field({
    type: BulkImportEntityConnection,
    nullable: true,
    description: 'The groups and projects of the caller’s imports from other GitLabs.',
    args: {
      ...pageArgs,
      filter: t.arg({ type: BulkImportEntityFilter, description: 'Which of them to list; all when left out.' }),
      sort: t.arg({
        type: SortDirection,
        required: true,
        defaultValue: 'desc',
        description: 'Direction of the order by age.',
      }),
    },
    resolve: (_root, { filter, sort, ...args }, context, info) =>
      loadPage(args, info, (page) =>
        listEntities(
          context,
          { status: filter?.status, bulkImportId: filter?.bulkImport, sort },
          page,
          selectionAt(info, 'BulkImportEntity'),
        ),
      ),
  }),
  bulkImportEntity: t.field({
    type: BulkImportEntity,
    nullable: true,
    description: 'A group or project of one of the caller’s imports from other GitLabs.',
    args: {
      id: t.arg({ ...idOf('BulkImportEntity'), required: true, description: 'Global or numeric ID of the part.' }),
      bulkImport: t.arg({
        ...idOf('BulkImport'),
        description: 'Global or numeric ID of the import that it has to be a part of; any when left out.',
      }),
    },
    resolve: (_root, { id, bulkImport }, context, info) =>
      findEntity(context, { id, bulkImportId: bulkImport }, selectionAt(info, 'BulkImportEntity')),
  }),
}));
