import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { ProjectConnection, projectArgs, projectList } from '#schema/projects/list.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { ACTIVE_PEOPLE, UserConnection } from '#schema/users/types.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { listProjects } from '#src/domain/projects/list.ts';
import { listProjectUsers } from '#src/domain/projects/users.ts';

builder.queryFields((t) => ({
  project: t.field({
    type: Project,
    description: 'A project by numeric ID or full path, if the caller can see it. Also for anonymous callers.',
    args: {
      ref: t.arg({ type: 'ProjectRef', required: true, description: 'Numeric ID or full path of the project.' }),
    },
    resolve: (_root, { ref }, context, info) => findProject(context, ref, selectionAt(info, 'Project')),
  }),
  projects: t.field({
    type: ProjectConnection,
    description: 'All projects of the server that the caller can see. Also for anonymous callers.',
    args: projectArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listProjects(context, projectList(args), page, selectionAt(info, 'Project'))),
  }),
}));

builder.objectFields(Project, (t) => ({
  users: t.field({
    type: UserConnection,
    description: 'Its owner, its members, and the members of its groups and of the groups that it is shared with.',
    args: {
      ...pageArgs,
      search: t.arg.string({
        description:
          'Only users with this text in name or username, or with this whole e-mail address if it is public; administrators also find by parts of any primary address.',
      }),
      activePeople: t.arg.boolean({ description: ACTIVE_PEOPLE }),
    },
    resolve: (project, args, context, info) =>
      loadPage(args, info, (page) => listProjectUsers(context, project, args, page, selectionAt(info, 'User'))),
  }),
}));
