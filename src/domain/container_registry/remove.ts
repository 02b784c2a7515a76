import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { deleteTags } from '#src/domain/container_registry/manifests.ts';
import { requireUnprotectedRepository } from '#src/domain/container_registry/repository_rules.ts';
import { lockSize, recountSize } from '#src/domain/container_registry/size.ts';
import {
  deletableTags,
  requireDeletable,
  requireNoOther,
  withoutProtected,
} from '#src/domain/container_registry/tag_protection.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { matchingWhole } from '#src/domain/repository/branches/match_whole.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Deletes the tags of a repository of images that a filter names, as they were when it was asked for. */
    'containers.delete_tags': { repositoryId: number; filter: TagFilter; askedAt: string };
  }
}

/** Which tags of a repository to delete. */
export interface TagFilter {
  /** Patterns that match whole names. */
  nameRegexDelete: string;
  nameRegexKeep: string | null;
  /** How many of those that match stay, the latest pushed ones. */
  keepN: number;
  /** Seconds that a tag must be old. */
  olderThan: number;
}

/** How many seconds must lie between two deletions of many tags of a repository. */
const PAUSE = 60 * 60;
/** How many tags one deletion looks at, and how many it deletes in one statement. */
const MAX_TAGS = 100_000;
const BATCH_SIZE = 1_000;

/** Deletes a repository of images with its tags and manifests. Returns its ID. Throws NotFound, Forbidden. */
export async function deleteContainerRepository(context: Context, ref: IdOrPath, id: number): Promise<number> {
  const project = await deletable(context, ref, id);
  const names = await deletableTags(context.db, { actor: context.actor, project }, { repositoryId: id });
  await context.db.$transaction(async (tx) => {
    await lockSize(tx, project.id);
    await requireNoOther(tx, project.id, { repositoryId: id }, names);
    const { count } = await tx.containerRepository.deleteMany({ where: { id, projectId: project.id } });
    if (count === 0) throw new NotFound('ContainerRepository');
    await recountSize(tx, project.id);
  });
  return id;
}

/** Deletes a tag of a repository of images. Throws NotFound, Forbidden. */
export async function deleteContainerTag(
  context: Context,
  ref: IdOrPath,
  { repositoryId, name }: { repositoryId: number; name: string },
): Promise<void> {
  const project = await deletable(context, ref, repositoryId);
  await requireDeletable(context.db, { actor: context.actor, project }, [name]);
  await context.db.$transaction(async (tx) => {
    await requireRepository(tx, project, repositoryId);
    const count = name.includes('\0') ? 0 : await deleteTags(tx, repositoryId, [name]);
    if (count === 0) throw new NotFound('ContainerTag');
  });
}

/** What a caller may say of which tags to delete. */
export interface TagFilterInput {
  nameRegexDelete: string;
  nameRegexKeep?: string | null | undefined;
  keepN?: number | null | undefined;
  /** As `1h`, `7d` or `1month`. */
  olderThan?: string | null | undefined;
}

/**
 * Has many tags of a repository of images deleted in the background, `latest` never. Throws NotFound, Forbidden, BadRequest, which also
 * says that it was asked for within the last hour.
 */
export async function deleteContainerTags(
  context: Context,
  ref: IdOrPath,
  repositoryId: number,
  input: TagFilterInput,
): Promise<void> {
  const actor = requireActor(context);
  const project = await deletable(context, ref, repositoryId);
  const filter = {
    nameRegexDelete: input.nameRegexDelete,
    nameRegexKeep: input.nameRegexKeep || null,
    keepN: input.keepN ?? 0,
    olderThan: input.olderThan ? secondsOf(input.olderThan) : 0,
  };
  if (filter.keepN < 0) throw new BadRequest('keep_n is invalid', 'keepN', 'valueInvalid');
  // Throws for a pattern that is invalid.
  await matchingTags([], filter, `user ${actor.id}`);
  await context.db.$transaction(async (tx) => {
    await requireRepository(tx, project, repositoryId);
    const due = await tx.$executeRaw`UPDATE container_repositories SET cleaned_at = now()
      WHERE id = ${repositoryId} AND (cleaned_at IS NULL OR cleaned_at < now() - make_interval(secs => ${PAUSE}))`;
    if (due === 0) throw new BadRequest(ONCE_AN_HOUR);
    const askedAt = new Date().toISOString();
    await context.jobs.enqueue(tx, 'containers.delete_tags', { repositoryId, filter, askedAt });
  });
}

