import { builder } from '#schema/builder.ts';
import {
  CreateProjectForUserInput,
  CreateProjectInput,
  ForkProjectInput,
  LinkForkInput,
  ProjectInput,
  ShareProjectInput,
  UnshareProjectInput,
  UpdateProjectInput,
} from '#schema/projects/inputs.ts';
import { Project, ProjectShare } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { archiveProject } from '#src/projects/archive.ts';
import { createProject, createProjectForUser } from '#src/projects/create.ts';
import { deleteProject } from '#src/projects/delete.ts';
import { findProject, type ProjectRow } from '#src/projects/find.ts';
import { forkProject } from '#src/projects/fork.ts';
import { type ForkLink, linkFork, unlinkFork } from '#src/projects/fork_link.ts';
import type { ProjectShareRow } from '#src/projects/own_values.ts';
import { shareProject, unshareProject } from '#src/projects/share.ts';
import { starProject } from '#src/projects/star.ts';
import { updateProject } from '#src/projects/update.ts';
import { givenSwitches } from '#src/projects/values.ts';

const ProjectPayload = builder.objectRef<{ project: ProjectRow }>('ProjectPayload').implement({
  description: 'The project as it is now.',
  fields: (t) => ({
    project: t.field({
      type: Project,
      description: 'The project.',
      resolve: ({ project }, _args, context, info) => findProject(context, project.id, selectionAt(info, 'Project')),
    }),
  }),
});

const DeleteProjectPayload = builder.objectRef<ProjectRow>('DeleteProjectPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the project that is gone.' }),
    fullPath: t.exposeString('fullPath', { description: 'Full path that is free again.' }),
  }),
});

const LinkForkPayload = builder.objectRef<ForkLink>('LinkForkPayload').implement({
  description: 'That one project is a fork of another.',
  fields: (t) => ({
    databaseId: t.int({ description: 'Numeric ID of the link: that of the fork.', resolve: ({ fork }) => fork.id }),
    project: t.field({
      type: Project,
      description: 'The fork.',
      resolve: ({ fork }, _args, context, info) => findProject(context, fork.id, selectionAt(info, 'Project')),
    }),
    forkedToProjectId: t.int({ description: 'Numeric ID of the fork.', resolve: ({ fork }) => fork.id }),
    forkedFromProjectId: t.exposeInt('forkedFromId', { description: 'Numeric ID of its source.' }),
    createdAt: t.expose('linkedAt', { type: 'DateTime', description: 'When the two were linked.' }),
    updatedAt: t.expose('linkedAt', { type: 'DateTime', description: 'When the link last changed.' }),
  }),
});

const ShareProjectPayload = builder.objectRef<{ share: ProjectShareRow }>('ShareProjectPayload').implement({
  description: 'The access that a group has now.',
  fields: (t) => ({ share: t.expose('share', { type: ProjectShare, description: 'The access.' }) }),
});

const UnshareProjectPayload = builder.objectRef<{ groupId: number }>('UnshareProjectPayload').implement({
  description: 'Whose access was taken away.',
  fields: (t) => ({ groupId: t.exposeInt('groupId', { description: 'Numeric ID of the group.' }) }),
});

builder.mutationFields((t) => ({
  createProject: t.field({
    type: ProjectPayload,
    description: 'Creates a project.',
    args: { input: t.arg({ type: CreateProjectInput, required: true, description: 'The new project.' }) },
    resolve: async (_root, { input }, context) => ({
      project: await createProject(context, { ...input, switches: givenSwitches(input) }),
    }),
  }),
  createProjectForUser: t.field({
    type: ProjectPayload,
    description: 'Creates a project in the personal namespace of another user; for administrators.',
    args: { input: t.arg({ type: CreateProjectForUserInput, required: true, description: 'The new project.' }) },
    resolve: async (_root, { input: { userId, ...input } }, context) => ({
      project: await createProjectForUser(context, userId, { ...input, switches: givenSwitches(input) }),
    }),
  }),
  updateProject: t.field({
    type: ProjectPayload,
    description: 'Changes a project.',
    args: { input: t.arg({ type: UpdateProjectInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input: { project, ...changes } }, context) => ({
      project: await updateProject(context, project, changes),
    }),
  }),
  deleteProject: t.field({
    type: DeleteProjectPayload,
    description: 'Deletes a project with everything in it. What it leaves on disk is removed later.',
    args: { input: t.arg({ type: ProjectInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { project } }, context) => deleteProject(context, project),
  }),
  archiveProject: t.field({
    type: ProjectPayload,
    description: 'Keeps a project for reading only.',
    args: { input: t.arg({ type: ProjectInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project } }, context) => ({
      project: await archiveProject(context, project, true),
    }),
  }),
  unarchiveProject: t.field({
    type: ProjectPayload,
    description: 'Lets an archived project be worked on again.',
    args: { input: t.arg({ type: ProjectInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project } }, context) => ({
      project: await archiveProject(context, project, false),
    }),
  }),
  starProject: t.field({
    type: ProjectPayload,
    description: 'Stars a project. NOT_MODIFIED when the caller did already.',
    args: { input: t.arg({ type: ProjectInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project } }, context) => ({ project: await starProject(context, project, true) }),
  }),
  unstarProject: t.field({
    type: ProjectPayload,
    description: 'Takes a star back. NOT_MODIFIED when the caller gave none.',
    args: { input: t.arg({ type: ProjectInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project } }, context) => ({
      project: await starProject(context, project, false),
    }),
  }),
  forkProject: t.field({
    type: ProjectPayload,
    description: 'Copies a project into another namespace.',
    args: { input: t.arg({ type: ForkProjectInput, required: true, description: 'What, and where to.' }) },
    resolve: async (_root, { input: { project, namespace } }, context) => ({
      project: await forkProject(context, project, namespace || null),
    }),
  }),
  linkFork: t.field({
    type: LinkForkPayload,
    description: 'Makes a project a fork of another one; for administrators.',
    args: { input: t.arg({ type: LinkForkInput, required: true, description: 'Which, and of which.' }) },
    resolve: (_root, { input: { project, forkedFrom } }, context) => linkFork(context, project, forkedFrom),
  }),
  unlinkFork: t.field({
    type: ProjectPayload,
    description: 'Makes a fork a project of its own. NOT_MODIFIED when it is one.',
    args: { input: t.arg({ type: ProjectInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project } }, context) => ({ project: await unlinkFork(context, project) }),
  }),
  shareProject: t.field({
    type: ShareProjectPayload,
    description: 'Gives the members of a group access to a project.',
    args: { input: t.arg({ type: ShareProjectInput, required: true, description: 'The access.' }) },
    resolve: async (_root, { input: { project, ...share } }, context) => ({
      share: await shareProject(context, project, share),
    }),
  }),
  unshareProject: t.field({
    type: UnshareProjectPayload,
    description: 'Takes the access of a group away.',
    args: { input: t.arg({ type: UnshareProjectInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, groupId } }, context) => {
      await unshareProject(context, project, groupId);
      return { groupId };
    },
  }),
}));
