import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { deprecated } from '#schema/deprecated.ts';
import { idOfGroup } from '#schema/groups/named.ts';
import { GroupConnection } from '#schema/groups/types.ts';
import { projectField } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { ProjectConnection } from '#schema/projects/list.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import {
  allowJobTokens,
  authorizeScope,
  type ChangedAllowed,
  disallowJobTokens,
  isScopeEnabled,
  listAllowedGroups,
  listAllowedProjects,
  updateJobTokenScope,
} from '#src/domain/projects/job_token_scope.ts';

const JobTokenScope = builder.objectRef<ProjectRow>('JobTokenScope').implement({
  description: 'Which jobs of other projects may use a project by their tokens, within the rights of their users.',
  fields: (t) => ({
    inboundEnabled: t.boolean({
      description: 'Whether only jobs of the allowed projects and groups may; otherwise those of any project.',
      resolve: (project, _args, context) => isScopeEnabled(context, project),
    }),
    allowedProjects: t.field({
      type: ProjectConnection,
      description: 'The projects whose jobs may use the project, as far as the caller sees them; itself included.',
      args: pageArgs,
      resolve: (project, args, context, info) =>
        loadPage(args, info, (page) => listAllowedProjects(context, project, page, selectionAt(info, 'Project'))),
    }),
    allowedGroups: t.field({
      type: GroupConnection,
      description:
        'The groups whose projects’ jobs may use the project, those of subgroups included, as far as the caller sees them.',
      args: pageArgs,
      resolve: (project, args, context, info) =>
        loadPage(args, info, (page) => listAllowedGroups(context, project, page, selectionAt(info, 'Namespace'))),
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  jobTokenScope: t.field({
    type: JobTokenScope,
    nullable: true,
    description: 'Which jobs of other projects may use the project by their tokens. For its masters.',
    resolve: (project, _args, context) => {
      authorizeScope(context, project);
      return project;
    },
  }),
}));

const scopePayload: Payload<ChangedAllowed> = {
  description: 'The project after the mutation.',
  fields: (t) => ({
    project: t.field({
      type: Project,
      description: 'The project as it is now.',
      resolve: ({ project }, _args, context, info) => requireProject(context, info, project.id),
    }),
    projectId: t.int({ description: 'Numeric ID of the project.', resolve: ({ project }) => project.id }),
    targetId: t.exposeInt('targetId', { description: 'Numeric ID of the project or group that was named.' }),
  }),
};

mutation('updateJobTokenScope', {
  description: 'Changes whether only allowed jobs may use a project by their tokens. For its masters.',
  input: {
    description: 'Whether only allowed jobs may use a project.',
    argument: 'Names the project, and the change.',
    fields: (t) => ({
      project: projectField(t, 'to change'),
      inboundEnabled: t.boolean({
        required: true,
        description: 'Whether only jobs of the allowed projects and groups may use it by their tokens.',
      }),
    }),
  },
  resolve: async ({ project, inboundEnabled }, context) => {
    const changed = await updateJobTokenScope(context, project, inboundEnabled);
    return { project: changed, targetId: changed.id };
  },
  payload: scopePayload,
});

mutation('allowJobTokens', {
  description:
    'Lets the jobs of a project, or of all projects below a group, use a project by their tokens, within the rights of their users. For its masters; at most 200 of either.',
  input: {
    description: 'Whose jobs may use a project. Give either `allowedProject` or `allowedGroup`.',
    argument: 'Names both projects, or project and group.',
    fields: (t) => ({
      project: projectField(t, 'that they may use'),
      allowedProject: t.field({ type: 'ProjectRef', description: 'The project whose jobs may use it.' }),
      allowedGroup: t.field({ type: 'GroupRef', description: 'The group whose projects’ jobs may use it.' }),
    }),
  },
  resolve: (input, context) => allowJobTokens(context, input),
  payload: scopePayload,
});

mutation('disallowJobTokens', {
  description: 'No longer lets the jobs of a project or group use a project by their tokens. For its masters.',
  input: {
    description: 'Whose jobs may no longer use a project. Give either `allowedProject` or `allowedGroup`.',
    argument: 'Names both projects, or project and group.',
    fields: (t) => ({
      project: projectField(t, 'that they could use'),
      allowedProject: t.field({ type: 'ProjectRef', description: 'The project whose jobs may no longer use it.' }),
      allowedGroup: t.field({ type: 'GroupRef', description: 'The group whose projects’ jobs may no longer use it.' }),
      allowedProjectId: t.field({
        ...idOf('Project'),
        description: 'Global or numeric ID of the project to remove.',
        ...deprecated('Use `allowedProject`.', '0.3.0', '0.5.0'),
      }),
      allowedGroupId: t.field({
        ...idOf('Group'),
        description: 'Global or numeric ID of the group to remove.',
        ...deprecated('Use `allowedGroup`.', '0.3.0', '0.5.0'),
      }),
    }),
  },
  resolve: async ({ project, ...given }, context) => {
    const allowedProject = given.allowedProject ?? given.allowedProjectId ?? null;
    const allowedGroup = given.allowedGroup ?? given.allowedGroupId ?? null;
    return disallowJobTokens(context, {
      project,
      projectId: typeof allowedProject === 'string' ? (await findProject(context, allowedProject)).id : allowedProject,
      groupId: allowedGroup === null ? null : await idOfGroup(context, allowedGroup, 'allowedGroup'),
    });
  },
  payload: scopePayload,
});
