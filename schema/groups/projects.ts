import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { ProjectConnection, projectArgs, projectList } from '#schema/projects/list.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { allGroupProjects, listGroupProjects } from '#src/groups/projects.ts';

builder.objectFields(Group, (t) => ({
  projects: t.field({
    type: ProjectConnection,
    description: 'The projects directly in it that the caller sees.',
    args: projectArgs,
    resolve: (group, args, context, info) =>
      pageBelow('Project', group, args, context, info, (_context, groups, page, selection) =>
        listGroupProjects(context, groups, 'own', projectList(args), page, selection),
      ),
  }),
  sharedProjects: t.field({
    type: ProjectConnection,
    description: 'The projects of others that give its members access, as far as the caller sees them.',
    args: projectArgs,
    resolve: (group, args, context, info) =>
      pageBelow('Project', group, args, context, info, (_context, groups, page, selection) =>
        listGroupProjects(context, groups, 'shared', projectList(args), page, selection),
      ),
  }),
  allProjects: t.field({
    type: [Project],
    description: 'All that `projects` holds, newest first.',
    resolve: (group, _args, context, info) => allGroupProjects(context, group, 'own', selectionAt(info, 'Project')),
  }),
  allSharedProjects: t.field({
    type: [Project],
    description: 'All that `sharedProjects` holds, newest first.',
    resolve: (group, _args, context, info) => allGroupProjects(context, group, 'shared', selectionAt(info, 'Project')),
  }),
}));
