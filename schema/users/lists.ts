import { builder } from '#schema/builder.ts';
import { groupListArgs, groupOrder } from '#schema/groups/list.ts';
import { GroupConnection } from '#schema/groups/types.ts';
import { ProjectConnection, projectArgs, projectList } from '#schema/projects/list.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { User } from '#schema/users/types.ts';
import { listGroupsOfUsers } from '#src/groups/list.ts';
import { listProjectsOfUsers, listStarredProjects } from '#src/projects/of_users.ts';

const ProjectAffiliation = builder.enumType('ProjectAffiliation', {
  description: 'What a user has to do with a project.',
  values: {
    OWNER: { value: 'owner', description: 'The project is in the personal namespace of the user.' },
    MEMBER: { value: 'member', description: 'The user is a direct member of the project.' },
    GROUP_MEMBER: {
      value: 'group_member',
      description: 'The user is a member of the group that holds the project, or of a group around that.',
    },
  } as const,
});

builder.objectFields(User, (t) => ({
  projects: t.field({
    type: ProjectConnection,
    description:
      'The projects of the user and those that the user works on, as far as the caller sees them. For signed-in callers.',
    args: {
      ...projectArgs,
      affiliations: t.arg({
        type: [ProjectAffiliation],
        required: true,
        defaultValue: ['owner', 'member', 'group_member'],
        description: 'Only projects with which the user has one of these affiliations.',
      }),
    },
    resolve: ({ id }, { affiliations, ...args }, context, info) =>
      pageBelow('Project', id, args, context, info, (_context, ids, page, selection) =>
        listProjectsOfUsers(context, ids, affiliations, projectList(args), page, selection),
      ),
  }),
  starredProjects: t.field({
    type: ProjectConnection,
    description: 'The projects that the user starred, as far as the caller sees them. For signed-in callers.',
    args: projectArgs,
    resolve: ({ id }, args, context, info) =>
      pageBelow('Project', id, args, context, info, (_context, ids, page, selection) =>
        listStarredProjects(context, ids, projectList(args), page, selection),
      ),
  }),
  groups: t.field({
    type: GroupConnection,
    description:
      'The groups of which the user is a direct member, as far as the caller sees them. For signed-in callers.',
    args: groupListArgs,
    resolve: ({ id }, args, context, info) =>
      pageBelow('Namespace', id, args, context, info, (_context, ids, page, selection) =>
        listGroupsOfUsers(context, ids, args, groupOrder(args), page, selection),
      ),
  }),
}));
