import { auditChanges, type RowBefore, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { administered, nameTaken } from '#src/domain/feature_flags/administered.ts';
import { tellClients } from '#src/domain/feature_flags/client.ts';
import { nameErrors } from '#src/domain/feature_flags/flag_name.ts';
import { holdFlags, MAX_FLAGS, requireReadable } from '#src/domain/feature_flags/limits.ts';
import { type FlagName, findFlag } from '#src/domain/feature_flags/list.ts';
import { inWords, keepStrategies, storedStrategies } from '#src/domain/feature_flags/stored.ts';
import {
  changedStrategies,
  type StoredStrategy,
  type StrategyInput,
  strategyErrors,
} from '#src/domain/feature_flags/strategies.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

/** What can be set of a flag; what is absent stays as it is. */
export interface FlagValues {
  name?: string | null | undefined;
  description?: string | null | undefined;
  active?: boolean | null | undefined;
  /** Changes of the strategies that have an ID, and new ones. */
  strategies?: readonly StrategyInput[] | null | undefined;
}

const KNOWN = select('FeatureFlag', { id: true, name: true });

/** Creates a flag. Throws NotFound, Forbidden, ValidationFailed, LimitReached. */
export async function createFlag(
  context: Context,
  ref: IdOrPath,
  { name, description, active, strategies: given }: FlagValues & { name: string },
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  const strategies = changedStrategies([], given);
  check({ name, description }, strategyErrors(strategies));
  return context.db
    .$transaction(async (tx) => {
      await holdFlags(tx, project);
      if ((await tx.featureFlag.count({ where: { projectId: project.id } })) >= MAX_FLAGS) {
        throw new LimitReached(`A project can have at most ${MAX_FLAGS} feature flags`);
      }
      const { lastFeatureFlagIid: iid } = await tx.projectCounters.update({
        where: { projectId: project.id },
        data: { lastFeatureFlagIid: { increment: 1 } },
        select: { lastFeatureFlagIid: true },
      });
      const data = { projectId: project.id, iid, name, description: description || null, active: active ?? true };
      const { id } = await tx.featureFlag.create({ data, select: { id: true } });
      await keepStrategies(tx, project, id, [], strategies);
      await requireReadable(tx, project);
      await tellClients(tx, context, project);
      await audit(tx, context, { action: 'feature_flag_created', ...audited(project, { id, name }) });
      return { project, id };
    })
    .catch(nameTaken);
}

/** Changes a flag. Throws NotFound, Forbidden, ValidationFailed, LimitReached. */
export async function updateFlag(
  context: Context,
  ref: IdOrPath,
  which: FlagName,
  changes: FlagValues,
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  const { id, name } = await findFlag(context, project, which, KNOWN);
  const actor = requireActor(context);
  return context.db
    .$transaction(async (tx) => {
      await holdFlags(tx, project);
      const before = await rowBefore(tx, 'FeatureFlag', id);
      if (before.columns.id === undefined) throw new NotFound('FeatureFlag');
      const strategiesBefore = await storedStrategies(tx, id);
      const strategies = changedStrategies(strategiesBefore, changes.strategies);
      check(changes, strategyErrors(strategies));
      await tx.featureFlag.update({ where: { id }, data: { ...columnsOf(changes), updatedAt: new Date() } });
      await keepStrategies(tx, project, id, strategiesBefore, strategies);
      await requireReadable(tx, project);
      await tellClients(tx, context, project);
      await auditUpdate(tx, context, project, { before, strategiesBefore, name: changes.name ?? name });
      if (changes.active != null && changes.active !== before.columns.active) {
        await recordChange(tx, context, { type: 'featureFlagSwitched', actor, project, flag: { id } });
      }
      return { project, id };
    })
    .catch(nameTaken);
}

/** Deletes a flag, and returns the selected fields as they were. Throws NotFound, Forbidden. */
export async function deleteFlag<R>(
  context: Context,
  ref: IdOrPath,
  which: FlagName,
  selection: Selection<'FeatureFlag', R>,
): Promise<R & { id: number; name: string }> {
  const project = await administered(context, ref);
  const found = await findFlag(context, project, which, selection.with(KNOWN));
  await context.db.$transaction(async (tx) => {
    await holdFlags(tx, project);
    const { count } = await tx.featureFlag.deleteMany({ where: { id: found.id } });
    if (count === 0) throw new NotFound('FeatureFlag');
    await tellClients(tx, context, project);
    await audit(tx, context, { action: 'feature_flag_deleted', ...audited(project, found) });
  });
  return found;
}

function columnsOf({ name, description, active }: FlagValues) {
  return {
    ...(name == null ? {} : { name }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(active == null ? {} : { active }),
  };
}

async function auditUpdate(
  tx: Transaction,
  context: Context,
  project: ProjectRow,
  { before, strategiesBefore, name }: { before: RowBefore; strategiesBefore: StoredStrategy[]; name: string },
): Promise<void> {
  const { id } = before;
  const event = { action: 'feature_flag_updated', ...audited(project, { id, name }) } as const;
  await auditChanges(tx, context, event, before);
  const [from, to] = [inWords(strategiesBefore), inWords(await storedStrategies(tx, id))];
  if (from !== to) await audit(tx, context, { ...event, attribute: 'strategies', from, to });
}

function audited({ id: projectId }: ProjectRow, { id, name }: { id: number; name: string }) {
  return { place: { projectId }, target: { type: 'FeatureFlag' as const, id, name } };
}

/** Characters of the longest description. */
const MAX_DESCRIPTION_LENGTH = 255;

/** Throws ValidationFailed. */
function check({ name, description }: Pick<FlagValues, 'name' | 'description'>, errors: FieldErrors): void {
  const found: FieldErrors = { ...errors };
  const wrong = name == null ? [] : nameErrors(name);
  if (wrong.length > 0) found.name = wrong;
  if (description && description.length > MAX_DESCRIPTION_LENGTH) {
    found.description = [`is too long (maximum is ${MAX_DESCRIPTION_LENGTH} characters)`];
  }
  if (Object.keys(found).length > 0) throw new ValidationFailed(found);
}
