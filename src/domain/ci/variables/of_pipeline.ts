import { activeUser } from '#src/access/credentials/authenticate.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/model.ts';
import { PROJECT_BASE, type ProjectRow } from '#src/domain/projects/find.ts';
import { namedProject } from '#src/domain/projects/named.ts';
import { listProtections, protectionOf } from '#src/domain/repository/branches/protection.ts';
import { mayPushOrMerge } from '#src/domain/repository/collaboration.ts';
import { type Db, queryJson } from '#src/platform/database/db.ts';
import { select } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';

/** A pipeline, or a job of it, that is given variables. */
export interface Receiver {
  projectId: number;
  ref: string;
  tag: boolean;
  mergeRequestId: number | null;
  /** Who started it: the pipeline, and the job. */
  userIds: readonly number[];
}

/** The variables of a project that a pipeline gets. */
export async function variablesOfProject(db: Db, receiver: Receiver, secret: string): Promise<Variables> {
  const rows = await db.variable.findMany({
    where: { projectId: receiver.projectId },
    select: { key: true, valueEncrypted: true, protected: true },
    orderBy: { id: 'asc' },
  });
  const mayHaveProtected = rows.some((row) => row.protected) && (await mayHaveProtectedOnes(db, receiver));
  const given = rows.filter((row) => mayHaveProtected || !row.protected);
  return Object.fromEntries(given.map(({ key, valueEncrypted }) => [key, decrypt(valueEncrypted, secret)]));
}

/**
 * Protected variables are only passed to pipelines of protected branches, not of merge requests, and only if all who started the
 * pipeline or the job, and may have given it variables, may currently push or merge to the branch.
 */
async function mayHaveProtectedOnes(
  db: Db,
  { projectId, ref, tag, mergeRequestId, userIds }: Receiver,
): Promise<boolean> {
  const protection = tag || mergeRequestId !== null ? null : protectionOf(await listProtections(db, projectId), ref);
  if (!protection?.protected) return false;
  for (const id of new Set(userIds)) {
    const actor = await activeUser(db, id);
    const [project] = actor ? await queryJson<ProjectRow[]>(db, namedProject(actor, projectId, BASE)) : [];
    if (!actor || !project || !mayPushOrMerge(actor, project, protection)) return false;
  }
  return true;
}

const BASE = select('Project', PROJECT_BASE);
