import type { Context } from '#src/access/permissions/actor.ts';
import { linkObjects, type ObjectLinks, objectsToLink } from '#src/domain/repository/lfs_links.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import type { SideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { Damaged, isLimit } from '#src/git/errors.ts';
import type { Oid } from '#src/git/model.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Gives targets the objects of Git LFS of what servers of earlier versions merged. */
    'merge_requests.link_lfs': Record<string, never>;
  }
}

/** How many merge requests are loaded per statement. */
const AT_ONCE = 200;

/** The objects of Git LFS that become the target's when the merge request is merged; null without any. */
export async function linksOfMerge(
  db: Context['db'],
  { mergeRequest, target, reader, version }: Pick<SideTips, 'mergeRequest' | 'target' | 'reader' | 'version'>,
): Promise<ObjectLinks | null> {
  const { sourceProjectId: sourceId, sha: head } = mergeRequest;
  const before = version?.baseCommitSha ?? version?.startCommitSha;
  if (head === null || before == null) return null;
  return objectsToLink(db, reader, { sourceId, targetId: target.id, head, before });
}

/** Gives targets the objects of what servers of earlier versions merged. What cannot be read is left out. */
export async function linkObjectsOfMerged({ db, repositories }: Pick<Context, 'db' | 'repositories'>): Promise<void> {
  for (let last = 0; ; ) {
    const merged = await db.$queryRaw<{ id: number; sourceId: number; targetId: number; head: Oid; before: Oid }[]>`
      SELECT m.id, m.source_project_id AS "sourceId", m.target_project_id AS "targetId", m.sha AS head,
        COALESCE(v.base_commit_sha, v.start_commit_sha) AS before
      FROM merge_requests m CROSS JOIN LATERAL (SELECT base_commit_sha, start_commit_sha FROM merge_request_versions
        WHERE merge_request_id = m.id ORDER BY id DESC LIMIT 1) v
      WHERE m.id > ${last} AND m.state = 'merged' AND NOT m.lfs_linked AND m.sha IS NOT NULL
        AND m.source_project_id <> m.target_project_id
        AND m.source_project_id IN (SELECT project_id FROM lfs_object_projects)
      ORDER BY m.id LIMIT ${AT_ONCE}`;
    for (const { id, ...commits } of merged) {
      const project = await findPushedProject(db, commits.targetId);
      const reader = project && (await repositories.open(project));
      const links = reader && (await readable(() => objectsToLink(db, reader, commits)));
      await db.$transaction(async (tx) => {
        if (links) await linkObjects(tx, links);
        await tx.mergeRequest.updateMany({ where: { id }, data: { lfsLinked: true } });
      });
    }
    if (merged.length < AT_ONCE) return;
    last = merged.at(-1)?.id ?? last;
  }
}

/** What is read, if it can be. */
async function readable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Damaged || isLimit(error, 'work')) return null;
    throw error;
  }
}
