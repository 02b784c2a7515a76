import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import {
  listTagProtections,
  protectionsOfTag,
  type TagProtectionRow,
} from '#src/domain/repository/protections/of_tags.ts';
import { soundCommits } from '#src/domain/repository/sound.ts';
import { byVersion } from '#src/domain/repository/tags/by_version.ts';
import { NO_OBJECT, type Oid, type Signature, type Tag } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { named, type Page, type PageRequest, pageByName } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage } from '#src/platform/records/read.ts';
import { select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** A tag with its commit. */
export interface TagRow {
  projectId: number;
  name: string;
  /** The annotation; null for lightweight tags. */
  message: string | null;
  target: Oid;
  /** Who made an annotated tag, and when; null for lightweight ones, and those without. */
  tagger: Signature | null;
  protected: boolean;
  /** Null if the tag does not point to a readable commit. */
  commit: CommitRow | null;
}

/** What tags are sorted by: names, when they were made or their commits were, or the versions that their names say. */
export type TagOrder = 'name' | 'updated' | 'version';

/** How tags are sorted: by name in descending order when absent. */
export interface TagSorting {
  orderBy?: TagOrder | null | undefined;
  sort?: 'asc' | 'desc' | null | undefined;
}

/** The tags of a project, like `listBranches`. Throws Forbidden, Unauthenticated. */
export async function listTags(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
  search?: string | null,
  sorting: TagSorting = {},
): Promise<Page<TagRow>> {
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  const found = named((await repository?.tags()) ?? [], search);
  const tags = repository === null ? found : await sorted(context, project, repository, found, sorting);
  return pageByName(tags, page, async (part) => (repository ? tagRows(context, project, repository, part) : []));
}

async function sorted(
  context: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  tags: readonly Tag[],
  { orderBy, sort }: TagSorting,
): Promise<readonly Tag[]> {
  if (orderBy === 'version') {
    const rising = await byVersion(tags.toReversed());
    return sort === 'asc' ? rising : rising.toReversed();
  }
  if (orderBy !== 'updated') return sort === 'asc' ? tags.toReversed() : tags;
  const sign = sort === 'asc' ? 1 : -1;
  const commits = await withEffort(context, () => commitsOf(context, project, repository, [...tags]));
  const timeOf = ({ annotation, commit }: Tag) =>
    (annotation?.tagger ?? (commit === null ? null : commits.get(commit)?.committer))?.seconds ?? 0;
  return tags.toSorted((one, other) => sign * (timeOf(one) - timeOf(other)));
}

const release = alias('Release', 'r');
const NEWEST_FIRST = order('Release', ['createdAt', 'id'], 'desc');
const RELEASED = select('Release', { tag: true, createdAt: true });

/** The tags of a project that have release notes, the newest notes first. Throws Forbidden, Unauthenticated. */
export async function listReleasedTags(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
): Promise<Page<TagRow>> {
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  const tags = new Map(((await repository?.tags()) ?? []).map((tag) => [tag.name, tag]));
  if (!repository || tags.size === 0) return { nodes: [], offset: page.offset, total: 0 };
  const where = sql`${release.projectId} = ${project.id}`;
  const found = await readPage(context.db, RELEASED, { rows: release, where, order: NEWEST_FIRST }, page);
  const shown = found.nodes.flatMap(({ tag }) => tags.get(tag) ?? []);
  const [commits, protections] = await Promise.all([
    commitsOf(context, project, repository, shown),
    listTagProtections(context.db, project.id),
  ]);
  const nodes = found.nodes.map(({ tag }) => tagRow(project, tags.get(tag) ?? { name: tag }, commits, protections));
  return { ...found, nodes };
}

/** One tag. Throws NotFound, Forbidden, Unauthenticated. */
export async function findTag(context: Context, project: ProjectRow, name: string): Promise<TagRow> {
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  const tag = await repository?.tag(name);
  const [row] = repository && tag ? await tagRows(context, project, repository, [tag]) : [];
  if (!row) throw new NotFound('Tag');
  return row;
}

async function tagRows(
  context: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  tags: Tag[],
): Promise<TagRow[]> {
  if (tags.length === 0) return [];
  const [commits, protections] = await Promise.all([
    commitsOf(context, project, repository, tags),
    listTagProtections(context.db, project.id),
  ]);
  return tags.map((tag) => tagRow(project, tag, commits, protections));
}

/** The commits of tags by their hashes, as far as they are readable. */
async function commitsOf(
  { repositories }: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  tags: Tag[],
): Promise<Map<Oid, CommitRow>> {
  const tips = tags.flatMap(({ name, commit }) => (commit === null ? [] : { ref: `refs/tags/${name}`, commit }));
  const commits = await soundCommits({ repositories }, project, repository, tips);
  return new Map(commits.flatMap((commit) => (commit ? [[commit.oid, commit] as const] : [])));
}

function tagRow(
  { id: projectId }: ProjectRow,
  { name, target, commit, annotation }: Pick<Tag, 'name'> & Partial<Tag>,
  commits: ReadonlyMap<Oid, CommitRow>,
  protections: readonly TagProtectionRow[],
): TagRow {
  return {
    projectId,
    name,
    message: annotation?.message.replace(/\n$/, '') ?? null,
    target: target ?? NO_OBJECT,
    tagger: annotation?.tagger ?? null,
    protected: protectionsOfTag(protections, name).length > 0,
    commit: commit ? (commits.get(commit) ?? null) : null,
  };
}
