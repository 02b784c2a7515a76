import { deprecated } from '#schema/deprecated.ts';
import { AccessLevel, Visibility } from '#schema/enums.ts';
import { idOfGroup } from '#schema/groups/named.ts';
import { confirmationField, groupField, projectField } from '#schema/inputs.ts';
import { mutation, type Payload, toldChanged } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromGroup, withParent } from '#schema/places/parents.ts';
import { ChangedPullMirrorInput, newProjectFields, switches, texts } from '#schema/projects/inputs.ts';
import { Project, ProjectShare } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createProject, createProjectForUser } from '#src/domain/lifecycle/create_project.ts';
import { deleteProject } from '#src/domain/lifecycle/delete_project.ts';
import { linkFork, unlinkFork } from '#src/domain/lifecycle/fork_link.ts';
import { forkProject } from '#src/domain/lifecycle/fork_project.ts';
import { moveProject } from '#src/domain/lifecycle/transfer_to_group.ts';
import { updateProject } from '#src/domain/lifecycle/update_project.ts';
import { archiveProject } from '#src/domain/projects/archive.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { shareProject, unshareProject } from '#src/domain/projects/share.ts';
import { starProject } from '#src/domain/projects/star.ts';
import { givenSwitches, type Switches } from '#src/domain/projects/values.ts';
import { requestMaintenance } from '#src/domain/repository/request_maintenance.ts';

/** The given settings, as the domain takes them. */
function settingsOf<Input extends { autoCancelPendingPipelines?: 'enabled' | 'disabled' | null }>({
  autoCancelPendingPipelines: autoCancel,
  ...input
}: Input) {
  return { ...input, autoCancelPendingPipelines: autoCancel == null ? undefined : autoCancel === 'enabled' };
}

function newProject<Input extends Parameters<typeof settingsOf>[0] & Switches>(input: Input) {
  return { ...settingsOf(input), switches: givenSwitches(input) };
}

/** The payload of a mutation that changes a project. */
export function projectPayload(description = 'The project as it is now.'): Payload<{ project: { id: number } }> {
  return {
    description: 'The project after the mutation.',
    fields: (t) => ({
      project: t.field({
        type: Project,
        description,
        resolve: ({ project }, _args, context, info) => findProject(context, project.id, selectionAt(info, 'Project')),
      }),
    }),
  };
}

mutation('createProject', {
  description: 'Creates a project in the personal namespace of the caller, or in a group for its masters.',
  input: {
    description: 'A new project. Either name or path is required; the other is derived from it.',
    argument: 'Name, namespace and settings of the project.',
    fields: (t) => ({
      ...newProjectFields(t),
      namespace: t.field({
        type: 'NamespaceRef',
        description:
          'The group or personal namespace of the project, where the caller must be a master of a group; the caller’s personal namespace when left out.',
      }),
    }),
  },
  resolve: async ({ namespace, ...input }, context) => ({
    project: await createProject(context, { ...newProject(input), namespaceId: namespace }),
  }),
  payload: projectPayload(),
});

mutation('createProjectForUser', {
  description: 'Creates a project in the personal namespace of another user. For administrators.',
  input: {
    description: 'A new project of another user. Either name or path is required; the other is derived from it.',
    argument: 'User, name and settings of the project.',
    fields: (t) => ({
      userId: t.field({
        ...idOf('User'),
        required: true,
        description: 'ID of the user whose personal namespace gets the project.',
      }),
      ...newProjectFields(t),
    }),
  },
  resolve: async ({ userId, ...input }, context) => ({
    project: await createProjectForUser(context, userId, newProject(input)),
  }),
  payload: projectPayload(),
});

mutation('updateProject', {
  description: 'Changes a project. For its masters; name, path and visibility can only be changed by owners.',
  input: {
    description:
      'Changes to a project: what is left out stays as it is, null clears description, default branch and tags. Only owners can change name, path and visibility.',
    argument: 'Names the project, and the changes.',
    fields: (t) => ({
      project: projectField(t, 'to change'),
      ...texts(t),
      ...switches(({ description }) => t.boolean({ description })),
      visibility: t.field({ type: Visibility, description: 'Who can see the project; no wider than its group.' }),
      maxArtifactsSize: t.int({
        description:
          'How large the artifacts of a job may be, in megabytes, within the limit of the server; null for that of its groups.',
      }),
      jobTokenPushAllowed: t.boolean({
        description: 'Whether jobs of the project can push to its repository with their tokens. They cannot at first.',
      }),
      pullMirror: t.field({
        type: ChangedPullMirrorInput,
        description: 'Which repository the project mirrors, and how.',
      }),
    }),
  },
  resolve: async ({ project, ...changes }, context) => ({
    project: await updateProject(context, project, settingsOf(changes)),
  }),
  payload: projectPayload(),
});

