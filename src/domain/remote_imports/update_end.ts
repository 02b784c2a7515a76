import type { NotUpdated } from '#src/domain/project_archives/again.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';
import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';
import type { Prisma, Transaction } from '#src/platform/database/db.ts';

/** How many things that were left out are kept. */
const MAX_LEFT_OUT = 1_000;

/** Records that an update came to its end, and forgets its token. */
export async function endUpdate(
  tx: Transaction,
  projectId: number,
  left: { leftOut: readonly LeftOut[]; notUpdated: readonly NotUpdated[]; failed: readonly FailedRelation[] },
): Promise<void> {
  const failures = left.failed.map(({ relation, message }) => ({ kind: relation, name: null, message }));
  const all = [...left.notUpdated, ...left.leftOut, ...failures].slice(0, MAX_LEFT_OUT);
  const data = { ...ended(), status: 'finished', error: null, phase: null } as const;
  const leftOut = all as unknown as Prisma.InputJsonArray;
  const { parts } = await tx.remoteUpdate.update({
    where: { projectId },
    data: { ...data, leftOut },
    select: { parts: true },
  });
  // Further updates take them as well.
  await tx.remoteImport.update({ where: { projectId }, data: { parts } });
}

/** Ends an update with an error; the project stays as it is. Does nothing unless one is waiting. */
export async function failUpdate(
  { db, repositories }: WithRepositories,
  projectId: number,
  message: string,
): Promise<void> {
  const data = { ...ended(), status: 'failed', error: message } as const;
  const { count } = await db.remoteUpdate.updateMany({ where: { projectId, source: { not: null } }, data });
  if (count === 0) return;
  const project = await db.project.findUnique({ where: { id: projectId } });
  if (project) await repositories.removeStaging(project);
}

/** Cancels an update that is not finished; returns whether there was one. */
export async function cancelUpdate({ db, repositories }: WithRepositories, project: RepositoryPlace): Promise<boolean> {
  const data = { ...ended(), status: 'canceled', error: null } as const;
  const where = { projectId: project.id, source: { not: null } };
  const { count } = await db.remoteUpdate.updateMany({ where, data });
  if (count > 0) await repositories.removeStaging(project);
  return count > 0;
}

function ended() {
  return { source: null, continuesAt: null, finishedAt: new Date() };
}
