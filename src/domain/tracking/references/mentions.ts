import type { Seer } from '#src/access/permissions/visibility.ts';
import type { Source } from '#src/domain/changes/change.ts';
import { type NamedRecord, resolveRecords } from '#src/domain/tracking/references/resolve.ts';
import { recordNames } from '#src/domain/tracking/references/scan.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Whether texts may name users or records, such as `@ann`, `#4`, `!2` or a commit: a cheap test without false negatives. */
export function mayMention(...texts: (string | null)[]): boolean {
  return texts.some((text) => text !== null && /[@#!]|[0-9a-f]{7}|issues\/|merge_requests\//i.test(text));
}

/**
 * Writes a system note on each issue and merge request that a text mentions, as far as its author can see them: one per source,
 * however often it mentions them.
 *
 * @param except records for which another note says so
 */
export async function recordMentions(
  tx: Transaction,
  author: { id: number },
  source: Source,
  text: string | null,
  except: readonly NamedRecord[] = [],
): Promise<void> {
  const names = text === null ? [] : recordNames(text);
  if (names.length === 0) return;
  const seer = await seerOf(tx, author.id);
  const targets = seer ? await resolveRecords(tx, seer, source.project.fullPath, names) : [];
  const others = targets.filter(
    (target) => !isItself(source, target) && !except.some(({ type, id }) => type === target.type && id === target.id),
  );
  await tx.note.createMany({
    data: others.map(({ type, id, projectId }) => ({
      subjectType: type,
      subjectId: id,
      authorId: author.id,
      system: true,
      body: `mentioned in ${sourceName(source, projectId)}`,
      ...sourceColumns(source),
      mention: sourceKey(source),
    })),
    skipDuplicates: true,
  });
}

/** The source as texts in a project name it: `issue #4`, `merge request group/project!2`, `commit 1a2b…`. */
export function sourceName(source: Source, inProject: number): string {
  const { project, type } = source;
  const place = project.id === inProject ? '' : project.fullPath;
  if (type === 'Commit') return `commit ${place === '' ? '' : `${place}@`}${source.sha}`;
  return type === 'Issue' ? `issue ${place}#${source.iid}` : `merge request ${place}!${source.iid}`;
}

/** The columns that decide who sees a note from the source. */
export function sourceColumns(source: Source) {
  const sourceId = source.type === 'Commit' ? null : source.id;
  return { sourceType: source.type, sourceId, sourceProjectId: source.project.id };
}

/** The key by which a source has its effects only once. */
export function sourceKey(source: Source): string {
  return source.type === 'Commit' ? `Commit ${source.project.id} ${source.sha}` : `${source.type} ${source.id}`;
}

function isItself(source: Source, { type, id }: NamedRecord): boolean {
  return source.type === type && source.id === id;
}

/** The visibility facts of an author; null if they are gone or blocked. */
export async function seerOf(tx: Pick<Transaction, 'user'>, id: number): Promise<Seer | null> {
  return tx.user.findFirst({ where: { id, state: 'active' }, select: { id: true, admin: true, external: true } });
}