mutation('deleteProject', {
  description:
    'Deletes a project with everything in it. For its owners and administrators. Its files are removed from disk later.',
  input: {
    description: 'The project to delete.',
    argument: 'Names the project to delete.',
    fields: (t) => ({ project: projectField(t, 'to delete'), confirmation: confirmationField(t) }),
  },
  resolve: async ({ project, confirmation }, context) =>
    withParent(await deleteProject(context, project, confirmation)),
  payload: {
    from: fromGroup,
    description: 'The project that was deleted.',
    fields: (t) => ({
      deletedProjectId: t.id({
        description: 'Global ID of the project that was deleted.',
        resolve: ({ id }) => toGlobalId('Project', id),
      }),
      fullPath: t.exposeString('fullPath', { description: 'Full path that the project had; it can be used again.' }),
    }),
  },
});

mutation('archiveProject', {
  description: 'Makes a project read-only. For its owners and administrators.',
  input: {
    description: 'The project to archive.',
    argument: 'Names the project to archive.',
    fields: (t) => ({ project: projectField(t, 'to archive') }),
  },
  resolve: ({ project }, context) => archiveProject(context, project, true),
  payload: toldChanged(projectPayload()),
});

mutation('unarchiveProject', {
  description: 'Makes an archived project writable again. For its owners and administrators.',
  input: {
    description: 'The project to unarchive.',
    argument: 'Names the project to unarchive.',
    fields: (t) => ({ project: projectField(t, 'to unarchive') }),
  },
  resolve: ({ project }, context) => archiveProject(context, project, false),
  payload: toldChanged(projectPayload()),
});

mutation('starProject', {
  description: 'Stars a project. `changed` is false if the caller already did.',
  input: {
    description: 'The project to star.',
    argument: 'Names the project to star.',
    fields: (t) => ({ project: projectField(t, 'to star') }),
  },
  resolve: ({ project }, context) => starProject(context, project, true),
  payload: toldChanged(projectPayload()),
});

mutation('unstarProject', {
  description: 'Unstars a project. `changed` is false if the caller has not starred it.',
  input: {
    description: 'The project to unstar.',
    argument: 'Names the project to unstar.',
    fields: (t) => ({ project: projectField(t, 'to unstar') }),
  },
  resolve: ({ project }, context) => starProject(context, project, false),
  payload: toldChanged(projectPayload()),
});

mutation('forkProject', {
  description:
    'Forks a project into another namespace. For users who can read its repository. CONFLICT when the namespace has a project with that name or path.',
  input: {
    description: 'Which project to fork, into which namespace, and what differs in the fork.',
    argument: 'Names the project and the namespace.',
    fields: (t) => ({
      project: projectField(t, 'to fork'),
      namespace: t.field({
        type: 'NamespaceRef',
        description: 'The namespace that gets the fork; the caller’s personal namespace when left out.',
      }),
      name: t.string({ description: 'Display name of the fork, if it is not that of the project.' }),
      path: t.string({ description: 'Last part of the fork’s URL, if it is not that of the project.' }),
      description: t.string({ description: 'Description of the fork, if it is not that of the project.' }),
      visibility: t.field({
        type: Visibility,
        description: 'Who can see the fork: no more people than can see the project. By default, as many as may.',
      }),
    }),
  },
  resolve: async ({ project, namespace, ...values }, context) => ({
    project: await forkProject(context, project, namespace ?? null, values),
  }),
  payload: projectPayload(),
});

mutation('moveProject', {
  description: 'Moves a project into another namespace; its old path redirects. For its owners.',
  input: {
    description: 'Which project to move, and into which namespace.',
    argument: 'Names the project and the namespace.',
    fields: (t) => ({
      project: projectField(t, 'to move'),
      namespace: t.field({
        type: 'NamespaceRef',
        required: true,
        description: 'The group or personal namespace that gets the project, in which the caller can create projects.',
      }),
      confirmation: confirmationField(t),
    }),
  },
  resolve: async ({ project, namespace, confirmation }, context) => ({
    project: await moveProject(context, project, namespace, confirmation),
  }),
  payload: projectPayload(),
});

