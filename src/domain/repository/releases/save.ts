import type { Context } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { tagRefusals } from '#src/domain/repository/protections/of_tags.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { insertRelease, type ReleaseValues } from '#src/domain/repository/tags/insert_release.ts';
import {
  checkRelease,
  linkColumns,
  MAX_LINKS,
  MAX_MILESTONES,
  type NewReleaseLink,
} from '#src/domain/repository/tags/release_values.ts';
import { writableProject } from '#src/domain/repository/write.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { AlreadyExists, BadRequest, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** The milestones of a release: by titles or by IDs, not both. */
interface MilestoneChoice {
  milestones?: readonly string[] | null | undefined;
  milestoneIds?: readonly number[] | null | undefined;
}

export interface NewRelease extends MilestoneChoice, Omit<ReleaseValues, 'milestoneIds' | 'links'> {
  /** Where the tag begins if it does not exist: a branch, tag or hash. */
  ref?: string | null | undefined;
  /** Makes it an annotated tag if it does not exist. */
  tagMessage?: string | null | undefined;
  links?: readonly NewReleaseLink[] | null | undefined;
}

export interface ReleaseChanges extends MilestoneChoice {
  /** Null or blank: as the tag. */
  name?: string | null | undefined;
  description?: string | null | undefined;
  releasedAt?: Date | null | undefined;
}

/** A saved release, to be read back. */
export interface SavedRelease {
  project: ProjectRow;
  tag: string;
}

/**
 * Creates the release of a tag, and first the tag from `ref` if it does not exist, as `createTag` does, in one transaction with it.
 *
 * @throws NotFound (of `Tag` if that is missing and there is no `ref`), Forbidden, Conflict, BadRequest, ValidationFailed
 */
export async function createRelease(context: Context, ref: IdOrPath, input: NewRelease): Promise<SavedRelease> {
  const { tag, links } = input;
  const { actor, project } = await releasable(context, ref, tag);
  const where = { projectId: project.id, tag: tag.toWellFormed() };
  if (!tag.includes('\0') && (await context.db.release.count({ where })) > 0) throw taken(tag);
  const milestoneIds = (await milestonesOf(context.db, project.id, input)) ?? [];
  checkRelease(input);
  const values = { ...input, milestoneIds, links: checkedLinks(links ?? []) };
  let id: number | null = null;
  const insert = async (tx: Transaction) => {
    id = await insertRelease(tx, context, { actor, project }, values);
  };
  try {
    if (!(await hasTag(context, project, tag))) {
      if (!input.ref) throw new NotFound('Tag', 'Tag does not exist');
      const created = { name: tag, target: input.ref, message: input.tagMessage };
      const isMade = await createTag(context, ref, created, { also: insert }).then(
        () => true,
        async (error) => {
          // Somebody else has created the tag meanwhile: it is released nevertheless.
          if (error instanceof BadRequest && (await hasTag(context, project, tag))) return false;
          throw error;
        },
      );
      // A tag is made although it could not be recorded at once, as when another process was first: the release is not there then.
      if (isMade && id !== null && (await context.db.release.count({ where: { id } })) > 0) return { project, tag };
    }
    await context.db.$transaction(insert);
  } catch (error) {
    throw violates(error) ? taken(tag) : error;
  }
  return { project, tag };
}

/** Changes a release: what is left out stays as it is. Throws NotFound, Forbidden, BadRequest, ValidationFailed. */
export async function updateRelease(
  context: Context,
  ref: IdOrPath,
  tag: string,
  changes: ReleaseChanges,
): Promise<SavedRelease> {
  const { project } = await releasable(context, ref, tag);
  const { name, description, releasedAt } = changes;
  const id = await releaseId(context, project, tag);
  const milestoneIds = await milestonesOf(context.db, project.id, changes);
  checkRelease(changes);
  await context.db.$transaction(async (tx) => {
    const data = {
      ...(name !== undefined && { name: name?.trim() || null }),
      ...(description != null && { description }),
      ...(releasedAt != null && { releasedAt }),
      updatedAt: new Date(),
    };
    const { count } = await tx.release.updateMany({ where: { id }, data });
    if (count === 0) throw missing();
    if (milestoneIds) {
      await tx.releaseMilestone.deleteMany({ where: { releaseId: id } });
      const rows = milestoneIds.map((milestoneId) => ({ releaseId: id, milestoneId }));
      await tx.releaseMilestone.createMany({ data: rows });
    }
    await recordChange(tx, context, { type: 'releaseChanged', project, release: { id }, action: 'update' });
  });
  return { project, tag };
}

