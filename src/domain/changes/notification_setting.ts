import { EVENT_NAMES } from '#src/domain/changes/notification_events.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import type { NotificationSetting } from '#src/platform/records/computed_types.ts';

const { sql, raw, join } = Prisma;

const NONE = Object.fromEntries(EVENT_NAMES.map((name) => [name, false])) as NotificationSetting['events'];

/** The default in projects and groups: that of the level above. */
export const INHERITED: NotificationSetting = { level: 'global', events: NONE };

/** The global default. */
export const EVERYWHERE: NotificationSetting = { level: 'participating', events: NONE };

/** A SQL expression for the setting in a row, as JSON. */
export function settingJson(row: Alias<'NotificationSetting'>): Prisma.Sql {
  const events = EVENT_NAMES.map((name) => sql`${raw(`'${name}'`)}, ${row[name]}`);
  return sql`json_build_object('level', ${row.level}, 'events', json_build_object(${join(events, ', ')}))`;
}

const setting = alias('NotificationSetting', 'nse');

/** A SQL expression for the actor's setting of a project or group, as JSON; null without one. */
export function chosenBy(actor: { readonly id: number } | null, place: 'projectId' | 'namespaceId', id: Prisma.Sql) {
  return sql`(SELECT ${settingJson(setting)} FROM ${table(setting)}
    WHERE ${setting.userId} = ${actor?.id ?? 0} AND ${setting[place]} = ${id})`;
}
