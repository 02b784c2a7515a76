import { authorize, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { closestVisibility, visibilityErrors } from '#src/access/permissions/visibility_levels.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { insertProject } from '#src/domain/lifecycle/create_project.ts';
import { type NamespaceRef, namespaceIdOf } from '#src/domain/namespaces/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type Home, holdHome, permittedHome, personalHome } from '#src/domain/projects/home.ts';
import { takenIn } from '#src/domain/projects/taken.ts';
import { SWITCHES, textErrors } from '#src/domain/projects/values.ts';
import { isImporting } from '#src/domain/repository/writable.ts';
import { shareLfsObjects } from '#src/domain/uploads/lfs/objects.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { AlreadyExists, NotFound, ValidationFailed, WrongState } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What a fork has instead of what its source has. */
export interface ForkValues {
  name?: string | null | undefined;
  path?: string | null | undefined;
  description?: string | null | undefined;
  /** No wider than source, namespace and settings allow. */
  visibility?: Visibility | null | undefined;
}

/**
 * Forks a project into a namespace: the actor's own, or the one given by ID, full path, path or name. A job copies the
 * repository.
 * The visibility is the widest that source, namespace and settings allow, unless it is given. Throws NotFound for either, Forbidden,
 * LimitReached, ValidationFailed, Conflict.
 */
export async function forkProject(
  context: Context,
  ref: IdOrPath,
  namespace: NamespaceRef | null,
  values: ForkValues = {},
): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref, COPIED);
  authorize(actor, 'fork_project', project);
  if (isImporting(project)) throw new WrongState('The project cannot be forked before its import is finished');
  const home = namespace === null ? await personalHome(context, actor.id) : await findTarget(context, actor, namespace);
  if (!home) throw new NotFound('Target Namespace');
  const settings = await currentSettings(context.db);
  const name = values.name?.trim() ?? project.name;
  const path = values.path ?? project.path;
  const description = values.description === undefined ? project.description : values.description;
  const texts = textErrors({
    name: name === project.name ? undefined : name,
    path: path === project.path ? undefined : path,
    description,
  });
  if (Object.keys(texts).length > 0) throw new ValidationFailed(texts);
  try {
    const id = await context.db.$transaction(async (tx) => {
      const held = await holdHome(tx, home);
      if (!held) throw new NotFound('Target Namespace');
      const source = await holdSource(tx, project.id);
      const bounds = { group: held.visibility, source };
      const visibility = values.visibility ?? closestVisibility(actor, settings, source, bounds);
      const wrong = visibilityErrors(actor, settings, visibility, bounds);
      if (wrong.length > 0) throw new ValidationFailed({ visibility_level: wrong });
      const forkId = await insertProject(tx, context, held, actor.id, {
        ...copied(project),
        name,
        path,
        description,
        visibility,
      });
      await tx.repositoryCopy.create({ data: { projectId: forkId, sourceId: project.id } });
      await shareLfsObjects(tx, { sourceId: project.id, forkId });
      await context.jobs.enqueue(tx, 'projects.fork', { projectId: forkId });
      return forkId;
    });
    return await findProject(context, id);
  } catch (error) {
    const taken = await takenIn(context.db, error, { namespaceId: home.id, name, path });
    throw taken
      ? new AlreadyExists('Name or path has already been taken', taken.existing, undefined, taken.fields)
      : error;
  }
}

/** The first of the matching namespaces in which the actor may create projects: by ID before full path, path and name. */
async function findTarget(context: Context, actor: Actor, ref: NamespaceRef): Promise<Home | null> {
  if (typeof ref === 'object') return permittedHome(context, actor, await namespaceIdOf(context, ref));
  const wanted = String(ref);
  const id = /^\d{1,9}$/.test(wanted) ? Number(wanted) : 0;
  const candidates = await context.db.$queryRaw<{ id: number }[]>`
    SELECT id FROM namespaces WHERE deleted_at IS NULL AND (id = ${id} OR lower(full_path) = lower(${wanted})
      OR lower(path) = lower(${wanted}) OR lower(name) = lower(${wanted}))
    ORDER BY id = ${id} DESC, lower(full_path) = lower(${wanted}) DESC, lower(path) = lower(${wanted}) DESC, id LIMIT 20`;
  for (const candidate of candidates) {
    const home = await permittedHome(context, actor, candidate.id);
    if (home) return home;
  }
  return null;
}

/** Locks the source until the transaction ends, and returns its visibility. Throws NotFound. */
export async function holdSource(tx: Transaction, id: number): Promise<Visibility> {
  const [source] = await tx.$queryRaw<{ visibility: Visibility }[]>`
    SELECT visibility::text AS visibility FROM projects WHERE id = ${id} AND deleted_at IS NULL FOR SHARE`;
  if (!source) throw new NotFound('Project');
  return source.visibility;
}

/** What a fork copies besides the columns that are always loaded. */
const COPIED = select('Project', {
  tagList: true,
  sharedRunnersEnabled: true,
  groupRunnersEnabled: true,
  ciDefaultGitDepth: true,
  lfsEnabled: true,
  onlyAllowMergeIfPipelineSucceeds: true,
  onlyAllowMergeIfAllDiscussionsAreResolved: true,
  removeSourceBranchAfterMerge: true,
  autocloseReferencedIssues: true,
  allowMergeOnSkippedPipeline: true,
  autoCancelPendingPipelines: true,
  ciSeparatedCaches: true,
  mergeMethod: true,
  squashOption: true,
  mergeCommitTemplate: true,
  squashCommitTemplate: true,
});

/** People write to the service desk of the source, and not to that of a fork. */
const INHERITED = SWITCHES.filter((switched) => switched !== 'serviceDeskEnabled');

function copied(project: ProjectRow & typeof COPIED.row) {
  const { id, defaultBranch, tagList, ciDefaultGitDepth } = project;
  const switches = Object.fromEntries(INHERITED.map((switched) => [switched, project[switched]]));
  const { mergeMethod, squashOption, mergeCommitTemplate, squashCommitTemplate, ciConfigPath } = project;
  const merging = { mergeMethod, squashOption, mergeCommitTemplate, squashCommitTemplate, ciConfigPath };
  return {
    ...switches,
    membersOnly: project.membersOnly,
    ...merging,
    defaultBranch,
    tagList,
    ciDefaultGitDepth,
    forkedFromId: id,
  };
}
