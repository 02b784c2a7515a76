import type { ChangeContext } from '#src/domain/changes/record.ts';
import { type CodeOwnersFile, codeOwnersFile, readCodeOwners } from '#src/domain/repository/code_owners/find.ts';
import { type OwningEntry, ownersOfPaths } from '#src/domain/repository/code_owners/owned.ts';
import { type ResolvedOwner, resolveOwners, rolesOf } from '#src/domain/repository/code_owners/resolve.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { requestWaitingMerges } from '#src/domain/tracking/approvals/waiting.ts';
import { type SideTips, sideTips } from '#src/domain/tracking/merge_requests/side_tips.ts';
import { isLimit } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** Changed paths that are compared with the file; with more, all of its entries apply. */
const MAX_PATHS = 50_000;

type Stores = WithRepositories & Pick<ChangeContext, 'jobs'>;

/**
 * Makes the rules of code owners of an open merge request what the file of its target branch says of the files that it changes now; the
 * merge request as it is then. Costs no statement where there is no such file.
 */
export async function withCodeOwners(stores: Stores, sides: SideTips): Promise<SideTips> {
  const changed = await syncCodeOwners(stores, sides);
  return changed ? ((await sideTips(stores, sides.mergeRequest.id)) ?? sides) : sides;
}

/** As withCodeOwners; returns whether rules were written. */
export async function syncCodeOwners(
  { db, jobs }: Stores,
  {
    mergeRequest: { id, state, codeOwnersKey, mergeWhenPipelineSucceeds: isAwaited },
    target,
    reader,
    targetTip,
  }: SideTips,
): Promise<boolean> {
  const file = state === 'opened' && targetTip !== null ? await codeOwnersFile(reader, targetTip) : null;
  if (file === null && codeOwnersKey === null) return false;
  const version = await db.mergeRequestVersion.findFirst({ where: { mergeRequestId: id }, orderBy: { id: 'desc' } });
  const from = version && (version.baseCommitSha ?? version.startCommitSha);
  const key = file && version ? `${file.oid} ${from} ${version.headCommitSha}` : null;
  if (key === codeOwnersKey) return false;
  const entries = file && version && from ? await entriesOf(reader, file, { from, to: version.headCommitSha }) : [];
  const owners = await resolveOwners(
    db,
    target.id,
    entries.flatMap(({ entry }) => entry.owners),
  );
  return db.$transaction(async (tx) => {
    const { count } = await tx.mergeRequest.updateMany({ where: { id, codeOwnersKey }, data: { codeOwnersKey: key } });
    if (count > 0) await writeRules(tx, { projectId: target.id, mergeRequestId: id }, entries, owners);
    if (isAwaited) await requestWaitingMerges(tx, { jobs }, { mergeRequestId: id });
    return true;
  });
}

async function entriesOf(
  reader: RepositoryReader,
  file: CodeOwnersFile,
  { from, to }: { from: Oid; to: Oid },
): Promise<OwningEntry[]> {
  const owners = await readCodeOwners(reader, file);
  return owners ? ownersOfPaths(owners, await changedPaths(reader, from, to)) : [];
}

/** The paths that differ; null if there are too many. */
async function changedPaths(reader: RepositoryReader, from: Oid, to: Oid): Promise<string[] | null> {
  const [before, after] = await Promise.all([reader.commit(from), reader.commit(to)]);
  if (!before || !after) return null;
  try {
    const { changes, isComplete } = await reader.changes(before.tree, after.tree, { most: MAX_PATHS });
    return isComplete ? changes.map(({ path }) => path) : null;
  } catch (error) {
    if (isLimit(error, 'work')) return null;
    throw error;
  }
}

/** Writes one rule for each entry that names a role, or anybody who has an account, in place of those before. */
async function writeRules(
  tx: Transaction,
  of: { projectId: number; mergeRequestId: number },
  entries: readonly OwningEntry[],
  owners: ReadonlyMap<string, ResolvedOwner>,
): Promise<void> {
  await tx.approvalRule.deleteMany({ where: { mergeRequestId: of.mergeRequestId, ruleType: 'code_owner' } });
  const named = entries.flatMap(({ section, entry }) => {
    const found = entry.owners.flatMap((owner) => owners.get(owner) ?? []);
    return found.length === 0 ? [] : [{ section, entry, found }];
  });
  if (named.length === 0) return;
  const rules = await tx.approvalRule.createManyAndReturn({
    data: named.map(({ section, entry, found }) => ({
      ...of,
      ruleType: 'code_owner' as const,
      name: entry.text,
      section: section.name,
      approvalsRequired: section.approvals,
      roles: rolesOf(found),
    })),
    select: { id: true },
  });
  const people = named.flatMap(({ found }, index) => found.map((one) => ({ ruleId: rules[index]?.id ?? 0, ...one })));
  const users = people.flatMap(({ ruleId, userId }) => (userId === null ? [] : { ruleId, userId }));
  const groups = people.flatMap(({ ruleId, groupId }) => (groupId === null ? [] : { ruleId, groupId }));
  await tx.approvalRuleUser.createMany({ data: users, skipDuplicates: true });
  await tx.approvalRuleGroup.createMany({ data: groups, skipDuplicates: true });
}
