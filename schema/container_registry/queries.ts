import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { ContainerRepository, ContainerRepositoryConnection } from '#schema/container_registry/types.ts';
import { containerRepositoryFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { containerRepositoryOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import {
  findAnyRepository,
  findContainerRepository,
  listGroupRepositories,
  listRepositories,
} from '#src/domain/container_registry/list.ts';
import { imagePath } from '#src/domain/container_registry/names.ts';

builder.objectFields(Project, (t) => ({
  containerRegistryImagePrefix: t.string({
    description:
      'What the names of all images of the project begin with: host of the registry, and path of the project.',
    resolve: ({ fullPath }, _args, { baseUrl }) => `${new URL(baseUrl).host}/${imagePath(fullPath, '')}`,
  }),
  containerRepositories: t.field({
    type: ContainerRepositoryConnection,
    description:
      'The repositories of images in the project, the first pushed first. For reporters of a private project.',
    args: { ...pageArgs, ...containerRepositoryFilter, ...containerRepositoryOrder('ID', 'asc') },
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('ContainerRepository', project, args, context, info, (_context, projects, page, selection) =>
        listRepositories(context, projects, page, selection),
      );
    },
  }),
  containerRepository: t.field({
    type: ContainerRepository,
    description: 'A repository of images in the project by its ID.',
    args: {
      id: t.arg({ ...idOf('ContainerRepository'), required: true, description: 'Numeric ID of the repository.' }),
    },
    resolve: (project, { id }, context, info) => {
      context.loaders.noteProject(project);
      return findContainerRepository(context, project, id, selectionAt(info, 'ContainerRepository'));
    },
  }),
}));

builder.objectFields(Group, (t) => ({
  containerRepositories: t.field({
    type: ContainerRepositoryConnection,
    description: 'The repositories of images of the projects in the group and its subgroups that the caller may read.',
    args: { ...pageArgs, ...containerRepositoryFilter, ...containerRepositoryOrder('ID', 'asc') },
    resolve: (group, args, context, info) =>
      pageBelow('ContainerRepository', group, args, context, info, (_context, groups, page, selection) =>
        listGroupRepositories(context, groups, page, selection),
      ),
  }),
}));

builder.queryFields((t) => ({
  containerRepository: t.field({
    type: ContainerRepository,
    description: 'A repository of images by its ID, in a project that the caller may pull images of.',
    args: {
      id: t.arg({ ...idOf('ContainerRepository'), required: true, description: 'Numeric ID of the repository.' }),
    },
    resolve: (_root, { id }, context, info) => findAnyRepository(context, id, selectionAt(info, 'ContainerRepository')),
  }),
}));
