import { builder } from '#schema/builder.ts';
import { loadPage } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { ProjectConnection, projectArgs, projectOrder } from '#schema/projects/list.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { allGroupProjects, listGroupProjects } from '#src/groups/projects.ts';

builder.objectFields(Group, (t) => ({
  projects: t.field({
    type: ProjectConnection,
    description: 'The projects directly in it that the caller sees.',
    args: projectArgs,
    resolve: (group, args, context, info) =>
      loadPage(args, info, (page) =>
        listGroupProjects(context, group, 'own', args, projectOrder(args), page, selectionAt(info, 'Project')),
      ),
  }),
  sharedProjects: t.field({
    type: ProjectConnection,
    description: 'The projects of others that give its members access, as far as the caller sees them.',
    args: projectArgs,
    resolve: (group, args, context, info) =>
      loadPage(args, info, (page) =>
        listGroupProjects(context, group, 'shared', args, projectOrder(args), page, selectionAt(info, 'Project')),
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
