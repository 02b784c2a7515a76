import { builder } from '#schema/builder.ts';
import { values } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { groupField } from '#schema/inputs.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { loaderAt } from '#schema/records/below.ts';
import { findGroupExports, type GroupExportRow, requestGroupExport } from '#src/domain/group_archives/request.ts';
import { findGroup, type GroupRow } from '#src/domain/groups/find.ts';
import type { ExportStatus } from '#src/domain/project_archives/kept.ts';

const GroupExportStatus = builder.enumType('GroupExportStatus', {
  description: 'How far the export of a group is.',
  values: values<ExportStatus>({
    NONE: { value: 'none', description: 'There is no archive, or it has expired.' },
    QUEUED: { value: 'queued', description: 'The export waits for its turn.' },
    STARTED: { value: 'started', description: 'The archive is being made.' },
    FINISHED: { value: 'finished', description: 'The archive can be downloaded.' },
    REGENERATION_IN_PROGRESS: {
      value: 'regeneration_in_progress',
      description: 'A new archive is being made; the one before can still be downloaded.',
    },
    FAILED: { value: 'failed', description: 'The archive could not be made.' },
  }),
});

const GroupExport = builder.objectRef<GroupExportRow>('GroupExport').implement({
  description: 'The export of a group that the caller asked for last.',
  fields: (t) => ({
    status: t.expose('status', { type: GroupExportStatus, description: 'How far the export is.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why the export failed; null if it did not.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the archive was finished that can be downloaded; null without one. It is kept for a day.',
    }),
    url: t.field({
      type: 'URL',
      nullable: true,
      description: 'Where the archive can be downloaded; null until the export is finished.',
      resolve: ({ group, status }, _args, { baseUrl }) =>
        status === 'finished' ? `${baseUrl}/api/v4/groups/${group.id}/export/download` : null,
    }),
  }),
});

builder.objectField(Group, 'export', (t) =>
  t.field({
    type: GroupExport,
    nullable: true,
    description: 'The export of the group that the caller asked for last. For owners of the group.',
    resolve: (group, _args, context, info) =>
      loaderAt<GroupRow, GroupExportRow>(
        context,
        info,
        { key: 'export' },
        (groups) => findGroupExports(context, groups),
        { cache: false },
      ).load(group),
  }),
);

const groupPayload: Payload<{ id: number }> = changed('group', Group, 'Namespace', (context, { id }, selection) =>
  findGroup(context, id, selection),
);

mutation('exportGroup', {
  description:
    'Makes an archive of a group and the groups in it in the background, which importGroup reads. Projects are not in it. For owners of the group. Changes nothing while one is being made for the caller.',
  input: {
    description: 'Names the group whose archive is made.',
    argument: 'Names the group to export.',
    fields: (t) => ({ group: groupField(t, 'to export') }),
  },
  resolve: ({ group }, context) => requestGroupExport(context, group),
  payload: groupPayload,
});
