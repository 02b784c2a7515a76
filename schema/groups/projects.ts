import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { deprecated } from '#schema/deprecated.ts';
import { Group } from '#schema/groups/types.ts';
import { ProjectConnection, projectArgs, projectList } from '#schema/projects/list.ts';
import { Project } from '#schema/projects/types.ts';
import { loadBelow } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ALL_PROJECTS, type GroupProjects, listGroupProjects } from '#src/domain/projects/of_group.ts';

const SHARED = { shared: true } as const;

builder.objectFields(Group, (t) => ({
  projects: t.field({
    type: ProjectConnection,
    description: 'The projects of the group that the caller can see: those directly in it, unless asked for more.',
    args: {
      ...projectArgs,
      includeSubgroups: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the projects of all groups inside the group are listed, too.',
      }),
      withShared: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the projects that are shared with the group are listed, too.',
      }),
    },
    resolve: (group, { includeSubgroups, withShared, ...args }, context, info) => {
      const which = { own: includeSubgroups ? 'all' : 'direct', shared: withShared } as const;
      return pageBelow('Project', group, args, context, info, (_context, groups, page, selection) =>
        listGroupProjects(context, groups, which, projectList(args), page, selection),
      );
    },
  }),
  sharedProjects: t.field({
    type: ProjectConnection,
    description: 'The projects from other namespaces that are shared with the group and that the caller can see.',
    args: projectArgs,
    resolve: (group, args, context, info) =>
      pageBelow('Project', group, args, context, info, (_context, groups, page, selection) =>
        listGroupProjects(context, groups, SHARED, projectList(args), page, selection),
      ),
  }),
  allProjects: t.field({
    type: [Project],
    description: 'All projects directly in the group, newest first, without pages.',
    ...deprecated('Use `projects`.', '0.3.0', '0.5.0'),
    resolve: (group, _args, context, info) => allProjects(context, info, group, { own: 'direct' }),
  }),
  allSharedProjects: t.field({
    type: [Project],
    description: 'All projects shared with the group, newest first, without pages.',
    ...deprecated('Use `sharedProjects`.', '0.3.0', '0.5.0'),
    resolve: (group, _args, context, info) => allProjects(context, info, group, SHARED),
  }),
}));

/** All projects of a group, batched for the groups of a list. */
async function allProjects(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  group: GroupRow,
  which: GroupProjects,
): Promise<ProjectRow[]> {
  const { page, list } = ALL_PROJECTS;
  const selection = selectionAt(info, 'Project');
  const load = (groups: readonly GroupRow[]) => listGroupProjects(context, groups, which, list, page, selection);
  return (await loadBelow(context, info, { page, selection }, group, load)).nodes;
}
