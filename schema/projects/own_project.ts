import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';

/** The field `project` of records that always have a project, for use with their `projectId`. */
export const ownProject = {
  type: Project,
  description: 'The project that the record belongs to.',
  select: { projectId: true },
  resolve: ({ projectId }: { projectId: number }, _args: object, context: GraphQLContext, info: GraphQLResolveInfo) =>
    requireProject(context, info, projectId),
} as const;
