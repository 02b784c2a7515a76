import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { MirrorStatus } from '#schema/mirrors/types.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { Project } from '#schema/projects/types.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { shownUrl, urlAlone } from '#src/domain/imports/mirrors/list.ts';
import {
  findPullMirror,
  type PullMirrorRow,
  savePullMirror,
  startPullMirror,
} from '#src/domain/imports/mirrors/save_pull.ts';

export const PullMirror = builder.objectRef<PullMirrorRow>('PullMirror').implement({
  description: 'Another repository, elsewhere, from which a project gets its branches and tags.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the mirror, as the REST API has it.' }),
    url: t.string({
      description: 'URL of the repository, with stars in the place of user name and password.',
      resolve: ({ urlEncrypted }, _args, context) =>
        shownUrl(context, { urlEncrypted: Buffer.from(urlEncrypted).toString('base64') }),
    }),
    userId: t.exposeInt('userId', {
      nullable: true,
      description:
        'Numeric ID of the user whose rights updates have, and whose pushes they are; null for one who is gone.',
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the project is updated from there.' }),
    triggersPipelines: t.exposeBoolean('triggersPipelines', { description: 'Whether updates start pipelines.' }),
    onlyProtectedBranches: t.exposeBoolean('onlyProtectedBranches', {
      nullable: true,
      description: 'Whether protected branches alone are updated, and no tags; null means no.',
    }),
    overwritesDiverged: t.exposeBoolean('overwritesDiverged', {
      nullable: true,
      description: 'Whether branches that have parted are replaced; null means that they stay, which fails the update.',
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
  }),
});

builder.objectFields(Project, (t) => ({
  pullMirror: t.field({
    type: PullMirror,
    nullable: true,
    description: 'The repository that the project mirrors; null if there is none. For masters.',
    resolve: (project, _args, context) => findPullMirror(context, project),
  }),
}));

const MIRROR = {
  userId: true,
  enabled: true,
  triggersPipelines: true,
  onlyProtectedBranches: true,
  overwritesDiverged: true,
} as const;

builder.prismaObjectFields(Project, (t) => ({
  pullMirrorEnabled: t.boolean({
    description: 'Whether the project is updated from the repository that it mirrors.',
    select: { pullMirror: { select: MIRROR } },
    resolve: ({ pullMirror }) => pullMirror?.enabled ?? false,
  }),
  pullMirrorUserId: t.int({
    nullable: true,
    description: 'Numeric ID of the user whose rights updates from the mirrored repository have; null without one.',
    select: { pullMirror: { select: MIRROR } },
    resolve: ({ pullMirror }) => pullMirror?.userId ?? null,
  }),
  pullMirrorTriggersPipelines: t.boolean({
    description: 'Whether updates from the mirrored repository start pipelines.',
    select: { pullMirror: { select: MIRROR } },
    resolve: ({ pullMirror }) => pullMirror?.triggersPipelines ?? false,
  }),
  pullMirrorOnlyProtectedBranches: t.boolean({
    description: 'Whether protected branches alone are updated from the mirrored repository.',
    select: { pullMirror: { select: MIRROR } },
    resolve: ({ pullMirror }) => pullMirror?.onlyProtectedBranches ?? false,
  }),
  pullMirrorOverwritesDiverged: t.boolean({
    description: 'Whether branches that have parted from the mirrored repository are replaced.',
    select: { pullMirror: { select: MIRROR } },
    resolve: ({ pullMirror }) => pullMirror?.overwritesDiverged ?? false,
  }),
  importUrl: t.field({
    type: 'URL',
    nullable: true,
    description:
      'URL of the repository that the project mirrors, without user name and password; null without one. For masters.',
    select: { pullMirror: { select: { urlEncrypted: true } } },
    resolve: ({ pullMirror, ...project }, _args, context) =>
      pullMirror && can(context.actor, 'admin_mirror', project) ? urlAlone(context, pullMirror) : null,
  }),
}));

const payload: Payload<{ pullMirror: PullMirrorRow }> = {
  description: 'The mirror after the mutation.',
  fields: (t) => ({
    pullMirror: t.expose('pullMirror', { type: PullMirror, description: 'The mirror as it is now.' }),
  }),
};

mutation('savePullMirror', {
  description:
    'Has a project mirror another repository, with the rights of the caller, or changes how. For masters of the project.',
  input: {
    description: 'Which repository a project mirrors, and how. What is left out stays as it is.',
    argument: 'Names the project and the repository.',
    fields: (t) => ({
      project: projectField(t, 'that is updated'),
      url: t.string({
        description:
          'URL that begins with `http://` or `https://`, with user name and password if they are needed. Required for a new mirror.',
      }),
      username: t.string({ description: 'User name to sign in with there, in place of the one in the URL.' }),
      password: t.string({ description: 'Password or token to sign in with there, in place of the one in the URL.' }),
      enabled: t.boolean({ description: 'Whether the project is updated from there; new mirrors are enabled.' }),
      triggersPipelines: t.boolean({ description: 'Whether updates start pipelines; they do not by default.' }),
      onlyProtectedBranches: t.boolean({ description: 'Whether protected branches alone are updated, and no tags.' }),
      overwritesDiverged: t.boolean({ description: 'Whether branches that have parted are replaced.' }),
    }),
  },
  resolve: async ({ project, ...values }, context) => ({ pullMirror: await savePullMirror(context, project, values) }),
  payload: payload,
});

mutation('startPullMirror', {
  description: 'Has a project updated now from the repository that it mirrors. For masters of the project.',
  input: {
    description: 'Which project to update from the repository that it mirrors.',
    argument: 'Names the project to update.',
    fields: (t) => ({ project: projectField(t, 'that is updated') }),
  },
  resolve: async ({ project }, context) => ({ pullMirror: await startPullMirror(context, project) }),
  payload: payload,
});
