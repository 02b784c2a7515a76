import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { remoteMirrorFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { remoteMirrorOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findMirror, listMirrors, shownUrl } from '#src/domain/imports/mirrors/list.ts';

export const MirrorStatus = builder.enumType('MirrorStatus', {
  description: 'How the last update of a mirror went.',
  values: {
    NONE: { value: 'none', description: 'The mirror was never updated.' },
    SCHEDULED: { value: 'scheduled', description: 'An update follows soon.' },
    STARTED: { value: 'started', description: 'An update is under way.' },
    FINISHED: { value: 'finished', description: 'The last update succeeded.' },
    FAILED: { value: 'failed', description: 'The updates failed, and none follows before the next push.' },
    TO_RETRY: { value: 'to_retry', description: 'The last update failed, and another one follows.' },
  } as const,
});

export const RemoteMirror = builder.prismaObject('RemoteMirror', {
  description: 'Another repository, elsewhere, that gets what is pushed to a project.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the mirror, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('RemoteMirror', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the mirror, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    url: t.string({
      description: 'URL of the mirror, with stars in the place of user name and password.',
      select: { urlEncrypted: true },
      resolve: (mirror, _args, context) => shownUrl(context, mirror),
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the mirror is updated after pushes.' }),
    onlyProtectedBranches: t.exposeBoolean('onlyProtectedBranches', {
      description: 'Whether protected branches alone are pushed, and no tags.',
    }),
    keepDivergentRefs: t.exposeBoolean('keepDivergentRefs', {
      nullable: true,
      description: 'Whether branches that have parted there stay as they are, which fails the update; null means no.',
    }),
    updateStatus: t.expose('updateStatus', { type: MirrorStatus, description: 'How the last update went.' }),
    lastUpdateAt: t.expose('lastUpdateAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last update ended; null if there was none.',
    }),
    lastUpdateStartedAt: t.expose('lastUpdateStartedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last update began; null if there was none.',
    }),
    lastSuccessfulUpdateAt: t.expose('lastSuccessfulUpdateAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last update that succeeded ended; null if there was none.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why the last update failed; null if it did not.',
    }),
    authMethod: t.string({
      description: 'How the server signs in there: always `password`.',
      resolve: () => 'password',
    }),
  }),
});

const RemoteMirrorConnection = connectionOf('RemoteMirror', RemoteMirror);

builder.objectFields(Project, (t) => ({
  remoteMirrors: t.field({
    type: RemoteMirrorConnection,
    description: 'The push mirrors of the project, oldest first. For masters.',
    args: { ...pageArgs, ...remoteMirrorFilter, ...remoteMirrorOrder('ID', 'asc') },
    resolve: (project, args, context, info) => pageBelow('RemoteMirror', project, args, context, info, listMirrors),
  }),
  remoteMirror: t.field({
    type: RemoteMirror,
    description: 'A push mirror of the project by its ID. For masters.',
    args: {
      id: t.arg({ ...idOf('RemoteMirror'), required: true, description: 'Global or numeric ID of the mirror.' }),
    },
    resolve: (project, { id }, context, info) => findMirror(context, project, id, selectionAt(info, 'RemoteMirror')),
  }),
}));
