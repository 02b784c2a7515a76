import { groupField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { ownerFields } from '#schema/places/owner_ref.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Runner, RunnerAccessLevel, RunnerType } from '#schema/runners/types.ts';
import { deleteRunner, updateRunner } from '#src/domain/ci/runners/change.ts';
import { createRunner, type RunnerWithToken, resetRunnerToken } from '#src/domain/ci/runners/create.ts';
import { disableRunner, enableRunner } from '#src/domain/ci/runners/enable.ts';
import { changedRunner } from '#src/domain/ci/runners/list.ts';
import {
  resetGroupRunnersToken,
  resetProjectRunnersToken,
  resetRegistrationToken,
} from '#src/domain/ci/runners/registration.ts';

const runnerId = (t: InputFields, description: string) => t.field({ ...idOf('Runner'), required: true, description });

const tokenPayload: Payload<RunnerWithToken> = {
  description: 'The runner with its token, which is shown only now.',
  fields: (t) => ({
    token: t.exposeString('token', { description: 'The token that the program of the runner needs.' }),
    tokenExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the token stops working; null, as it does not by itself.',
      resolve: () => null,
    }),
    runner: t.field({
      type: Runner,
      description: 'The runner as it is now.',
      resolve: ({ id }, _args, context, info) => changedRunner(context, id, selectionAt(info, 'Runner')),
    }),
  }),
};

const runnerPayload: Payload<{ id: number }> = changed('runner', Runner, 'Runner', (context, { id }, selection) =>
  changedRunner(context, id, selection),
);

mutation('updateRunner', {
  description:
    'Changes a runner of projects that the caller is a master of. Shared runners can only be changed by administrators.',
  input: {
    description: 'Changes to a runner. What is left out stays as it is.',
    argument: 'The changes to the runner.',
    fields: (t) => ({
      id: runnerId(t, 'Global or numeric ID of the runner.'),
      description: t.string({ description: 'What the runner is called; at most 255 characters.' }),
      active: t.boolean({ description: 'Whether the runner gets jobs.' }),
      tagList: t.stringList({ description: 'All tags of the runner from now on; at most 50.' }),
      runUntagged: t.boolean({ description: 'Whether the runner takes jobs without tags. True without any tags.' }),
      locked: t.boolean({ description: 'Whether the runner cannot be enabled for further projects.' }),
      paused: t.boolean({ description: 'Whether the runner gets no jobs; wins over `active`.' }),
      accessLevel: t.field({ type: RunnerAccessLevel, description: 'Of which refs the runner takes jobs.' }),
      maximumTimeout: t.int({
        description: 'How long its jobs can run at most, in seconds: at least 600; null for no limit.',
      }),
      maintenanceNote: t.string({
        description: 'Note for those who maintain the runner, at most 1024 characters; null for none.',
      }),
    }),
  },
  resolve: async ({ id, paused, accessLevel, ...changes }, context) => {
    await updateRunner(context, id, {
      ...changes,
      active: paused == null ? changes.active : !paused,
      refProtected: accessLevel == null ? null : accessLevel === 'ref_protected',
    });
    return { id };
  },
  payload: runnerPayload,
});

mutation('createRunner', {
  description:
    'Creates a runner: a shared one for administrators, one of a group for its owners, one of a project for its masters.',
  input: {
    description: 'A runner to create, whose program then gets its token.',
    argument: 'The values of the runner.',
    fields: (t) => ({
      runnerType: t.field({ type: RunnerType, required: true, description: 'Whose jobs the runner is to run.' }),
      ...ownerFields(t, {
        owner: 'The project of a `PROJECT_TYPE` runner, or the group of a `GROUP_TYPE` one.',
        project: 'The project of a `PROJECT_TYPE` runner: full path, global ID or numeric ID.',
        group: 'The group of a `GROUP_TYPE` runner: full path, global ID or numeric ID.',
      }),
      description: t.string({ description: 'What the runner is called; at most 255 characters.' }),
      paused: t.boolean({ required: true, defaultValue: false, description: 'Whether the runner gets no jobs yet.' }),
      locked: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the runner cannot be enabled for further projects.',
      }),
      runUntagged: t.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether the runner takes jobs without tags. True without any tags.',
      }),
      tagList: t.stringList({ description: 'Tags of the runner; at most 50.' }),
      accessLevel: t.field({
        type: RunnerAccessLevel,
        required: true,
        defaultValue: 'not_protected',
        description: 'Of which refs the runner takes jobs.',
      }),
      maximumTimeout: t.int({ description: 'How long its jobs can run at most, in seconds: at least 600.' }),
      maintenanceNote: t.string({ description: 'Note for those who maintain the runner, at most 1024 characters.' }),
    }),
  },
  resolve: ({ runnerType, paused, accessLevel, description, tagList, ...values }, context) =>
    createRunner(context, {
      ...values,
      type: runnerType,
      description: description ?? '',
      tagList: tagList ?? [],
      active: !paused,
      refProtected: accessLevel === 'ref_protected',
      maximumTimeout: values.maximumTimeout ?? null,
      maintenanceNote: values.maintenanceNote ?? null,
    }),
  payload: tokenPayload,
});

