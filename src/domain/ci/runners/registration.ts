import { audit } from '#src/access/audit/record.ts';
import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import {
  groupRegistrationTokens,
  renewGroupRegistrationToken,
  renewProjectRegistrationToken,
  renewServerRegistrationToken,
  serverRegistrationToken,
} from '#src/domain/ci/runners/registration_tokens.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { Forbidden } from '#src/platform/errors.ts';

/** The registration token for shared runners, for administrators. Throws Unauthenticated, Forbidden. */
export async function readRegistrationToken(context: Context): Promise<string> {
  requireAdmin(context);
  return serverRegistrationToken(context);
}

/** Replaces it; registered runners are not affected. For administrators. Throws Unauthenticated, Forbidden. */
export async function resetRegistrationToken(context: Context): Promise<string> {
  requireAdmin(context);
  return context.db.$transaction(async (tx) => {
    await audit(tx, context, {
      action: 'registration_token_reset',
      place: 'server',
      target: { type: 'Settings', id: null },
    });
    return renewServerRegistrationToken(tx, context.secret);
  });
}

/** The registration token of each group, for its owners; Forbidden in place of those of others. Throws Unauthenticated. */
export async function readGroupRunnersTokens(
  context: Context,
  groups: readonly GroupRow[],
): Promise<(string | Error | null)[]> {
  const actor = requireActor(context);
  const permitted = groups.filter((group) => can(actor, 'admin_group_runner', group)).map(({ id }) => id);
  const tokens = await groupRegistrationTokens(context, permitted);
  return groups.map(({ id }) => (permitted.includes(id) ? (tokens[permitted.indexOf(id)] ?? null) : new Forbidden()));
}

/** Replaces it and returns the new one. Throws NotFound, Forbidden. */
export async function resetGroupRunnersToken(
  context: Context,
  ref: IdOrPath,
): Promise<{ group: GroupRow; token: string }> {
  const group = await findGroup(context, ref);
  authorize(requireActor(context), 'admin_group_runner', group);
  const { id } = group;
  const token = await context.db.$transaction(async (tx) => {
    await audit(tx, context, {
      action: 'registration_token_reset',
      place: { groupId: id },
      target: { type: 'Group', id },
    });
    return renewGroupRegistrationToken(tx, context.secret, id);
  });
  return { group, token };
}

/** Replaces the registration token of a project; registered runners are not affected. Throws NotFound, Forbidden. */
export async function resetProjectRunnersToken(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_runner', project);
  const { id } = project;
  await context.db.$transaction(async (tx) => {
    const target = { type: 'Project', id } as const;
    await audit(tx, context, { action: 'registration_token_reset', place: { projectId: id }, target });
    await renewProjectRegistrationToken(tx, context.secret, id);
  });
  return project;
}
