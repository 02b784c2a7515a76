import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { CommitRow } from '#src/domain/repository/commits/find.ts';
import { soundCommits } from '#src/domain/repository/sound.ts';
import type { Tag } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import { NotFound } from '#src/platform/errors.ts';
import { named, type Page, type PageRequest, pageByName } from '#src/platform/page.ts';
import type { Columns } from '#src/platform/records/model.ts';

/** The release notes of a tag, in Markdown. */
export type ReleaseRow = Pick<Columns['Release'], 'projectId' | 'tag' | 'description'>;

/** A tag with its commit and its release. */
export interface TagRow {
  name: string;
  /** The annotation; null for lightweight tags. */
  message: string | null;
  /** Null if the tag does not point to a readable commit. */
  commit: CommitRow | null;
  release: ReleaseRow | null;
}

/** The tags of a project in descending order of name, like `listBranches`. Throws Forbidden, Unauthenticated. */
export async function listTags(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
  search?: string | null,
): Promise<Page<TagRow>> {
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  const tags = named((await repository?.tags()) ?? [], search);
  return pageByName(tags, page, async (part) => (repository ? tagRows(context, project, repository, part) : []));
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
  { db, repositories }: Context,
  project: ProjectRow,
  repository: RepositoryReader,
  tags: Tag[],
): Promise<TagRow[]> {
  if (tags.length === 0) return [];
  const tips = tags.flatMap(({ name, commit }) => (commit === null ? [] : { ref: `refs/tags/${name}`, commit }));
  const [commits, releases] = await Promise.all([
    soundCommits({ repositories }, project, repository, tips),
    db.release.findMany({
      where: { projectId: project.id, tag: { in: tags.map(({ name }) => name.toWellFormed()) } },
      select: { projectId: true, tag: true, description: true },
    }),
  ]);
  const byOid = new Map(commits.flatMap((commit) => (commit ? [[commit.oid, commit] as const] : [])));
  return tags.map(({ name, commit, annotation }) => ({
    name,
    message: annotation?.message.replace(/\n$/, '') ?? null,
    commit: commit === null ? null : (byOid.get(commit) ?? null),
    release: releases.find(({ tag }) => tag === name) ?? null,
  }));
}
