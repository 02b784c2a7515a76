import { type Auditing, audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { secondsOf } from '#src/domain/container_registry/remove.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { isPattern } from '#src/domain/repository/branches/match_whole.ts';
import type { ContainerExpirationPolicy } from '#src/generated/prisma/client.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Finds the projects whose tags of images are due to be deleted by their policies. */
    'containers.apply_policies': Record<string, never>;
  }
}

const { sql } = Prisma;

/** How often a policy is applied, and what PostgreSQL calls that. */
const CADENCES = { '1d': '1 day', '7d': '7 days', '14d': '14 days', '1month': '1 month', '3month': '3 months' };
/** How many tags may stay. */
const KEPT = [1, 5, 10, 25, 50, 100];
/** How old tags must be. */
const AGES = ['7d', '14d', '30d', '60d', '90d'];
/** Policies per statement. */
const BATCH_SIZE = 200;

/** A policy as it is, or as it would be. */
export type Policy = Omit<ContainerExpirationPolicy, 'projectId' | 'nextRunAt'> & { nextRunAt: Date | null };

/** The policy of a project that has none. */
export const DEFAULT_POLICY: Policy = {
  enabled: false,
  cadence: '1d',
  keepN: 10,
  olderThan: '90d',
  nameRegex: '.*',
  nameRegexKeep: null,
  nextRunAt: null,
};

/** What a policy is to be; undefined leaves a part as it is. */
export type PolicyValues = { [Part in Exclude<keyof Policy, 'nextRunAt'>]?: Policy[Part] | null | undefined } & {
  /** Counts before `nameRegex`, which is the earlier name of the same. */
  nameRegexDelete?: string | null | undefined;
};

/**
 * The policy with the changes; null without any. Throws Forbidden, ValidationFailed.
 *
 * @param project null for one that is yet to be created
 */
export async function changedPolicy(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  project: ProjectRow | null,
  values: PolicyValues | null | undefined,
): Promise<Policy | null> {
  if (values == null) return null;
  if (project) authorize(actor, 'admin_container_image', project);
  const known = project && (await db.containerExpirationPolicy.findUnique({ where: { projectId: project.id } }));
  const before: Policy = known ?? DEFAULT_POLICY;
  const policy = {
    enabled: values.enabled ?? before.enabled,
    cadence: values.cadence ?? before.cadence,
    keepN: values.keepN === undefined ? before.keepN : values.keepN,
    olderThan: values.olderThan === undefined ? before.olderThan : values.olderThan || null,
    nameRegex: values.nameRegexDelete ?? values.nameRegex ?? before.nameRegex,
    nameRegexKeep: values.nameRegexKeep === undefined ? before.nameRegexKeep : values.nameRegexKeep || null,
    nextRunAt: before.nextRunAt,
  };
  await requirePolicy(policy, project ? `project ${project.id}` : 'new projects');
  return policy;
}

/** Throws ValidationFailed for a policy that a project cannot have. */
export async function requirePolicy(policy: Policy, caller: string): Promise<void> {
  const wrong: Record<string, string[]> = {};
  const fail = (part: string, message: string) => {
    wrong[`container_expiration_policy.${part}`] = [message];
  };
  if (!Object.hasOwn(CADENCES, policy.cadence)) fail('cadence', 'is not included in the list');
  if (policy.keepN !== null && !KEPT.includes(policy.keepN)) fail('keep_n', 'is not included in the list');
  if (policy.olderThan !== null && !AGES.includes(policy.olderThan)) fail('older_than', 'is not included in the list');
  const patterns = { name_regex: policy.nameRegex, name_regex_keep: policy.nameRegexKeep ?? '' };
  for (const [name, pattern] of Object.entries(patterns)) {
    if (!(await isPattern(pattern, caller))) fail(name, 'is an invalid regular expression');
  }
  if (policy.enabled && policy.nameRegex.trim() === '') fail('name_regex', "can't be blank");
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
}

