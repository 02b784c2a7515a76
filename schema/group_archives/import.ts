import { builder } from '#schema/builder.ts';
import { values } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { mutation } from '#schema/mutation.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import {
  findGroupImports,
  type GroupImportRow,
  importGroup,
  type LeftOut,
} from '#src/domain/group_archives/import_request.ts';
import type { LeftOutKind } from '#src/domain/group_archives/place.ts';
import { findGroup, type GroupRow } from '#src/domain/groups/find.ts';

const GroupImportStatus = builder.enumType('GroupImportStatus', {
  description: 'How far the import of a group is.',
  values: values<GroupImportRow['status']>({
    NONE: { value: 'none', description: 'The group was not imported.' },
    SCHEDULED: { value: 'scheduled', description: 'The import waits for its turn.' },
    STARTED: { value: 'started', description: 'The import is running.' },
    FINISHED: { value: 'finished', description: 'The group is complete.' },
    FAILED: { value: 'failed', description: 'The import failed, and the group is empty.' },
  }),
});

const GroupImportLeftOutKind = builder.enumType('GroupImportLeftOutKind', {
  description:
    'What archives of groups name, but do not bring along: it has secrets, or there is nothing like it here.',
  values: values<LeftOutKind>({
    VARIABLE: { value: 'variable', description: 'A variable of jobs, by its key.' },
    WEBHOOK: { value: 'webhook', description: 'A webhook, by the host that it is sent to.' },
    INTEGRATION: { value: 'integration', description: 'A connection with another program, with its credentials.' },
    ACCESS_TOKEN: { value: 'access_token', description: 'An access token of the group, by its name.' },
    DEPLOY_TOKEN: { value: 'deploy_token', description: 'A deploy token, by its name.' },
    RELATION: { value: 'relation', description: 'Records of another server that do not come along, and why.' },
  }),
});

const GroupImportLeftOut = builder.objectRef<LeftOut>('GroupImportLeftOut').implement({
  description: 'Something that a group of an archive had, and that did not come along.',
  fields: (t) => ({
    groupPath: t.exposeString('group', { description: 'Full path of the group, as it was at the import.' }),
    kind: t.expose('kind', { type: GroupImportLeftOutKind, description: 'What kind of thing was left out.' }),
    name: t.exposeString('name', { description: 'What it is called in the archive.' }),
  }),
});

const GroupImport = builder.objectRef<GroupImportRow>('GroupImport').implement({
  description: 'The import of a group from an archive.',
  fields: (t) => ({
    status: t.expose('status', { type: GroupImportStatus, description: 'How far the import is.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the import failed, for owners of the group; null if it did not.',
    }),
    leftOut: t.field({
      type: [GroupImportLeftOut],
      description: 'What is to be set up anew, at most a hundred things. For owners of the group; empty for others.',
      resolve: ({ leftOut }) => leftOut,
    }),
  }),
});

builder.objectField(Group, 'import', (t) =>
  t.field({
    type: GroupImport,
    nullable: true,
    description: 'How far the import of the group is, for whoever sees the group.',
    resolve: (group, _args, context, info) =>
      loaderAt(context, info, { key: 'import' }, (groups: readonly GroupRow[]) => findGroupImports(context, groups), {
        cache: false,
      }).load(group),
  }),
);

mutation('importGroup', {
  description:
    'Creates a group that the caller owns, with the groups in it, in the background from an archive that exportGroup or GitLab made. For users who may create groups. It is private, or has the visibility of the archive as far as its parent group allows.',
  input: {
    description: 'An archive of a group, and where the group is to be.',
    argument: 'The archive and the place of the group.',
    fields: (t) => ({
      file: t.field({
        type: 'Upload',
        required: true,
        description:
          'The archive that exportGroup or GitLab made, sent as described in the GraphQL multipart request specification.',
      }),
      name: t.string({ required: true, description: 'Display name of the group; at most 255 characters.' }),
      path: t.string({ required: true, description: 'Last part of the group’s URL; unique within its parent.' }),
      parent: t.field({
        type: 'GroupRef',
        description: 'The parent group, in which the caller can create groups: full path, global ID or numeric ID.',
      }),
    }),
  },
  resolve: async ({ parent, ...input }, context) => ({
    id: await importGroup(context, { ...input, parentId: parent }),
  }),
  payload: {
    description: 'The group that the archive becomes.',
    fields: (t) => ({
      group: t.field({
        type: Group,
        description: 'The group; its field `import` tells how far the import is.',
        resolve: ({ id }, _args, context, info) => findGroup(context, id, selectionAt(info, 'Namespace')),
      }),
    }),
  },
});