/**
 * Deletes a release; its tag stays. What it was is read before, with `read`. Throws NotFound, Forbidden.
 */
export async function deleteRelease<R>(
  context: Context,
  ref: IdOrPath,
  tag: string,
  read: (project: ProjectRow) => Promise<R>,
): Promise<R> {
  const { project } = await releasable(context, ref, tag);
  const id = await releaseId(context, project, tag);
  const before = await read(project);
  await context.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM releases WHERE id = ${id} FOR UPDATE`;
    await recordChange(tx, context, { type: 'releaseChanged', project, release: { id }, action: 'delete' });
    const { count } = await tx.release.deleteMany({ where: { id } });
    if (count === 0) throw missing();
  });
  return before;
}

/** The project and the ID of a release that the actor may change. Throws NotFound, Forbidden. */
export async function changeableRelease(context: Context, ref: IdOrPath, tag: string) {
  const { project } = await releasable(context, ref, tag);
  return { project, id: await releaseId(context, project, tag) };
}

/** The project, if the actor may release the tag: a protected one takes the right to create it. Throws NotFound, Forbidden. */
async function releasable(context: Context, ref: IdOrPath, tag: string) {
  const found = await writableProject(context, ref);
  const refusal = (await tagRefusals(context.db, found.actor, found.project))(tag, 'create');
  if (refusal !== null) throw new Forbidden(refusal, 'tagProtected');
  return found;
}

async function releaseId(context: Context, project: ProjectRow, tag: string): Promise<number> {
  const where = { projectId: project.id, tag };
  const found = tag.includes('\0') ? null : await context.db.release.findFirst({ where, select: { id: true } });
  if (found) return found.id;
  throw (await hasTag(context, project, tag)) ? missing() : new NotFound('Tag', 'Tag does not exist');
}

function missing(): NotFound {
  return new NotFound('Release', 'Release does not exist');
}

function taken(tag: string): AlreadyExists {
  return new AlreadyExists('Release already exists', { type: 'Release', name: tag }, 'tag');
}

async function hasTag(context: Context, project: ProjectRow, name: string): Promise<boolean> {
  return ((await (await context.repositories.open(project))?.tag(name)) ?? null) !== null;
}

/** The links of a new release, of which none is like another. Throws ValidationFailed, BadRequest. */
function checkedLinks(links: readonly NewReleaseLink[]): readonly NewReleaseLink[] {
  if (links.length > MAX_LINKS) throw new BadRequest(`links has too many entries (maximum is ${MAX_LINKS})`, 'links');
  const seen = { name: new Set(), url: new Set(), filepath: new Set() };
  for (const link of links) {
    const { name, url, directAssetPath } = linkColumns(link);
    for (const [field, value] of Object.entries({ name, url, filepath: directAssetPath })) {
      const values = seen[field as keyof typeof seen];
      if (value != null && values.has(value)) throw new ValidationFailed({ [field]: ['has already been taken'] });
      values.add(value);
    }
  }
  return links;
}

/** The IDs of the milestones of the project that are chosen; null if none are given. Throws BadRequest. */
async function milestonesOf(
  db: Context['db'],
  projectId: number,
  { milestones, milestoneIds }: MilestoneChoice,
): Promise<number[] | null> {
  if (milestones == null && milestoneIds == null) return null;
  if (milestones != null && milestoneIds != null) {
    throw new BadRequest('milestones, milestone_ids are mutually exclusive', 'milestones');
  }
  const titles = [...new Set(milestones?.filter((title) => title !== '' && !title.includes('\0')))];
  const ids = [...new Set(milestoneIds)];
  if (titles.length + ids.length > MAX_MILESTONES) {
    throw new BadRequest(`milestones has too many entries (maximum is ${MAX_MILESTONES})`, 'milestones');
  }
  const which = milestones == null ? { id: { in: ids } } : { title: { in: titles } };
  const found = await db.milestone.findMany({ where: { projectId, ...which }, select: { id: true, title: true } });
  const lost =
    milestones == null
      ? ids.filter((id) => !found.some((one) => one.id === id))
      : titles.filter((title) => !found.some((one) => one.title === title));
  if (lost.length > 0) {
    const what = milestones == null ? 'Milestone id(s)' : 'Milestone(s)';
    throw new BadRequest(`${what} not found: ${lost.join(', ')}`, 'milestones', 'milestonesMissing');
  }
  return found.map(({ id }) => id);
}