/** The policy in a line, as the audit log has it. */
function inWords({ enabled, cadence, keepN, olderThan, nameRegex, nameRegexKeep }: Policy): string {
  const parts = [
    ['every', cadence],
    ['delete', nameRegex],
    ['keep', nameRegexKeep],
    ['keep latest', keepN],
    ['older than', olderThan],
  ];
  const given = parts.filter(([, value]) => value !== null).map(([what, value]) => `${what} ${value}`);
  return [enabled ? 'on' : 'off', ...given].join(', ');
}

/** Saves the policy of a project; one that is turned on, or gets another cadence, is first applied when that has passed. */
export async function writePolicy(
  tx: Transaction,
  context: Auditing,
  projectId: number,
  policy: Policy,
): Promise<void> {
  const before = (await tx.containerExpirationPolicy.findUnique({ where: { projectId } })) ?? DEFAULT_POLICY;
  const { enabled, cadence, keepN, olderThan, nameRegex, nameRegexKeep } = policy;
  const next = nextRun(cadence);
  await tx.$executeRaw`
    INSERT INTO container_expiration_policies AS p
      (project_id, enabled, cadence, keep_n, older_than, name_regex, name_regex_keep, next_run_at)
    VALUES (${projectId}, ${enabled}, ${cadence}, ${keepN}, ${olderThan}, ${nameRegex}, ${nameRegexKeep}, ${next})
    ON CONFLICT (project_id) DO UPDATE SET enabled = EXCLUDED.enabled, cadence = EXCLUDED.cadence, keep_n = EXCLUDED.keep_n,
      older_than = EXCLUDED.older_than, name_regex = EXCLUDED.name_regex, name_regex_keep = EXCLUDED.name_regex_keep,
      next_run_at = CASE WHEN p.enabled = EXCLUDED.enabled AND p.cadence = EXCLUDED.cadence THEN p.next_run_at
        ELSE EXCLUDED.next_run_at END`;
  const [from, to] = [inWords(before), inWords(policy)];
  if (from === to) return;
  const target = { type: 'Project', id: projectId } as const;
  const attribute = 'container_expiration_policy';
  await audit(tx, context, { action: 'project_updated', place: { projectId }, target, attribute, from, to });
}

function nextRun(cadence: string): Prisma.Sql {
  const interval = CADENCES[cadence as keyof typeof CADENCES] ?? CADENCES['1d'];
  return sql`now() + ${interval}::interval`;
}

/** Has the tags deleted that are due, each policy once: whoever moves it to its next time does it. */
export async function applyPolicies({ db, jobs }: { db: Db; jobs: JobQueue }): Promise<void> {
  for (let after = 0; ; ) {
    const due = await db.containerExpirationPolicy.findMany({
      where: { enabled: true, nextRunAt: { lte: new Date() }, projectId: { gt: after }, project: { deletedAt: null } },
      orderBy: { projectId: 'asc' },
      take: BATCH_SIZE,
    });
    for (const policy of due) await apply(db, jobs, policy);
    after = due.at(-1)?.projectId ?? after;
    if (due.length < BATCH_SIZE) return;
  }
}

async function apply(db: Db, jobs: JobQueue, policy: ContainerExpirationPolicy): Promise<void> {
  const { projectId, nextRunAt, cadence, keepN, olderThan, nameRegex, nameRegexKeep } = policy;
  await db.$transaction(async (tx) => {
    const moved = await tx.$executeRaw`UPDATE container_expiration_policies SET next_run_at = ${nextRun(cadence)}
      WHERE project_id = ${projectId} AND enabled AND next_run_at = ${nextRunAt}`;
    if (moved === 0) return;
    const filter = {
      nameRegexDelete: nameRegex,
      nameRegexKeep,
      keepN: keepN ?? 0,
      olderThan: olderThan === null ? 0 : secondsOf(olderThan),
    };
    const askedAt = new Date().toISOString();
    for (const { id } of await tx.containerRepository.findMany({ where: { projectId }, select: { id: true } }))
      await jobs.enqueue(tx, 'containers.delete_tags', { repositoryId: id, filter, askedAt });
  });
}
