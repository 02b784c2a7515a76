import { authorize, can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { allows } from '#src/domain/repository/protections/levels.ts';
import { listProtections, mayPushOrMerge, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { listTagProtections, protectionsOfTag } from '#src/domain/repository/protections/of_tags.ts';
import { Forbidden } from '#src/platform/errors.ts';

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';

/** The ref of a schedule in its parts; null for what is neither a branch nor a tag. */
export function partsOf(ref: string): { name: string; tag: boolean } | null {
  if (ref.startsWith(BRANCHES)) return { name: ref.slice(BRANCHES.length), tag: false };
  return ref.startsWith(TAGS) ? { name: ref.slice(TAGS.length), tag: true } : null;
}

/**
 * The full form of a ref, which may be given in short. Null for one that is not there, `ambiguous` for a short one that is a branch and a
 * tag.
 */
export async function fullRef(
  { repositories }: Context,
  project: ProjectRow,
  ref: string,
): Promise<string | 'ambiguous' | null> {
  const repository = await repositories.open(project);
  if (!repository) return null;
  const given = partsOf(ref);
  const name = given?.name ?? ref;
  const isBranch = !given?.tag && (await repository.branch(name)) !== null;
  const isTag = (given === null || given.tag) && (await repository.tag(name)) !== null;
  if (isBranch && isTag) return 'ambiguous';
  if (isBranch) return BRANCHES + name;
  return isTag ? TAGS + name : null;
}

/** Requires a developer who may push or merge to the branch, or create the tag. Throws Forbidden, Unauthenticated. */
export async function requireSchedulable(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  ref: string,
): Promise<void> {
  authorize(actor, 'create_pipeline', project);
  if (!(await maySchedule(context, actor, project, ref))) throw new Forbidden();
}

/** Whether somebody may have pipelines started for the ref. */
export async function maySchedule(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  project: ProjectRow,
  ref: string,
): Promise<boolean> {
  const parts = partsOf(ref);
  if (parts === null || !can(actor, 'create_pipeline', project)) return false;
  const pusher = { actor, project };
  if (parts.tag) {
    const protections = protectionsOfTag(await listTagProtections(db, project.id), parts.name);
    return (
      protections.length === 0 ||
      allows(
        protections.flatMap(({ levels }) => levels),
        pusher,
      )
    );
  }
  const protection = protectionOf(await listProtections(db, project.id), parts.name);
  return !protection.protected || mayPushOrMerge(protection, pusher);
}

/** Requires the owner of a schedule, or an administrator: it acts on behalf of its owner. Throws Forbidden, Unauthenticated. */
export function requireOwner(actor: Actor, project: ProjectRow, schedule: { ownerId: number | null }): void {
  authorize(actor, 'create_pipeline', project);
  if (!owns(actor, project, schedule)) throw new Forbidden();
}

/** Whether somebody may change a schedule as its owner; administrators may change all. */
export function owns(actor: Actor, project: ProjectRow, { ownerId }: { ownerId: number | null }): boolean {
  return can(actor, 'create_pipeline', project) && (actor.id === ownerId || actor.admin);
}

/** Whether somebody may delete a schedule: its owner and masters may. */
export function mayDeleteSchedule(actor: Actor, project: ProjectRow, { ownerId }: { ownerId: number | null }): boolean {
  return can(actor, ownerId === actor.id ? 'create_pipeline' : 'admin_pipeline_schedule', project);
}
