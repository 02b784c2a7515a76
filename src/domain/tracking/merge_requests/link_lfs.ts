import type { Context } from '#src/access/permissions/actor.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { ifReadable } from '#src/domain/repository/if_readable.ts';
import { type FoundLinks, linkObjects, NO_LINKS, objectsToLink } from '#src/domain/repository/lfs_links.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import type { SideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { Transaction } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Gives targets the objects of Git LFS that they lack of what was merged: by servers of earlier versions, or very many commits. */
    'merge_requests.link_lfs': Record<string, never>;
  }
}

/** How many merge requests are loaded per statement. */
const BATCH_SIZE = 200;

/** Commits that are looked through before a merge is recorded; the job looks through more. */
const MAX_AWAITED_COMMITS = 1_000;

/** The objects of Git LFS that become the target's when the merge request is merged, as far as there is time to look for them. */
export async function linksOfMerge(
  db: Context['db'],
  { mergeRequest, target, reader, version }: Pick<SideTips, 'mergeRequest' | 'target' | 'reader' | 'version'>,
): Promise<FoundLinks> {
  const { sourceProjectId: sourceId, sha: head } = mergeRequest;
  const before = version?.baseCommitSha ?? version?.startCommitSha;
  if (head === null || before == null) return NO_LINKS;
  const merged = { sourceId, targetId: target.id, head, before };
  const found = await ifReadable(() => objectsToLink(db, reader, merged, MAX_AWAITED_COMMITS));
  return found ?? { links: null, isComplete: false };
}

/** Gives the target what was found, in the transaction that records the merge; the job finds the rest. */
export async function linkFound(
  tx: Transaction,
  { jobs }: Pick<ChangeContext, 'jobs'>,
  { links, isComplete }: FoundLinks,
): Promise<void> {
  if (links) await linkObjects(tx, links);
  if (!isComplete) await jobs?.enqueue(tx, 'merge_requests.link_lfs', {});
}

/** Gives targets the objects that they lack of what was merged. What cannot be read is left out. */
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
      ORDER BY m.id LIMIT ${BATCH_SIZE}`;
    for (const { id, ...commits } of merged) {
      const project = await findPushedProject(db, commits.targetId);
      const reader = project && (await repositories.open(project));
      const found = reader && (await ifReadable(() => objectsToLink(db, reader, commits)));
      await db.$transaction(async (tx) => {
        if (found?.links) await linkObjects(tx, found.links);
        await tx.mergeRequest.updateMany({ where: { id }, data: { lfsLinked: true } });
      });
    }
    if (merged.length < BATCH_SIZE) return;
    last = merged.at(-1)?.id ?? last;
  }
}
