import { builder } from '#schema/builder.ts';
import { namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import {
  CreateProjectForUserInput,
  CreateProjectInput,
  confirmedProjectInput,
  ForkProjectInput,
  LinkForkInput,
  MoveProjectInput,
  projectInput,
  ShareProjectInput,
  UnshareProjectInput,
  UpdateProjectInput,
} from '#schema/projects/inputs.ts';
import { Project, ProjectShare } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { createProject, createProjectForUser } from '#src/domain/lifecycle/create_project.ts';
import { deleteProject } from '#src/domain/lifecycle/delete_project.ts';
import { type ForkLink, linkFork, unlinkFork } from '#src/domain/lifecycle/fork_link.ts';
import { forkProject } from '#src/domain/lifecycle/fork_project.ts';
import { moveProject } from '#src/domain/lifecycle/transfer_to_group.ts';
import { updateProject } from '#src/domain/lifecycle/update_project.ts';
import { archiveProject } from '#src/domain/projects/archive.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { shareProject, unshareProject } from '#src/domain/projects/share.ts';
import { starProject } from '#src/domain/projects/star.ts';
import { givenSwitches, type Switches } from '#src/domain/projects/values.ts';
import { requestMaintenance } from '#src/domain/repository/request_maintenance.ts';
import type { ProjectShareRow } from '#src/platform/records/computed_types.ts';

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

function projectPayload(mutation: string, description = 'The project as it is now.') {
  return builder.objectRef<{ project: ProjectRow }>(namesOf(mutation).payload).implement({
    description: 'The project after the mutation.',
    fields: (t) => ({
      project: t.field({
        type: Project,
        description,
        resolve: ({ project }, _args, context, info) => findProject(context, project.id, selectionAt(info, 'Project')),
      }),
    }),
  });
}

const DeleteProjectPayload = builder.objectRef<ProjectRow>('DeleteProjectPayload').implement({
  description: 'The project that was deleted.',
  fields: (t) => ({
    deletedProjectId: t.id({
      description: 'Global ID of the project that was deleted.',
      resolve: ({ id }) => toGlobalId('Project', id),
    }),
    fullPath: t.exposeString('fullPath', { description: 'Full path that the project had; it can be used again.' }),
  }),
});

const DeleteProjectInput = confirmedProjectInput('DeleteProjectInput', 'to delete');
const ArchiveProjectInput = projectInput('ArchiveProjectInput', 'to archive');
const UnarchiveProjectInput = projectInput('UnarchiveProjectInput', 'to unarchive');
const StarProjectInput = projectInput('StarProjectInput', 'to star');
const UnstarProjectInput = projectInput('UnstarProjectInput', 'to unstar');
const MaintainRepositoryInput = projectInput('MaintainRepositoryInput', 'whose repository to maintain');
const UnlinkForkInput = confirmedProjectInput('UnlinkForkInput', 'to detach from its source');

const LinkForkPayload = builder.objectRef<ForkLink>('LinkForkPayload').implement({
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
});

const ShareProjectPayload = builder.objectRef<{ share: ProjectShareRow }>('ShareProjectPayload').implement({
  description: 'The access that the group now has.',
  fields: (t) => ({
    share: t.expose('share', { type: ProjectShare, description: 'The share, with its level and end date.' }),
  }),
});

const UnshareProjectPayload = builder.objectRef<{ groupId: number }>('UnshareProjectPayload').implement({
  description: 'The group that no longer has access.',
  fields: (t) => ({
    unsharedGroupId: t.id({
      description: 'Global ID of the group that lost its access.',
      resolve: ({ groupId }) => toGlobalId('Group', groupId),
    }),
  }),
});

builder.mutationFields((t) => ({
  createProject: t.field({
    type: projectPayload('createProject'),
    description: 'Creates a project in the personal namespace of the caller, or in a group for its masters.',
    args: {
      input: t.arg({
        type: CreateProjectInput,
        required: true,
        description: 'Name, namespace and settings of the project.',
      }),
    },
    resolve: async (_root, { input: { namespace, ...input } }, context) => ({
      project: await createProject(context, { ...newProject(input), namespaceId: namespace }),
    }),
  }),
  createProjectForUser: t.field({
    type: projectPayload('createProjectForUser'),
    description: 'Creates a project in the personal namespace of another user. For administrators.',
    args: {
      input: t.arg({
        type: CreateProjectForUserInput,
        required: true,
        description: 'User, name and settings of the project.',
      }),
    },
    resolve: async (_root, { input: { userId, ...input } }, context) => ({
      project: await createProjectForUser(context, userId, newProject(input)),
    }),
  }),
  updateProject: t.field({
    type: projectPayload('updateProject'),
    description: 'Changes a project. For its masters; name, path and visibility can only be changed by owners.',
    args: {
      input: t.arg({ type: UpdateProjectInput, required: true, description: 'Names the project, and the changes.' }),
    },
    resolve: async (_root, { input: { project, ...changes } }, context) => ({
      project: await updateProject(context, project, settingsOf(changes)),
    }),
  }),
  deleteProject: t.field({
    type: DeleteProjectPayload,
    description:
      'Deletes a project with everything in it. For its owners and administrators. Its files are removed from disk later.',
    args: { input: t.arg({ type: DeleteProjectInput, required: true, description: 'Names the project to delete.' }) },
    resolve: (_root, { input: { project, confirmation } }, context) => deleteProject(context, project, confirmation),
  }),
  archiveProject: t.field({
    type: projectPayload('archiveProject'),
    description: 'Makes a project read-only. For its owners and administrators.',
    args: { input: t.arg({ type: ArchiveProjectInput, required: true, description: 'Names the project to archive.' }) },
    resolve: async (_root, { input: { project } }, context) => ({
      project: await archiveProject(context, project, true),
    }),
  }),
  unarchiveProject: t.field({
    type: projectPayload('unarchiveProject'),
    description: 'Makes an archived project writable again. For its owners and administrators.',
    args: {
      input: t.arg({ type: UnarchiveProjectInput, required: true, description: 'Names the project to unarchive.' }),
    },
    resolve: async (_root, { input: { project } }, context) => ({
      project: await archiveProject(context, project, false),
    }),
  }),
  starProject: t.field({
    type: projectPayload('starProject'),
    description: 'Stars a project. NOT_MODIFIED if the caller already did.',
    args: { input: t.arg({ type: StarProjectInput, required: true, description: 'Names the project to star.' }) },
    resolve: async (_root, { input: { project } }, context) => ({ project: await starProject(context, project, true) }),
  }),
  unstarProject: t.field({
    type: projectPayload('unstarProject'),
    description: 'Unstars a project. NOT_MODIFIED if the caller has not starred it.',
    args: {
      input: t.arg({ type: UnstarProjectInput, required: true, description: 'Names the project to unstar.' }),
    },
    resolve: async (_root, { input: { project } }, context) => ({
      project: await starProject(context, project, false),
    }),
  }),
  forkProject: t.field({
    type: projectPayload('forkProject'),
    description:
      'Forks a project into another namespace. For users who can read its repository. CONFLICT when the namespace has a project with that name or path.',
    args: {
      input: t.arg({ type: ForkProjectInput, required: true, description: 'Names the project and the namespace.' }),
    },
    resolve: async (_root, { input: { project, namespace, ...values } }, context) => ({
      project: await forkProject(context, project, namespace ?? null, values),
    }),
  }),
  moveProject: t.field({
    type: projectPayload('moveProject'),
    description: 'Moves a project into another namespace; its old path redirects. For its owners.',
    args: {
      input: t.arg({ type: MoveProjectInput, required: true, description: 'Names the project and the namespace.' }),
    },
    resolve: async (_root, { input: { project, namespace, confirmation } }, context) => ({
      project: await moveProject(context, project, namespace, confirmation),
    }),
  }),
  maintainRepository: t.field({
    type: projectPayload('maintainRepository'),
    description:
      'Repacks the repository of a project in the background, and removes objects that have long been unreferenced. For masters of the project. CONFLICT while that is done.',
    args: {
      input: t.arg({ type: MaintainRepositoryInput, required: true, description: 'Names the project to maintain.' }),
    },
    resolve: async (_root, { input: { project } }, context) => ({
      project: await requestMaintenance(context, project),
    }),
  }),
  linkFork: t.field({
    type: LinkForkPayload,
    description: 'Marks a project as a fork of another one. For administrators. CONFLICT when it is already a fork.',
    args: { input: t.arg({ type: LinkForkInput, required: true, description: 'Names the fork and its source.' }) },
    resolve: (_root, { input: { project, forkedFrom } }, context) => linkFork(context, project, forkedFrom),
  }),
  unlinkFork: t.field({
    type: projectPayload('unlinkFork'),
    description: 'Detaches a fork from its source. For its owners. NOT_MODIFIED if it is not a fork.',
    args: { input: t.arg({ type: UnlinkForkInput, required: true, description: 'Names the fork to unlink.' }) },
    resolve: async (_root, { input: { project, confirmation } }, context) => ({
      project: await unlinkFork(context, project, confirmation),
    }),
  }),
  shareProject: t.field({
    type: ShareProjectPayload,
    description:
      'Gives the members of a group access to a project. For masters of the project. CONFLICT when they have it already.',
    args: { input: t.arg({ type: ShareProjectInput, required: true, description: 'Names project, group and level.' }) },
    resolve: async (_root, { input: { project, ...share } }, context) => ({
      share: await shareProject(context, project, share),
    }),
  }),
  unshareProject: t.field({
    type: UnshareProjectPayload,
    description: 'Stops sharing a project with a group. For masters of the project.',
    args: {
      input: t.arg({ type: UnshareProjectInput, required: true, description: 'Names the project and the group.' }),
    },
    resolve: async (_root, { input: { project, groupId } }, context) => {
      await unshareProject(context, project, groupId);
      return { groupId };
    },
  }),
}));
