import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { administered, nameTaken } from '#src/domain/feature_flags/administered.ts';
import { tellClients } from '#src/domain/feature_flags/client.ts';
import { holdFlags, MAX_USER_LISTS, requireReadable } from '#src/domain/feature_flags/limits.ts';
import { findUserList, type UserListName } from '#src/domain/feature_flags/list.ts';
import { wrongUserIds } from '#src/domain/feature_flags/user_ids.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { type FieldErrors, LimitReached, NotFound, ValidationFailed, WrongState } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** What can be set of a list; what is absent stays as it is. */
export interface UserListValues {
  name?: string | null | undefined;
  /** IDs that users have in the application, separated by commas. */
  userXids?: string | null | undefined;
}

const KNOWN = select('FeatureFlagUserList', { id: true, name: true });
const MAX_NAME_LENGTH = 255;

/** Creates a list of users for strategies. Throws NotFound, Forbidden, ValidationFailed, LimitReached. */
export async function createUserList(
  context: Context,
  ref: IdOrPath,
  { name, userXids }: { name: string; userXids: string },
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  check({ name, userXids });
  return context.db
    .$transaction(async (tx) => {
      await holdFlags(tx, project);
      if ((await tx.featureFlagUserList.count({ where: { projectId: project.id } })) >= MAX_USER_LISTS) {
        throw new LimitReached(`A project can have at most ${MAX_USER_LISTS} user lists`);
      }
      const { lastFeatureFlagUserListIid: iid } = await tx.projectCounters.update({
        where: { projectId: project.id },
        data: { lastFeatureFlagUserListIid: { increment: 1 } },
        select: { lastFeatureFlagUserListIid: true },
      });
      const data = { projectId: project.id, iid, name, userXids };
      const { id } = await tx.featureFlagUserList.create({ data, select: { id: true } });
      await audit(tx, context, { action: 'feature_flag_user_list_created', ...audited(project, { id, name }) });
      return { project, id };
    })
    .catch(nameTaken);
}

/** Changes a list of users. Throws NotFound, Forbidden, ValidationFailed, LimitReached. */
export async function updateUserList(
  context: Context,
  ref: IdOrPath,
  which: UserListName,
  { name, userXids }: UserListValues,
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  const found = await findUserList(context, project, which, KNOWN);
  check({ name, userXids });
  return context.db
    .$transaction(async (tx) => {
      await holdFlags(tx, project);
      const before = await rowBefore(tx, 'FeatureFlagUserList', found.id);
      const data = {
        ...(name == null ? {} : { name }),
        ...(userXids == null ? {} : { userXids }),
        updatedAt: new Date(),
      };
      const { count } = await tx.featureFlagUserList.updateMany({ where: { id: found.id }, data });
      if (count === 0) throw new NotFound('FeatureFlagUserList');
      await requireReadable(tx, project);
      await tellClients(tx, context, project);
      const event = { action: 'feature_flag_user_list_updated', ...audited(project, found) } as const;
      await auditChanges(tx, context, event, before);
      return { project, id: found.id };
    })
    .catch(nameTaken);
}

/** Deletes a list of users. Throws NotFound, Forbidden, and WrongState while a strategy names it. */
export async function deleteUserList(context: Context, ref: IdOrPath, which: UserListName): Promise<{ id: number }> {
  const project = await administered(context, ref);
  const found = await findUserList(context, project, which, KNOWN);
  await context.db.$transaction(async (tx) => {
    await holdFlags(tx, project);
    if ((await tx.featureFlagStrategy.count({ where: { userListId: found.id } })) > 0) {
      throw new WrongState('User list is associated with a strategy');
    }
    const { count } = await tx.featureFlagUserList.deleteMany({ where: { id: found.id } });
    if (count === 0) throw new NotFound('FeatureFlagUserList');
    await audit(tx, context, { action: 'feature_flag_user_list_deleted', ...audited(project, found) });
  });
  return { id: found.id };
}

function audited({ id: projectId }: ProjectRow, { id, name }: { id: number; name: string }) {
  return { place: { projectId }, target: { type: 'FeatureFlagUserList' as const, id, name } };
}

/** Throws ValidationFailed. */
function check({ name, userXids }: UserListValues): void {
  const errors: FieldErrors = {};
  if (name != null && name.trim() === '') errors.name = ["can't be blank"];
  if (name && name.length > MAX_NAME_LENGTH) errors.name = [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`];
  const wrong = userXids == null ? null : wrongUserIds(userXids);
  if (wrong !== null) errors.user_xids = [wrong];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}
