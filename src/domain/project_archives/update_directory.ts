import path from 'node:path';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import type { NotUpdated } from '#src/domain/project_archives/again.ts';
import { giveMemberships, type Target } from '#src/domain/project_archives/import_directory.ts';
import { People } from '#src/domain/project_archives/people.ts';
import { treeFile, USERS } from '#src/domain/project_archives/place.ts';
import { SourceRecords } from '#src/domain/project_archives/source_records.ts';
import { type FailedRelation, TreeImport } from '#src/domain/project_archives/tree.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A project that is brought up to date, and what becomes of it. */
export interface Updating {
  project: Target;
  /** The ID of the project at its source. */
  archivedId: number;
  /** The highest numbers that issues and merge requests have at the source. */
  lastNumbers: { issue: number; mergeRequest: number };
  /** The branches whose tips moved, by the names of the branches. */
  moved: readonly string[];
  /** Whether all records of a kind that the source has are in the directory. */
  isWhole(kind: string): boolean;
  /** Locks what records the update, and returns whether it is still wanted. */
  begin(tx: Transaction): Promise<boolean>;
  /** Records the end, in the same transaction. */
  finish(
    tx: Transaction,
    failed: readonly FailedRelation[],
    notUpdated: readonly NotUpdated[],
    people: People,
  ): Promise<void>;
}

/**
 * Brings the records of a project up to date that was filled from a server, from a directory with the files of an archive with what is
 * there now: whole or not at all, in one transaction. What is new comes as an import brings it, what was changed at the source is changed
 * here, and everything else stays; settings stay, too. Does nothing if the project is gone, or the update is no longer wanted. Throws as
 * importDirectory.
 */
export async function updateDirectory(
  context: Context,
  updating: Updating,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, imports } = context;
  await reserveNumbers(context, updating);
  await db.$transaction((tx) => record(tx, context, updating, directory, signal), {
    timeout: imports.timeout,
    maxWait: 60_000,
  });
}

/** From now on nothing that is made here gets a number that the source has used: what comes finds those numbers free, or taken. */
async function reserveNumbers({ db }: Context, { project, lastNumbers }: Updating): Promise<void> {
  const { issue, mergeRequest } = lastNumbers;
  await db.$executeRaw`
    UPDATE project_counters SET last_issue_iid = GREATEST(last_issue_iid, ${issue}::int),
      last_merge_request_iid = GREATEST(last_merge_request_iid, ${mergeRequest}::int)
    WHERE project_id = ${project.id} AND (last_issue_iid < ${issue}::int OR last_merge_request_iid < ${mergeRequest}::int)`;
}

async function record(
  tx: Transaction,
  context: Context,
  { project, archivedId, moved, isWhole, begin, finish }: Updating,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const actor = requireActor(context);
  if (!(await begin(tx))) return;
  // It is not removed meanwhile; whoever works in it goes on.
  const alive = await tx.$queryRaw<object[]>`
    SELECT id FROM projects WHERE id = ${project.id} AND deleted_at IS NULL FOR KEY SHARE`;
  if (alive.length === 0) return;
  const people = await People.read(tx, actor, path.join(directory, treeFile(USERS)));
  const repository =
    (await context.repositories.open(project)) === null ? null : context.repositories.directory(project);
  const tree = new TreeImport({
    ...{ tx, context, people, directory, archivedId, repository, signal },
    projectId: project.id,
    path: project.path,
    source: new SourceRecords(tx, project.id),
    again: { isWhole },
  });
  const { failed, notUpdated, withNewVersion, ...imported } = await tree.run();
  await tx.$executeRaw`
    UPDATE project_counters c SET last_milestone_iid = m.last FROM (
      SELECT COALESCE(max(iid), 0) AS last FROM milestones WHERE project_id = ${project.id}) m
    WHERE c.project_id = ${project.id} AND c.last_milestone_iid < m.last`;
  await giveMemberships(tx, context, people, project, imported);
  for (const mergeRequestId of withNewVersion) {
    await context.jobs.enqueue(tx, 'merge_requests.trace_notes', { mergeRequestId });
  }
  await recordChange(tx, context, { type: 'branchesMoved', project, user: actor, branches: moved });
  await finish(tx, failed, notUpdated, people);
}
