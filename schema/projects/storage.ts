import { builder } from '#schema/builder.ts';
import { Project } from '#schema/projects/types.ts';
import { requireAdmin } from '#src/access/permissions/actor.ts';

const ProjectStorage = builder.objectRef<{ name: string; diskPath: string }>('ProjectStorage').implement({
  description: 'Where the repository of a project lies.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'The storage that the repository lies in, as the settings of the server name it.',
    }),
    diskPath: t.exposeString('diskPath', { description: 'Path of the repository in that storage, without `.git`.' }),
  }),
});

builder.objectFields(Project, (t) => ({
  storage: t.field({
    type: ProjectStorage,
    nullable: true,
    description: 'Where the repository of the project lies. For administrators.',
    resolve: ({ id, repositoryStorage: name }, _args, context) => {
      requireAdmin(context);
      return { name, diskPath: context.repositories.pathInStorage({ id, repositoryStorage: name }) };
    },
  }),
}));
