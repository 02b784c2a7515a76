import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { languageOf } from '#src/domain/repository/languages/of_file.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { rootFiles } from '#src/domain/repository/root_files.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Counts the languages of a project, and finds its readme and license, after its default branch has changed. */
    'repositories.languages': { projectId: number };
  }
}

/** A programming or markup language of a project. */
export interface Language {
  name: string;
  /** In percent of the bytes of all languages, with two decimals. */
  share: number;
}

/** Files of a large tree that are looked at: its first ones. */
const MAX_FILES = 50_000;
/** Languages that are kept of a project: those of the most bytes. */
const MAX_LANGUAGES = 100;

/**
 * The languages of the files on the default branch, the largest first; none for an empty repository. Throws Forbidden,
 * Unauthenticated.
 */
export async function projectLanguages(context: Context, project: ProjectRow): Promise<Language[]> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project);
  if (!revision) return [];
  return shares(await languagesAt(context.db, project.id, revision.repository, revision.oid));
}

/** The first one of what is kept of a project; null without any. */
export function mainLanguage(kept: string | null): string | null {
  const counted: Counted = kept === null ? [] : JSON.parse(kept);
  return counted.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** Counts the languages of a project in advance, and finds its readme and license. Does nothing if that is known already. */
export async function countLanguages(
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  projectId: number,
): Promise<void> {
  const project = await findPushedProject(db, projectId);
  const repository = project && (await repositories.open(project));
  const branch = project?.defaultBranch ?? (await repository?.defaultBranch());
  const tip = branch ? await repository?.branch(branch) : null;
  if (repository && tip) await languagesAt(db, projectId, repository, tip.commit);
}

/** Bytes of the files of each language, the largest first. */
export type Counted = [name: string, bytes: number][];

/** What is kept for the tip, or is counted now and then kept. */
async function languagesAt(db: Db, projectId: number, repository: RepositoryReader, tip: Oid): Promise<Counted> {
  const kept = await db.languageCount.findUnique({ where: { projectId }, select: { tip: true, languages: true } });
  if (kept?.tip === tip) return JSON.parse(kept.languages);
  const counted = await countAt(repository, tip);
  const languages = JSON.stringify(counted);
  const names = counted.map(([name]) => name.toLowerCase());
  const { readme, licenseFile, licenseKey } = await rootFiles(repository, tip);
  await db.$executeRaw`
    INSERT INTO language_counts (project_id, tip, names, languages, readme, license_file, license_key)
    SELECT id, ${tip}, ${names}::text[], ${languages}, ${readme}, ${licenseFile}, ${licenseKey}
      FROM projects WHERE id = ${projectId} AND deleted_at IS NULL
    ON CONFLICT (project_id) DO UPDATE SET tip = EXCLUDED.tip, names = EXCLUDED.names, languages = EXCLUDED.languages,
      readme = EXCLUDED.readme, license_file = EXCLUDED.license_file, license_key = EXCLUDED.license_key`;
  return counted;
}

/** Counts the languages of the first files of a commit. */
export async function countAt(repository: RepositoryReader, tip: Oid): Promise<Counted> {
  const counts = await repository.measureTree(tip);
  if (!counts) return [];
  // Directories come first in a listing.
  const listing = { recursive: true, offset: counts.tree, limit: Math.min(counts.blob, MAX_FILES) };
  const files = (await repository.treePage(tip, '', listing))?.entries ?? [];
  const counted: { language: string; oid: Oid }[] = [];
  for (const { path, mode, oid } of files) {
    const language = isPlain(mode) ? languageOf(path) : null;
    if (language !== null) counted.push({ language, oid });
    await yieldToEventLoop();
  }
  const sizes = await repository.blobSizes([...new Set(counted.map(({ oid }) => oid))]);
  const bytes = new Map<string, number>();
  for (const { language, oid } of counted) bytes.set(language, (bytes.get(language) ?? 0) + (sizes.get(oid) ?? 0));
  return [...bytes]
    .filter(([, size]) => size > 0)
    .sort(([a, most], [b, other]) => other - most || (a < b ? -1 : 1))
    .slice(0, MAX_LANGUAGES);
}

/** Whether it is a file, and no symbolic link. */
function isPlain(mode: string): boolean {
  return mode.startsWith('100');
}

/** The shares of all of them. */
export function shares(counted: Counted): Language[] {
  const total = counted.reduce((sum, [, bytes]) => sum + bytes, 0);
  return counted.map(([name, bytes]) => ({ name, share: Math.round((bytes / total) * 10_000) / 100 }));
}
