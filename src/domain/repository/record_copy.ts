import type { Context } from '#src/access/permissions/actor.ts';
import { refKey } from '#src/domain/repository/record.ts';
import { repositorySize } from '#src/domain/repository/size.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import type { Ref } from '#src/git/refs/read.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** A project whose repository was copied as a whole. */
export interface CopiedProject extends RepositoryPlace {
  defaultBranch: string | null;
}

/** Records the contents of a copied repository, without push events. */
export async function recordCopy(
  tx: Transaction,
  { db, repositories }: Pick<Context, 'db' | 'repositories'>,
  copy: CopiedProject,
  refs: readonly Ref[],
): Promise<void> {
  const rows = JSON.stringify(refs.map(({ name, target }) => ({ name: refKey(name), oid: target })));
  await tx.$executeRaw`
    INSERT INTO recorded_refs (project_id, name, oid)
    SELECT ${copy.id}, name, oid FROM jsonb_to_recordset(${rows}::jsonb) AS r (name text, oid text)
    ON CONFLICT (project_id, name) DO UPDATE SET oid = EXCLUDED.oid`;
  const reader = await repositories.ensure(copy, copy.defaultBranch);
  const branch = copy.defaultBranch ?? (await reader.defaultBranch());
  const tip = refs.find(({ name }) => name === `refs/heads/${branch}`)?.target;
  const commits = tip === undefined ? null : await reader.count({ start: tip });
  const size = await repositorySize(reader.directory);
  await tx.$executeRaw`
    UPDATE project_counters SET commits = COALESCE(${commits}::int, commits), repository_size = COALESCE(${size}::bigint, repository_size)
    WHERE project_id = ${copy.id}`;
  if (branch === null || tip === undefined) return;
  await tx.$executeRaw`UPDATE projects SET default_branch = ${branch} WHERE id = ${copy.id} AND default_branch IS NULL`;
  await protect(tx, db, copy.id, branch);
}

/** Like the first push to the default branch (behaviour.md 6). */
async function protect(tx: Transaction, db: Db, projectId: number, branch: string): Promise<void> {
  const { defaultBranchProtection: level } = await currentSettings(db);
  if (level === 0) return;
  await tx.$executeRaw`
    INSERT INTO protected_branches (project_id, name, developers_can_push) VALUES (${projectId}, ${branch}, ${level === 1})
    ON CONFLICT DO NOTHING`;
}
