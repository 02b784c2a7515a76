import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findProjectsByIds, type ProjectRow } from '#src/domain/projects/find.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The project of a record, batched for the records of a list; null if the caller may not see it. */
export async function projectOf(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  id: number | null,
): Promise<ProjectRow | null> {
  if (id === null) return null;
  const selection = selectionAt(info, 'Project');
  return loaderAt(context, info, selection, async (ids: readonly number[]) => {
    const found = new Map((await findProjectsByIds(context, ids, selection)).map((project) => [project.id, project]));
    return ids.map((one) => found.get(one) ?? null);
  }).load(id);
}

/** The project of a record that always has one. Throws NotFound. */
export async function requireProject(
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  id: number,
): Promise<ProjectRow> {
  const project = await projectOf(context, info, id);
  if (!project) throw new NotFound('Project');
  return project;
}

/**
 * The fields of a record’s project on which permissions depend (PROJECT_BASE): one statement for all records of a list, none if the
 * project has been read already. Throws NotFound.
 */
export async function requireProjectBase({ loaders }: GraphQLContext, id: number): Promise<ProjectRow> {
  const project = await loaders.project.load(id);
  if (!project) throw new NotFound('Project');
  return project;
}
