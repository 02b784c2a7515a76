import { builder } from '#schema/builder.ts';
import { groupListArgs, groupOrder } from '#schema/groups/list.ts';
import { GroupConnection } from '#schema/groups/types.ts';
import { ProjectConnection, projectArgs, projectList } from '#schema/projects/list.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { User } from '#schema/users/types.ts';
import { listGroupsOfUsers } from '#src/domain/groups/list.ts';
import { listContributedProjects, listProjectsOfUsers, listStarredProjects } from '#src/domain/projects/of_users.ts';

const ProjectAffiliation = builder.enumType('ProjectAffiliation', {
  description: 'A user’s relation to a project.',
  values: {
    OWNER: { value: 'owner', description: 'The project is in the personal namespace of the user.' },
    MEMBER: { value: 'member', description: 'The user is a direct member of the project.' },
    GROUP_MEMBER: {
      value: 'group_member',
      description: 'The user is a member of the project’s group or one of its parents.',
    },
  } as const,
});

builder.objectFields(User, (t) => ({
  projects: t.field({
    type: ProjectConnection,
    description: 'The projects that the user owns or is a member of and that the caller can see.',
    args: {
      ...projectArgs,
      affiliations: t.arg({
        type: [ProjectAffiliation],
        required: true,
        defaultValue: ['owner', 'member', 'group_member'],
        description: 'Only projects that the user has one of these affiliations with.',
      }),
    },
    resolve: ({ id }, { affiliations, ...args }, context, info) =>
      pageBelow('Project', id, args, context, info, (_context, ids, page, selection) =>
        listProjectsOfUsers(context, ids, affiliations, projectList(args), page, selection),
      ),
  }),
  starredProjects: t.field({
    type: ProjectConnection,
    description: 'The projects that the user starred and that the caller can see.',
    args: projectArgs,
    resolve: ({ id }, args, context, info) =>
      pageBelow('Project', id, args, context, info, (_context, ids, page, selection) =>
        listStarredProjects(context, ids, projectList(args), page, selection),
      ),
  }),
  contributedProjects: t.field({
    type: ProjectConnection,
    description: 'The projects with an event of the user within the last year that the caller can see.',
    args: projectArgs,
    resolve: ({ id }, args, context, info) =>
      pageBelow('Project', id, args, context, info, (_context, ids, page, selection) =>
        listContributedProjects(context, ids, projectList(args), page, selection),
      ),
  }),
  groups: t.field({
    type: GroupConnection,
    description: 'The groups that the user is a direct member of and that the caller can see.',
    args: {
      ...groupListArgs,
      canCreateProject: t.arg.boolean({
        description: 'Whether to only list groups in which the caller can create projects.',
      }),
    },
    resolve: ({ id }, args, context, info) =>
      pageBelow('Namespace', id, args, context, info, (_context, ids, page, selection) =>
        listGroupsOfUsers(context, ids, args, groupOrder(args), page, selection),
      ),
  }),
}));
