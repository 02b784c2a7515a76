import { activeUser } from '#src/access/credentials/authenticate.ts';
import { PROJECT_BASE, type ProjectRow } from '#src/domain/projects/find.ts';
import { namedProject } from '#src/domain/projects/named.ts';
import { allows, type Pusher } from '#src/domain/repository/protections/levels.ts';
import { matches } from '#src/domain/repository/protections/matches.ts';
import { listProtections, mayPushOrMerge, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { listTagProtections, protectionsOfTag } from '#src/domain/repository/protections/of_tags.ts';
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
  /** Name of the environment of the job; null for none, and for pipelines. */
  environment: string | null;
}

/** A variable that a job gets. */
export interface JobVariable {
  key: string;
  value: string;
  masked: boolean;
  raw: boolean;
  isFile: boolean;
}

interface Row extends Omit<JobVariable, 'value'> {
  valueEncrypted: Uint8Array;
  protected: boolean;
  environmentScope: string;
  /** The place that wins over those with less: the server, the groups from the topmost down, the project. */
  level: number;
}

/** The variables that a pipeline or job gets from the server, the groups of its project and the project, of which the nearest win. */
export async function variablesOfProject(db: Db, receiver: Receiver, secret: string): Promise<JobVariable[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT v.key, v.value_encrypted AS "valueEncrypted", v.protected, v.masked, v.raw, v.is_file AS "isFile",
      v.environment_scope AS "environmentScope", CASE WHEN v.project_id IS NOT NULL THEN 1000000
        WHEN v.namespace_id IS NULL THEN 0 ELSE array_position(n.lineage, v.namespace_id) END AS level
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id JOIN variables v ON v.project_id = p.id
      OR v.namespace_id = ANY(n.lineage) OR (v.project_id IS NULL AND v.namespace_id IS NULL)
    WHERE p.id = ${receiver.projectId} ORDER BY v.id`;
  const fitting = rows.filter(({ environmentScope }) => isScopeOf(environmentScope, receiver.environment));
  const mayHaveProtected = fitting.some((row) => row.protected) && (await mayHaveProtectedOnes(db, receiver));
  const given = fitting.filter((row) => mayHaveProtected || !row.protected);
  // The last of a key wins: of one place, that whose scope says most.
  given.sort((a, b) => a.level - b.level || literals(a.environmentScope) - literals(b.environmentScope));
  return given.map(({ key, valueEncrypted, masked, raw, isFile }) => ({
    key,
    value: decrypt(valueEncrypted, secret),
    masked,
    raw,
    isFile,
  }));
}

function literals(scope: string): number {
  return scope.replaceAll('*', '').length;
}

/** Whether a scope, in which `*` matches any text, is for an environment; without one, only that of all jobs is. */
export function isScopeOf(scope: string, environment: string | null): boolean {
  return environment === null ? scope === '*' : matches(scope, environment);
}

/**
 * Protected variables are only passed to pipelines of protected branches and tags, not of merge requests, and only if all who started the
 * pipeline or the job, and may have given it variables, may currently push or merge to the branch, or create the tag.
 */
async function mayHaveProtectedOnes(
  db: Db,
  { projectId, ref, tag, mergeRequestId, userIds }: Receiver,
): Promise<boolean> {
  if (mergeRequestId !== null) return false;
  const may = tag ? await creators(db, projectId, ref) : await writers(db, projectId, ref);
  if (may === null) return false;
  for (const id of new Set(userIds)) {
    const actor = await activeUser(db, id);
    const [project] = actor ? await queryJson<ProjectRow[]>(db, namedProject(actor, projectId, BASE)) : [];
    if (!actor || !project || !may({ actor, project })) return false;
  }
  return true;
}

/** Who may write to a branch; null unless it is protected. */
async function writers(db: Db, projectId: number, branch: string): Promise<((pusher: Pusher) => boolean) | null> {
  const protection = protectionOf(await listProtections(db, projectId), branch);
  return protection.protected ? (pusher) => mayPushOrMerge(protection, pusher) : null;
}

/** Who may create a tag; null unless it is protected. */
async function creators(db: Db, projectId: number, tag: string): Promise<((pusher: Pusher) => boolean) | null> {
  const protections = protectionsOfTag(await listTagProtections(db, projectId), tag);
  const levels = protections.flatMap((one) => one.levels);
  return protections.length > 0 ? (pusher) => allows(levels, pusher) : null;
}

const BASE = select('Project', PROJECT_BASE);