const ONCE_AN_HOUR =
  'This request has already been made. You can run this at most once an hour for a given container repository';

async function deletable(context: Context, ref: IdOrPath, id: number): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'delete_container_image', project);
  const found = await context.db.containerRepository.findFirst({ where: { id, projectId: project.id } });
  if (found) await requireUnprotectedRepository(context.db, { actor, project }, 'delete', found.name);
  return project;
}

async function requireRepository(tx: Transaction, { id: projectId }: ProjectRow, id: number): Promise<void> {
  const found = await tx.containerRepository.findFirst({ where: { id, projectId }, select: { id: true } });
  if (!found) throw new NotFound('ContainerRepository');
}

const UNITS: [RegExp, number][] = [
  [/^min(ute)?s?$/, 60],
  [/^h(our)?s?$/, 60 * 60],
  [/^d(ay)?s?$/, 86_400],
  [/^w(eek)?s?$/, 7 * 86_400],
  [/^mon(th)?s?$/, 30 * 86_400],
  [/^y(ear)?s?$/, 365 * 86_400],
];

/** Seconds of an age such as `7d`. Throws BadRequest. */
export function secondsOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,5}) ?([a-z]{1,7})$/.exec(text.trim()) ?? [];
  const seconds = UNITS.find(([pattern]) => pattern.test(unit))?.[1];
  if (count === undefined || seconds === undefined) {
    throw new BadRequest('older_than is invalid', 'olderThan', 'valueInvalid');
  }
  return Number(count) * seconds;
}

interface Tag {
  name: string;
  pushedAt: Date;
}

/** Deletes the tags that a filter names, as they were when it was asked for. */
export async function deleteMatchingTags(
  { db }: Pick<Context, 'db'>,
  { repositoryId, filter, askedAt }: { repositoryId: number; filter: TagFilter; askedAt: string },
): Promise<void> {
  const where = { repositoryId, pushedAt: { lte: new Date(askedAt) } };
  const tags = await db.containerTag.findMany({
    where,
    select: { name: true, pushedAt: true },
    orderBy: [{ pushedAt: 'desc' }, { id: 'desc' }],
    take: MAX_TAGS,
  });
  const matching = await matchingTags(tags, filter, `repository ${repositoryId}`);
  const before = Date.parse(askedAt) - filter.olderThan * 1_000;
  const old = matching.slice(filter.keepN).filter(({ pushedAt }) => pushedAt.getTime() <= before);
  const repository = await db.containerRepository.findUnique({
    where: { id: repositoryId },
    select: { projectId: true },
  });
  if (!repository) return;
  const doomed = await withoutProtected(db, repository.projectId, old);
  for (let at = 0; at < doomed.length; at += BATCH_SIZE) {
    const names = doomed.slice(at, at + BATCH_SIZE).map(({ name }) => name);
    await db.$transaction((tx) => deleteTags(tx, repositoryId, names));
  }
}

/** The tags that match, in their order. Throws BadRequest for a pattern that is invalid. */
async function matchingTags(
  tags: readonly Tag[],
  { nameRegexDelete, nameRegexKeep }: TagFilter,
  caller: string,
): Promise<Tag[]> {
  const matching = await matchingWhole(tags, nameRegexDelete, 'name_regex_delete', caller);
  const kept = nameRegexKeep === null ? [] : await matchingWhole(tags, nameRegexKeep, 'name_regex_keep', caller);
  const isKept = new Set(kept.map(({ name }) => name)).add('latest');
  return matching.filter(({ name }) => !isKept.has(name));
}
