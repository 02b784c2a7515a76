import { builder } from '#schema/builder.ts';
import { BulkImport, BulkImportSourceType } from '#schema/bulk_imports/types.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { cancelBulkImport } from '#src/domain/bulk_imports/end.ts';
import { readBulkImport } from '#src/domain/bulk_imports/find.ts';
import { startBulkImport } from '#src/domain/bulk_imports/request.ts';

const BulkImportConfigurationInput = builder.inputType('BulkImportConfigurationInput', {
  description: 'The GitLab from which groups and projects are moved in.',
  fields: (t) => ({
    url: t.string({ required: true, description: 'Web address of the other server; another Gantry will do.' }),
    accessToken: t.string({
      required: true,
      description:
        'An access token of the other server that can read the groups and projects. It is stored encrypted until the import has ended.',
    }),
  }),
});

const BulkImportEntityInput = builder.inputType('BulkImportEntityInput', {
  description: 'A group or project at another GitLab, and where it is to be here.',
  fields: (t) => ({
    sourceType: t.field({
      type: BulkImportSourceType,
      required: true,
      description: 'Whether it is a group or a project.',
    }),
    sourceFullPath: t.string({
      required: true,
      description: 'Full path of it at the other server, without the address.',
    }),
    destinationSlug: t.string({
      description: 'The last part of its path here. Its name is that which it has at the other server.',
    }),
    destinationName: t.string({ description: 'Another name of `destinationSlug`, which older clients use.' }),
    destinationNamespace: t.string({
      required: true,
      description: 'Full path of the group that it is to be in; empty for a group at the top.',
    }),
    migrateProjects: t.boolean({
      defaultValue: true,
      required: true,
      description: 'Whether the projects of a group come along.',
    }),
    migrateMemberships: t.boolean({
      defaultValue: true,
      required: true,
      description: 'Whether members who have an account here come along.',
    }),
  }),
});

const payload = {
  description: 'The import as it is now.',
  fields: (t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, { id: number }>) => ({
    bulkImport: t.field({
      type: BulkImport,
      description: 'The import; `bulkImportEntities` has its groups and projects.',
      resolve: ({ id }, _args, context, info) => readBulkImport(context, id, selectionAt(info, 'BulkImport')),
    }),
  }),
};

mutation('startBulkImport', {
  description:
    'Moves groups and projects in from another GitLab in the background. For users who can create groups, or projects, where they are to be. The setting `importSources` lists the kinds of servers.',
  input: {
    description: 'Groups and projects at another GitLab, and where they are to be here.',
    argument: 'The other server, and the groups and projects.',
    fields: (t) => ({
      configuration: t.field({
        type: BulkImportConfigurationInput,
        required: true,
        description: 'The other server, and what opens it.',
      }),
      entities: t.field({
        type: [BulkImportEntityInput],
        required: true,
        description: 'The groups and projects; at most a hundred.',
      }),
    }),
  },
  resolve: async (input, context) => ({ id: await startBulkImport(context, input) }),
  payload,
});

mutation('cancelBulkImport', {
  description:
    'Cancels an import from another GitLab that has not ended. What was finished stays. For who asked for it, and administrators.',
  input: {
    description: 'Which import is canceled.',
    argument: 'Names the import that is canceled.',
    fields: (t) => ({
      id: t.field({ ...idOf('BulkImport'), required: true, description: 'Global or numeric ID of the import.' }),
    }),
  },
  resolve: async ({ id }, context) => ({ id: await cancelBulkImport(context, id) }),
  payload,
});
