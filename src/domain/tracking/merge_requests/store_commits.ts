import type { Context } from '#src/access/permissions/actor.ts';
import { ifReadable } from '#src/domain/repository/if_readable.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import { broughtCommits, emailsOf, storeCommits } from '#src/domain/tracking/merge_requests/version.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Stores the commits and the patch IDs of versions that were recorded without commits, by servers of earlier versions. */
    'merge_requests.store_commits': Record<string, never>;
  }
}

/** How many versions are loaded per statement. */
const BATCH_SIZE = 200;

/** Stores the commits of all versions that were recorded without them, and their patch IDs. What cannot be read has none. */
export async function storeMissingCommits({ db, repositories }: Pick<Context, 'db' | 'repositories'>): Promise<void> {
  for (;;) {
    const versions = await db.mergeRequestVersion.findMany({
      where: { commitsStored: false },
      orderBy: { id: 'asc' },
      take: BATCH_SIZE,
      include: { mergeRequest: { select: { targetProjectId: true } } },
    });
    for (const { id, mergeRequestId, headCommitSha, startCommitSha, baseCommitSha, mergeRequest } of versions) {
      const project = await findPushedProject(db, mergeRequest.targetProjectId);
      const reader = project && (await repositories.open(project));
      const starts = [startCommitSha, baseCommitSha];
      const brought = reader && (await ifReadable(() => commitsSince(reader, headCommitSha, starts)));
      const patchIdSha =
        reader && (await ifReadable(() => reader.patchId(baseCommitSha ?? startCommitSha, headCommitSha)));
      await db.$transaction(async (tx) => {
        await storeCommits(tx, mergeRequestId, brought ?? { commits: [], emails: [] });
        await tx.mergeRequestVersion.updateMany({ where: { id }, data: { commitsStored: true, patchIdSha } });
      });
    }
    if (versions.length < BATCH_SIZE) return;
  }
}

/** Since the first of some commits that is still there. */
async function commitsSince(reader: RepositoryReader, head: string, starts: readonly (string | null)[]) {
  const last = await reader.commit(head);
  if (last === null) return null;
  for (const start of starts) {
    if (start !== null && (await reader.commit(start)) !== null) return broughtCommits(reader, { head, start });
  }
  return { commits: [head], emails: emailsOf([last]) };
}
