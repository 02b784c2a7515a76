import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { isWider } from '#src/access/permissions/visibility_levels.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { MAX_DEPTH, mayCreateGroups } from '#src/domain/groups/create.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { requireConfirmation } from '#src/domain/lifecycle/confirmation.ts';
import { groupPathErrors } from '#src/domain/namespaces/group_path.ts';
import { type HeldNamespace, holdNamespace, lockNamespaceTree } from '#src/domain/namespaces/lock.ts';
import { redirectNamespace, takePathsBelow } from '#src/domain/namespaces/redirects.ts';
import { type Transaction, violates } from '#src/platform/database/db.ts';
import { BadRequest, Forbidden, NotFound } from '#src/platform/errors.ts';

/** Milliseconds that a transfer may take: a group may hold many projects. */
const TRANSACTION_TIMEOUT_MS = 120_000;

/**
 * Moves a group, with all that is in it, into another one, or to the top without a parent. Old paths redirect. Returns its ID. `confirmation` is
 * its full path as somebody typed it. Throws NotFound for either, Forbidden, BadRequest, ValidationFailed.
 */
export async function transferGroup(
  context: Context,
  ref: IdOrPath,
  parentRef: IdOrPath | null,
  confirmation?: string | null,
): Promise<number> {
  const actor = requireActor(context);
  const { id, ...found } = await findGroup(context, ref);
  authorize(actor, 'transfer_group', found);
  requireConfirmation(confirmation, found.fullPath);
  const parent = parentRef === null ? null : await findGroup(context, parentRef);
  if (parent) authorize(actor, 'create_subgroup', parent);
  if (!mayCreateGroups(actor)) throw new Forbidden();
  try {
    await context.db.$transaction((tx) => move(tx, context, id, parent?.id ?? null), {
      timeout: TRANSACTION_TIMEOUT_MS,
      maxWait: 10_000,
    });
  } catch (error) {
    if (violates(error)) throw refusal('There is a group, project or user with the same path there.');
    throw error;
  }
  return id;
}

async function move(tx: Transaction, context: Context, id: number, parentId: number | null): Promise<void> {
  // Both trees at once, top-down, like all locks on namespaces.
  await tx.$queryRaw`
    SELECT n.id FROM namespaces n
    WHERE n.lineage @> ARRAY[${id}]::int[] OR n.id IN (SELECT unnest(a.lineage) FROM namespaces a WHERE a.id IN (${id}, ${parentId ?? id}))
    ORDER BY cardinality(n.lineage), n.id FOR UPDATE`;
  const group = await lockNamespaceTree(tx, id);
  if (!group) throw new NotFound('Group');
  const parent = parentId === null ? null : await holdNamespace(tx, parentId);
  if (parentId !== null && !parent) throw new NotFound('Group');
  await check(tx, group, parent);
  await redirectNamespace(tx, id);
  const { path, name, lineage } = group;
  const fullPath = parent ? `${parent.fullPath}/${path}` : path;
  const fullName = parent ? `${parent.fullName} / ${name}` : name;
  await tx.$executeRaw`
    UPDATE namespaces SET full_path = ${fullPath} || substr(full_path, length(${group.fullPath}) + 1),
      full_name = ${fullName} || substr(full_name, length(${group.fullName}) + 1),
      lineage = ${parent?.lineage ?? []}::int[] || lineage[${lineage.length}::int:],
      parent_id = CASE WHEN id = ${id} THEN ${parentId}::int ELSE parent_id END, updated_at = now()
    WHERE lineage @> ARRAY[${id}]::int[]`;
  await takePathsBelow(tx, id);
  await tx.$executeRaw`
    UPDATE group_shares s SET group_lineage = g.lineage FROM namespaces g
    WHERE g.id = s.group_id AND g.lineage @> ARRAY[${id}]::int[]`;
  const event = { action: 'group_transferred', place: { groupId: id }, target: { type: 'Group', id } } as const;
  await audit(tx, context, { ...event, attribute: 'full_path', from: group.fullPath, to: fullPath });
  const projects = await tx.$queryRaw<{ id: number; lineage: number[] }[]>`
    SELECT p.id, n.lineage FROM namespaces n JOIN projects p ON p.namespace_id = n.id WHERE n.lineage @> ARRAY[${id}]::int[]`;
  for (const project of projects) {
    await recordChange(tx, context, { type: 'projectMoved', project: { id: project.id }, from: lineage });
  }
}

async function check(tx: Transaction, group: HeldNamespace, parent: HeldNamespace | null): Promise<void> {
  if ((parent?.id ?? null) === group.parentId) {
    throw refusal(parent ? 'Group is already associated to the parent group.' : 'Group is already a root group.');
  }
  if (parent?.lineage.includes(group.id)) throw refusal('A group cannot be moved into itself or a group in it.');
  if (parent && isWider(group.visibility, parent.visibility)) {
    throw refusal('The visibility of the group is wider than that of the new parent group.');
  }
  const [wrong] = groupPathErrors(group.path, { nested: parent !== null });
  if (wrong) throw refusal(`The path ${wrong}`);
  const [deepest] = await tx.$queryRaw<{ depth: number }[]>`
    SELECT max(cardinality(lineage))::int AS depth FROM namespaces WHERE lineage @> ARRAY[${group.id}]::int[]`;
  const depth = (deepest?.depth ?? 0) - group.lineage.length + 1 + (parent?.lineage.length ?? 0);
  if (depth > MAX_DEPTH) throw refusal(`Groups nest at most ${MAX_DEPTH} deep.`);
}

function refusal(reason: string): BadRequest {
  return new BadRequest(`Transfer failed: ${reason}`);
}
