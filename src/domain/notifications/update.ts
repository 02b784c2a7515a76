import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import {
  EVENT_NAMES,
  NOTIFICATION_EVENTS,
  type NotificationEvent,
  type NotificationLevel,
} from '#src/domain/changes/notification_events.ts';
import { EVERYWHERE, settingJson } from '#src/domain/changes/notification_setting.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import type { NotificationSetting } from '#src/platform/records/computed_types.ts';

const { sql, raw, join, empty } = Prisma;

/** Changes; absent or null values stay unchanged. */
export type NotificationChanges = {
  level?: NotificationLevel | null | undefined;
} & { readonly [Name in NotificationEvent]?: boolean | null | undefined };

/** The actor's global setting, and the address for mail. */
export interface GlobalSetting extends NotificationSetting {
  email: string;
}

const [setting, user, email] = [alias('NotificationSetting', 'nse'), alias('User', 'u'), alias('Email', 'e')];

/** The actor's global notification setting. Throws Unauthenticated, InsufficientScope. */
export async function globalNotificationSetting(context: Context): Promise<GlobalSetting> {
  const actor = requireActor(context);
  const [found] = await queryJson<{ setting: NotificationSetting | null; email: string }[]>(
    context.db,
    sql`(SELECT json_agg(json_build_object('email', COALESCE(${email.email}, ${user.email}), 'setting',
        CASE WHEN ${setting.id} IS NOT NULL THEN ${settingJson(setting)} END))
      FROM ${table(user)} LEFT JOIN ${table(email)} ON ${email.id} = ${user.notificationEmailId}
        AND ${email.confirmedAt} IS NOT NULL
      LEFT JOIN ${table(setting)} ON ${setting.userId} = ${user.id} AND ${setting.projectId} IS NULL
        AND ${setting.namespaceId} IS NULL
      WHERE ${user.id} = ${actor.id})`,
  );
  return { ...(found?.setting ?? EVERYWHERE), email: found?.email ?? '' };
}

/** Updates the actor's notification setting for a project. Throws NotFound. */
export async function updateProjectNotifications(
  context: Context,
  ref: IdOrPath,
  changes: NotificationChanges,
): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  await save(context.db, actor.id, { column: 'project_id', id: project.id }, changes, 'global');
  return project;
}

/** Like updateProjectNotifications, for a group and everything in it. Throws NotFound. */
export async function updateGroupNotifications(
  context: Context,
  ref: IdOrPath,
  changes: NotificationChanges,
): Promise<GroupRow> {
  const actor = requireActor(context);
  const group = await findGroup(context, ref);
  await save(context.db, actor.id, { column: 'namespace_id', id: group.id }, changes, 'global');
  return group;
}

/**
 * Like updateProjectNotifications, for the global setting, with the address for mail: the actor's primary or a confirmed
 * secondary one. Throws ValidationFailed.
 */
export async function updateGlobalNotifications(
  context: Context,
  address: string | null | undefined,
  changes: NotificationChanges,
): Promise<void> {
  const actor = requireActor(context);
  await context.db.$transaction(async (tx) => {
    if (address != null) await sendTo(tx, actor.id, address);
    await save(tx, actor.id, null, changes, 'participating');
  });
}

async function sendTo(tx: Transaction, userId: number, address: string): Promise<void> {
  const wanted = address.trim().toLowerCase();
  const [found] = await tx.$queryRaw<{ id: number | null }[]>`
    SELECT NULL::int AS id FROM users WHERE id = ${userId} AND lower(email) = ${wanted} AND confirmed_at IS NOT NULL
    UNION ALL SELECT id FROM emails WHERE user_id = ${userId} AND email = ${wanted} AND confirmed_at IS NOT NULL`;
  if (!found) throw new ValidationFailed({ notification_email: ['is not an email you own'] });
  await tx.$executeRaw`UPDATE users SET notification_email_id = ${found.id} WHERE id = ${userId}`;
}

/** Updates the row for a project or group, or inserts it. */
async function save(
  db: Pick<Transaction, '$executeRaw'>,
  userId: number,
  place: { column: 'project_id' | 'namespace_id'; id: number } | null,
  { level, ...events }: NotificationChanges,
  usual: NotificationLevel,
): Promise<void> {
  const given = EVENT_NAMES.filter((name) => events[name] != null);
  if (level == null && given.length === 0) return;
  const columns = given.map((name) => raw(`, "${NOTIFICATION_EVENTS[name]}"`));
  const values = given.map((name) => sql`, ${events[name]}`);
  const set = [
    ...(level == null ? [] : [sql`level = EXCLUDED.level`]),
    ...given.map((name) => raw(`"${NOTIFICATION_EVENTS[name]}" = EXCLUDED."${NOTIFICATION_EVENTS[name]}"`)),
  ];
  const [column, value, target] = place
    ? [raw(`, ${place.column}`), sql`, ${place.id}`, raw(`(user_id, ${place.column})`)]
    : [empty, empty, sql`(user_id) WHERE project_id IS NULL AND namespace_id IS NULL`];
  await db.$executeRaw`
    INSERT INTO notification_settings (user_id, level${column}${all(columns)})
    VALUES (${userId}, ${level ?? usual}::notification_level${value}${all(values)})
    ON CONFLICT ${target} DO UPDATE SET ${join(set, ', ')}`;
}

function all(parts: readonly Prisma.Sql[]): Prisma.Sql {
  return parts.length === 0 ? empty : join([...parts], '');
}
