import { builder } from '#schema/builder.ts';
import { Project } from '#schema/projects/types.ts';
import { findProject } from '#src/projects/find.ts';

builder.queryFields((t) => ({
  project: t.field({
    type: Project,
    description: 'A project that the caller may see.',
    args: { ref: t.arg({ type: 'ProjectRef', required: true, description: 'Which project.' }) },
    resolve: (_root, { ref }, context) => findProject(context, ref),
  }),
}));