mutation('maintainRepository', {
  description:
    'Repacks the repository of a project in the background, and removes objects that have long been unreferenced. For masters of the project. CONFLICT while that is done.',
  input: {
    description: 'The project whose repository to maintain.',
    argument: 'Names the project to maintain.',
    fields: (t) => ({ project: projectField(t, 'whose repository to maintain') }),
  },
  resolve: async ({ project }, context) => ({ project: await requestMaintenance(context, project) }),
  payload: projectPayload(),
});

mutation('linkFork', {
  description: 'Marks a project as a fork of another one. For administrators. CONFLICT when it is already a fork.',
  input: {
    description: 'Which project to mark as a fork of which.',
    argument: 'Names the fork and its source.',
    fields: (t) => ({
      project: projectField(t, 'that becomes a fork'),
      forkedFrom: projectField(t, 'that it becomes a fork of'),
    }),
  },
  resolve: ({ project, forkedFrom }, context) => linkFork(context, project, forkedFrom),
  payload: {
    description: 'The link between a fork and its source.',
    fields: (t) => ({
      databaseId: t.int({ description: 'Numeric ID of the link: that of the fork.', resolve: ({ fork }) => fork.id }),
      project: t.field({
        type: Project,
        description: 'The project that is now a fork.',
        resolve: ({ fork }, _args, context, info) => findProject(context, fork.id, selectionAt(info, 'Project')),
      }),
      forkedToProjectId: t.int({
        description: 'Numeric ID of the fork, as the REST API shows it.',
        resolve: ({ fork }) => fork.id,
      }),
      forkedFromProjectId: t.exposeInt('forkedFromId', { description: 'Numeric ID of the source of the fork.' }),
      createdAt: t.expose('linkedAt', { type: 'DateTime', description: 'When the two were linked.' }),
      updatedAt: t.expose('linkedAt', { type: 'DateTime', description: 'When the link last changed.' }),
    }),
  },
});

mutation('unlinkFork', {
  description: 'Detaches a fork from its source. For its owners. `changed` is false if it is not a fork.',
  input: {
    description: 'The project to detach from its source.',
    argument: 'Names the fork to unlink.',
    fields: (t) => ({ project: projectField(t, 'to detach from its source'), confirmation: confirmationField(t) }),
  },
  resolve: ({ project, confirmation }, context) => unlinkFork(context, project, confirmation),
  payload: toldChanged(projectPayload()),
});

mutation('shareProject', {
  description:
    'Gives the members of a group access to a project. For masters of the project. CONFLICT when they have it already.',
  input: {
    description: 'Which group to share a project with, and at which level.',
    argument: 'Names project, group and level.',
    fields: (t) => ({
      project: projectField(t, 'to share'),
      group: groupField(t, 'whose members get access'),
      accessLevel: t.field({
        type: AccessLevel,
        required: true,
        description: 'The highest level that members of the group get: up to MASTER.',
      }),
      expiresAt: t.field({
        type: 'Date',
        description: 'The share ends at 00:00 UTC on this day. It never ends when null or left out.',
      }),
    }),
  },
  resolve: async ({ project, ...share }, context) => ({ share: await shareProject(context, project, share) }),
  payload: {
    description: 'The access that the group now has.',
    fields: (t) => ({
      share: t.expose('share', { type: ProjectShare, description: 'The share, with its level and end date.' }),
    }),
  },
});

mutation('unshareProject', {
  description: 'Stops sharing a project with a group. For masters of the project.',
  input: {
    description: 'Which group to stop sharing a project with.',
    argument: 'Names the project and the group.',
    fields: (t) => ({
      project: projectField(t, 'that was shared'),
      group: t.field({
        type: 'GroupRef',
        description: 'The group that loses its access: full path, global ID or numeric ID. Required.',
      }),
      groupId: t.field({
        ...idOf('Group'),
        description: 'Global or numeric ID of the group, instead of `group`.',
        ...deprecated('Use `group`.', '0.3.0', '0.5.0'),
      }),
    }),
  },
  resolve: async ({ project, group, groupId: given }, context) => {
    const groupId = await idOfGroup(context, group ?? given, 'group');
    await unshareProject(context, project, groupId);
    return { groupId };
  },
  payload: {
    description: 'The group that no longer has access.',
    fields: (t) => ({
      unsharedGroupId: t.id({
        description: 'Global ID of the group that lost its access.',
        resolve: ({ groupId }) => toGlobalId('Group', groupId),
      }),
    }),
  },
});
