import { can, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { actorFor, type Context, reachesApi } from '#src/access/permissions/actor.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import { splitsOf } from '#src/domain/container_registry/names.ts';
import { requireUnprotectedRepository } from '#src/domain/container_registry/repository_rules.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { actorWithin } from '#src/domain/projects/job_token_scope.ts';
import { Forbidden, LimitReached, NotFound, Unauthenticated } from '#src/platform/errors.ts';

/** What a client does with images. */
export type ImageAction = 'pull' | 'push' | 'delete';

const ABILITIES: Record<ImageAction, ProjectAbility> = {
  pull: 'read_container_image',
  push: 'push_container_image',
  delete: 'delete_container_image',
};

/** A name in the registry: the project that it belongs to, and what stands behind its path. */
export interface ImageName {
  project: ProjectRow;
  name: string;
}

/** A repository of images. */
export interface ImageRepository extends ImageName {
  id: number;
}

/** How many repositories a project has at most. */
const MAX_REPOSITORIES = 1_000;

/**
 * The project of a name, if the actor may do this with its images. What the actor cannot see is unknown. Throws RegistryError,
 * Unauthenticated, Forbidden.
 */
export async function openName(context: Context, name: string, action: ImageAction): Promise<ImageName> {
  const actor = actorFor(context.actor, action === 'pull' ? 'pull_image' : 'push_image');
  if (actor && !reachesApi(actor)) throw new Forbidden('The scopes of the access token do not allow this.');
  const found = await projectNamed({ ...context, actor }, name);
  const within = found && (await actorWithin(context.db, actor, found.project));
  if (found && can(within, ABILITIES[action], found.project)) {
    const doer = { actor: within, project: found.project };
    if (action !== 'pull') await requireUnprotectedRepository(context.db, doer, action, found.name);
    return found;
  }
  if (!context.actor) throw new Unauthenticated();
  if (!found) throw new RegistryError('NAME_UNKNOWN', 'There is no such repository, or you may not see it', { name });
  throw new Forbidden();
}

/** Which of these actions the actor may do with the images of a name; none for what it cannot see. */
export async function allowedActions(
  context: Context,
  name: string,
  wanted: readonly ImageAction[],
): Promise<ImageAction[]> {
  const allowed: ImageAction[] = [];
  for (const action of wanted) {
    if (await openName(context, name, action).then(() => true, refused)) allowed.push(action);
  }
  return allowed;
}

function refused(error: unknown): false {
  if (error instanceof RegistryError || error instanceof Unauthenticated || error instanceof Forbidden) return false;
  throw error;
}

async function projectNamed(context: Context, name: string): Promise<ImageName | null> {
  const splits = splitsOf(name);
  // Of these at most one is a project, as no project has the path of a namespace.
  const [found] = await context.db.$queryRaw<{ id: number; name: string }[]>`
    SELECT p.id, w.name FROM unnest(${splits.map(({ around }) => around)}::text[], ${splits.map(({ own }) => own)}::text[],
        ${splits.map((split) => split.name)}::text[]) AS w (around, own, name)
      JOIN namespaces n ON lower(n.full_path) = w.around AND n.deleted_at IS NULL
      JOIN projects p ON p.namespace_id = n.id AND lower(p.path) = w.own AND p.deleted_at IS NULL
    ORDER BY length(w.name) LIMIT 1`;
  if (!found) return null;
  try {
    return { project: await findProject(context, found.id), name: found.name };
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

/** The repository of a name. Throws RegistryError if nothing was ever pushed to it. */
export async function findRepository({ db }: Pick<Context, 'db'>, image: ImageName): Promise<ImageRepository> {
  const key = { projectId: image.project.id, name: image.name };
  const found = await db.containerRepository.findUnique({ where: { projectId_name: key }, select: { id: true } });
  if (!found) throw new RegistryError('NAME_UNKNOWN', 'Nothing was pushed to this repository');
  return { ...image, id: found.id };
}

/** The repository of a name, which is created when it is first pushed to. Throws LimitReached. */
export async function ensureRepository({ db }: Pick<Context, 'db'>, image: ImageName): Promise<ImageRepository> {
  const key = { projectId: image.project.id, name: image.name };
  const where = { projectId_name: key };
  const known = await db.containerRepository.findUnique({ where, select: { id: true } });
  if (known) return { ...image, id: known.id };
  const count = await db.containerRepository.count({ where: { projectId: key.projectId }, take: MAX_REPOSITORIES });
  if (count >= MAX_REPOSITORIES) throw new LimitReached(`a project has at most ${MAX_REPOSITORIES} repositories`);
  await db.containerRepository.createMany({ data: [key], skipDuplicates: true });
  return findRepository({ db }, image);
}
