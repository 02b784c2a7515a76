import type { Context } from '#src/access/permissions/actor.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import { finishForks } from '#src/domain/repository/fork.ts';
import { withNobodyInside } from '#src/domain/repository/lock.ts';
import { sitesStore } from '#src/domain/sites/store.ts';
import { exportsStore } from '#src/domain/uploads/archives.ts';
import { Prisma } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Removes a project that is marked as deleted. */
    'projects.remove': { projectId: number };
  }
}

const { sql } = Prisma;

/** What a removal needs. */
export type Removal = Pick<Context, 'db' | 'repositories' | 'uploads'>;

/** Removes a project that is marked as deleted, with everything that belongs to it. Does nothing for others. */
export async function removeProject({ db, repositories, uploads }: Removal, projectId: number): Promise<void> {
  const doomed = await db.project.findFirst({
    where: { id: projectId, deletedAt: { not: null } },
    select: { id: true, repositoryStorage: true },
  });
  if (!doomed) return;
  // Forks share nothing with their source, but some may still wait for their copy.
  await finishForks({ db, repositories }, doomed.id);
  // The row marks what is left to remove, so it is deleted last.
  await withNobodyInside(db, doomed.id, async () => {
    await repositories.remove(doomed);
    await repositories.remove({ ...doomed, wiki: true });
  });
  await repositories.removeTraces(doomed);
  await repositories.removeStaging(doomed);
  await uploads.remove({ projectId });
  await artifactsStore({ uploads }).remove({ projectId });
  await packagesStore({ uploads }).remove({ projectId });
  await exportsStore({ uploads }).remove({ projectId });
  await sitesStore({ uploads }).remove({ projectId });
  const subjects = [
    sql`subject_type = 'Issue' AND subject_id IN (SELECT id FROM issues WHERE project_id = ${projectId})`,
    sql`subject_type = 'MergeRequest' AND subject_id IN (SELECT id FROM merge_requests WHERE target_project_id = ${projectId})`,
    sql`subject_type = 'Snippet' AND subject_id IN (SELECT id FROM snippets WHERE project_id = ${projectId})`,
    sql`subject_type = 'Label' AND subject_id IN (SELECT id FROM labels WHERE project_id = ${projectId})`,
  ];
  await db.$transaction([
    ...subjects.flatMap((of) => [
      db.$executeRaw`DELETE FROM award_emoji WHERE subject_type = 'Note' AND subject_id IN (SELECT id FROM notes WHERE ${of})`,
      db.$executeRaw`DELETE FROM notes WHERE ${of}`,
      db.$executeRaw`DELETE FROM award_emoji WHERE ${of}`,
      db.$executeRaw`DELETE FROM subscriptions WHERE ${of}`,
    ]),
    db.$executeRaw`DELETE FROM projects WHERE id = ${projectId}`,
  ]);
}
