import { builder } from '#schema/builder.ts';
import { Project } from '#schema/projects/types.ts';
import type { ProjectRow } from '#src/projects/find.ts';

export const Repository = builder.objectRef<ProjectRow>('Repository').implement({
  description: 'The git repository of a project: its files and their history.',
  fields: (t) => ({
    projectId: t.exposeInt('id', { description: 'Numeric ID of the project.' }),
  }),
});

builder.objectFields(Project, (t) => ({
  repository: t.field({
    type: Repository,
    description: 'Its files and their history.',
    resolve: (project) => project,
  }),
}));
