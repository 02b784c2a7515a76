import { type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { projectFormerlyAt } from '#src/domain/namespaces/redirects.ts';
import { namedProject, projectsWithIds } from '#src/domain/projects/named.ts';
import { queryJson } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

/** What is always loaded of a project: what permissions depend on, and its paths. */
export const PROJECT_BASE = {
  id: true,
  name: true,
  path: true,
  fullPath: true,
  namespaceId: true,
  ownerId: true,
  creatorId: true,
  description: true,
  visibility: true,
  accessLevel: true,
  archived: true,
  issuesEnabled: true,
  mergeRequestsEnabled: true,
  wikiEnabled: true,
  jobsEnabled: true,
  snippetsEnabled: true,
  containerRegistryEnabled: true,
  featureFlagsEnabled: true,
  repositoryEnabled: true,
  membersOnly: true,
  publicJobs: true,
  requestAccessEnabled: true,
  defaultBranch: true,
  ciConfigPath: true,
  repositoryStorage: true,
  importStatus: true,
} as const;

const BASE = select('Project', PROJECT_BASE);

/** A project as the actor sees it. */
export type ProjectRow = typeof BASE.row;

/** The project with the selected fields, if visible to the actor. Throws NotFound, with `movedTo` for a moved project. */
export async function findProject<R = unknown>(
  context: Context,
  ref: IdOrPath,
  selection?: Selection<'Project', R>,
): Promise<ProjectRow & R> {
  requireApiScope(context.actor);
  const wanted = selection ? BASE.with(selection) : BASE;
  const [found] = await read(context, ref, wanted);
  if (found) return found as ProjectRow & R;
  const former = typeof ref === 'string' ? await projectFormerlyAt(context.db, ref) : null;
  const [moved] = former === null ? [] : await read(context, former, BASE);
  throw new NotFound('Project', undefined, moved?.fullPath);
}

/** The projects with these IDs that the actor may see, in no particular order: for dataloaders. */
export async function findProjectsByIds<R = unknown>(
  context: Pick<Context, 'db' | 'actor'>,
  ids: readonly number[],
  selection?: Selection<'Project', R>,
): Promise<(ProjectRow & R)[]> {
  requireApiScope(context.actor);
  return queryJson(context.db, projectsWithIds(context.actor, ids, selection ? BASE.with(selection) : BASE));
}

function read<Row>({ db, actor }: Context, ref: IdOrPath, selection: Selection<'Project', Row>): Promise<Row[]> {
  return queryJson(db, namedProject(actor, ref, selection));
}