mutation('resetRunnerToken', {
  description:
    'Replaces the token of a runner; the old one stops working at once. For those who can change the runner.',
  input: {
    description: 'Which runner gets a new token.',
    argument: 'Names the runner whose token is replaced.',
    fields: (t) => ({ id: runnerId(t, 'Global or numeric ID of the runner.') }),
  },
  resolve: ({ id }, context) => resetRunnerToken(context, id),
  payload: tokenPayload,
});

mutation('resetGroupRunnersToken', {
  description:
    'Replaces the token that runners of a group register with; runners that are registered stay. For owners.',
  input: {
    description: 'Which group gets a new token for its runners.',
    argument: 'Names the group whose token is replaced.',
    fields: (t) => ({ group: groupField(t, 'whose token is replaced') }),
  },
  resolve: ({ group }, context) => resetGroupRunnersToken(context, group),
  payload: {
    description: 'The token after the mutation.',
    fields: (t) => ({
      registrationToken: t.exposeString('token', {
        description: 'The new token that runners of the group register with.',
      }),
    }),
  },
});

mutation('deleteRunner', {
  description:
    'Deletes a runner of one project. Shared runners and those of several projects can only be deleted by administrators. Jobs that it runs go on.',
  input: {
    description: 'Which runner to delete.',
    argument: 'Names the runner to delete.',
    fields: (t) => ({ id: runnerId(t, 'Global or numeric ID of the runner.') }),
  },
  resolve: async ({ id }, context) => {
    await deleteRunner(context, id);
    return { id };
  },
  payload: deleted('Runner', 'runner'),
});

mutation('enableRunner', {
  description:
    'Enables a runner for another project, where it is neither shared nor locked. For masters of both projects. CONFLICT if it is enabled already.',
  input: {
    description: 'Which runner to enable for which project.',
    argument: 'Names project and runner.',
    fields: (t) => ({
      project: projectField(t, 'whose jobs the runner is to run'),
      runner: runnerId(t, 'Global or numeric ID of the runner.'),
    }),
  },
  resolve: async ({ project, runner }, context) => {
    await enableRunner(context, project, runner);
    return { id: runner };
  },
  payload: runnerPayload,
});

mutation('disableRunner', {
  description: 'Disables a runner for a project, unless it is its only one. For masters of the project.',
  input: {
    description: 'Which runner to disable for which project.',
    argument: 'Names project and runner.',
    fields: (t) => ({
      project: projectField(t, 'whose jobs the runner is not to run any more'),
      runner: runnerId(t, 'Global or numeric ID of the runner.'),
    }),
  },
  resolve: async ({ project, runner }, context) => {
    await disableRunner(context, project, runner);
    return { id: runner };
  },
  payload: runnerPayload,
});

mutation('resetProjectRunnersToken', {
  description:
    'Replaces the token that runners of a project register with; runners that are registered stay. For masters.',
  input: {
    description: 'Which project gets a new token for its runners.',
    argument: 'Names the project whose token is replaced.',
    fields: (t) => ({ project: projectField(t, 'whose token is replaced') }),
  },
  resolve: ({ project }, context) => resetProjectRunnersToken(context, project),
  payload: {
    description: 'The project after the mutation.',
    fields: (t) => ({
      project: t.field({
        type: Project,
        description: 'The project, whose `runnersToken` is the new one.',
        resolve: ({ id }, _args, context, info) => requireProject(context, info, id),
      }),
    }),
  },
});

mutation('resetRunnersRegistrationToken', {
  description:
    'Replaces the token that shared runners register with; runners that are registered stay. For administrators.',
  input: { description: 'Replaces the token of the server.', argument: 'Has no fields that matter.' },
  resolve: async (_input, context) => ({ token: await resetRegistrationToken(context) }),
  payload: {
    description: 'The token after the mutation.',
    fields: (t) => ({
      registrationToken: t.exposeString('token', { description: 'The new token that shared runners register with.' }),
    }),
  },
});
