import { builder } from '#schema/builder.ts';
import { emptyInput, groupField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
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

const UpdateRunnerInput = builder.inputType('UpdateRunnerInput', {
  description: 'Changes to a runner. What is left out stays as it is.',
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
});

const CreateRunnerInput = builder.inputType('CreateRunnerInput', {
  description: 'A runner to create, whose program then gets its token.',
  fields: (t) => ({
    runnerType: t.field({ type: RunnerType, required: true, description: 'Whose jobs the runner is to run.' }),
    group: t.field({
      type: 'GroupRef',
      description: 'The group of a `GROUP_TYPE` runner: full path, global ID or numeric ID.',
    }),
    project: t.field({
      type: 'ProjectRef',
      description: 'The project of a `PROJECT_TYPE` runner: full path, global ID or numeric ID.',
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
});

const ResetRunnerTokenInput = builder.inputType('ResetRunnerTokenInput', {
  description: 'Which runner gets a new token.',
  fields: (t) => ({ id: runnerId(t, 'Global or numeric ID of the runner.') }),
});

const ResetGroupRunnersTokenInput = builder.inputType('ResetGroupRunnersTokenInput', {
  description: 'Which group gets a new token for its runners.',
  fields: (t) => ({ group: groupField(t, 'whose token is replaced') }),
});

function tokenPayload(mutation: string) {
  return builder.objectRef<RunnerWithToken>(namesOf(mutation).payload).implement({
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
  });
}

const ResetGroupRunnersTokenPayload = builder.objectRef<{ token: string }>('ResetGroupRunnersTokenPayload').implement({
  description: 'The token after the mutation.',
  fields: (t) => ({
    registrationToken: t.exposeString('token', {
      description: 'The new token that runners of the group register with.',
    }),
  }),
});

const DeleteRunnerInput = builder.inputType('DeleteRunnerInput', {
  description: 'Which runner to delete.',
  fields: (t) => ({ id: runnerId(t, 'Global or numeric ID of the runner.') }),
});

const EnableRunnerInput = builder.inputType('EnableRunnerInput', {
  description: 'Which runner to enable for which project.',
  fields: (t) => ({
    project: projectField(t, 'whose jobs the runner is to run'),
    runner: runnerId(t, 'Global or numeric ID of the runner.'),
  }),
});

const DisableRunnerInput = builder.inputType('DisableRunnerInput', {
  description: 'Which runner to disable for which project.',
  fields: (t) => ({
    project: projectField(t, 'whose jobs the runner is not to run any more'),
    runner: runnerId(t, 'Global or numeric ID of the runner.'),
  }),
});

const ResetProjectRunnersTokenInput = builder.inputType('ResetProjectRunnersTokenInput', {
  description: 'Which project gets a new token for its runners.',
  fields: (t) => ({ project: projectField(t, 'whose token is replaced') }),
});

const ResetRunnersRegistrationTokenInput = emptyInput(
  'ResetRunnersRegistrationTokenInput',
  'Replaces the token of the server.',
);

function runnerPayload(mutation: string) {
  return builder.objectRef<{ id: number }>(namesOf(mutation).payload).implement({
    description: 'The runner after the mutation.',
    fields: (t) => ({
      runner: t.field({
        type: Runner,
        description: 'The runner as it is now.',
        resolve: ({ id }, _args, context, info) => changedRunner(context, id, selectionAt(info, 'Runner')),
      }),
    }),
  });
}

const DeleteRunnerPayload = builder.objectRef<{ id: number }>('DeleteRunnerPayload').implement({
  description: 'The runner that was deleted.',
  fields: (t) => ({
    deletedRunnerId: t.id({
      description: 'Global ID of the runner that was deleted.',
      resolve: ({ id }) => toGlobalId('Runner', id),
    }),
  }),
});

const ResetRunnersRegistrationTokenPayload = builder
  .objectRef<{ token: string }>('ResetRunnersRegistrationTokenPayload')
  .implement({
    description: 'The token after the mutation.',
    fields: (t) => ({
      registrationToken: t.exposeString('token', { description: 'The new token that shared runners register with.' }),
    }),
  });

const ResetProjectRunnersTokenPayload = builder.objectRef<{ id: number }>('ResetProjectRunnersTokenPayload').implement({
  description: 'The project after the mutation.',
  fields: (t) => ({
    project: t.field({
      type: Project,
      description: 'The project, whose `runnersToken` is the new one.',
      resolve: ({ id }, _args, context, info) => requireProject(context, info, id),
    }),
  }),
});

builder.mutationFields((t) => ({
  updateRunner: t.field({
    type: runnerPayload('updateRunner'),
    description:
      'Changes a runner of projects that the caller is a master of. Shared runners can only be changed by administrators.',
    args: { input: t.arg({ type: UpdateRunnerInput, required: true, description: 'The changes to the runner.' }) },
    resolve: async (_root, { input: { id, paused, accessLevel, ...changes } }, context) => {
      await updateRunner(context, id, {
        ...changes,
        active: paused == null ? changes.active : !paused,
        refProtected: accessLevel == null ? null : accessLevel === 'ref_protected',
      });
      return { id };
    },
  }),
  createRunner: t.field({
    type: tokenPayload('createRunner'),
    description:
      'Creates a runner: a shared one for administrators, one of a group for its owners, one of a project for its masters.',
    args: { input: t.arg({ type: CreateRunnerInput, required: true, description: 'The values of the runner.' }) },
    resolve: (_root, { input: { runnerType, paused, accessLevel, description, tagList, ...values } }, context) =>
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
  }),
  resetRunnerToken: t.field({
    type: tokenPayload('resetRunnerToken'),
    description:
      'Replaces the token of a runner; the old one stops working at once. For those who can change the runner.',
    args: {
      input: t.arg({
        type: ResetRunnerTokenInput,
        required: true,
        description: 'Names the runner whose token is replaced.',
      }),
    },
    resolve: (_root, { input: { id } }, context) => resetRunnerToken(context, id),
  }),
  resetGroupRunnersToken: t.field({
    type: ResetGroupRunnersTokenPayload,
    description:
      'Replaces the token that runners of a group register with; runners that are registered stay. For owners.',
    args: {
      input: t.arg({
        type: ResetGroupRunnersTokenInput,
        required: true,
        description: 'Names the group whose token is replaced.',
      }),
    },
    resolve: (_root, { input: { group } }, context) => resetGroupRunnersToken(context, group),
  }),
  deleteRunner: t.field({
    type: DeleteRunnerPayload,
    description:
      'Deletes a runner of one project. Shared runners and those of several projects can only be deleted by administrators. Jobs that it runs go on.',
    args: { input: t.arg({ type: DeleteRunnerInput, required: true, description: 'Names the runner to delete.' }) },
    resolve: async (_root, { input: { id } }, context) => {
      await deleteRunner(context, id);
      return { id };
    },
  }),
  enableRunner: t.field({
    type: runnerPayload('enableRunner'),
    description:
      'Enables a runner for another project, where it is neither shared nor locked. For masters of both projects. CONFLICT if it is enabled already.',
    args: { input: t.arg({ type: EnableRunnerInput, required: true, description: 'Names project and runner.' }) },
    resolve: async (_root, { input: { project, runner } }, context) => {
      await enableRunner(context, project, runner);
      return { id: runner };
    },
  }),
  disableRunner: t.field({
    type: runnerPayload('disableRunner'),
    description: 'Disables a runner for a project, unless it is its only one. For masters of the project.',
    args: { input: t.arg({ type: DisableRunnerInput, required: true, description: 'Names project and runner.' }) },
    resolve: async (_root, { input: { project, runner } }, context) => {
      await disableRunner(context, project, runner);
      return { id: runner };
    },
  }),
  resetProjectRunnersToken: t.field({
    type: ResetProjectRunnersTokenPayload,
    description:
      'Replaces the token that runners of a project register with; runners that are registered stay. For masters.',
    args: {
      input: t.arg({
        type: ResetProjectRunnersTokenInput,
        required: true,
        description: 'Names the project whose token is replaced.',
      }),
    },
    resolve: (_root, { input: { project } }, context) => resetProjectRunnersToken(context, project),
  }),
  resetRunnersRegistrationToken: t.field({
    type: ResetRunnersRegistrationTokenPayload,
    description:
      'Replaces the token that shared runners register with; runners that are registered stay. For administrators.',
    args: {
      input: t.arg({
        type: ResetRunnersRegistrationTokenInput,
        required: true,
        description: 'Has no fields that matter.',
      }),
    },
    resolve: async (_root, _args, context) => ({ token: await resetRegistrationToken(context) }),
  }),
}));
