import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { snakeCase } from '#src/base/text.ts';
import {
  BROADCAST_THEMES,
  BROADCAST_TYPES,
  MAX_MESSAGES,
} from '#src/domain/administration/broadcast_messages/stored.ts';
import { BROADCAST_MESSAGES_LOCK } from '#src/platform/database/lock_names.ts';
import { type FieldErrors, LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';

/** What a message says, to whom and when: unset means unchanged, or the default of a new one. */
export interface BroadcastMessageValues {
  /** In Markdown; at most 4,096 characters. */
  message?: string | null | undefined;
  /** Now when absent. */
  startsAt?: Date | string | null | undefined;
  /** An hour after the start when absent. */
  endsAt?: Date | string | null | undefined;
  theme?: string | null | undefined;
  /** `#RRGGBB`; null for the colour of the theme. */
  color?: string | null | undefined;
  font?: string | null | undefined;
  /** Levels from 10 to 50; empty for everyone. */
  targetAccessLevels?: readonly number[] | null | undefined;
  /** At most 255 characters; null for all pages. */
  targetPath?: string | null | undefined;
  broadcastType?: string | null | undefined;
  dismissable?: boolean | null | undefined;
}

const HOUR = 3_600_000;
const MAX_LENGTH = 4_096;
const MAX_PATH_LENGTH = 255;

/** Makes a message. For administrators. Throws Forbidden, ValidationFailed, LimitReached. */
export async function createBroadcastMessage(
  context: Context,
  values: BroadcastMessageValues,
): Promise<{ id: number }> {
  requireAdmin(context);
  const startsAt = dateOf(values.startsAt) ?? new Date();
  const endsAt = dateOf(values.endsAt) ?? new Date(startsAt.getTime() + HOUR);
  const { message = '', ...data } = checked({ ...values, message: values.message ?? '', startsAt, endsAt });
  const made = await context.db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${BROADCAST_MESSAGES_LOCK}, 0))`;
    if ((await tx.broadcastMessage.count({ where: { endsAt: { gt: new Date() } } })) >= MAX_MESSAGES) {
      throw new LimitReached(`There are ${MAX_MESSAGES} broadcast messages that have not ended, which is the maximum`);
    }
    const { id } = await tx.broadcastMessage.create({ data: { ...data, message, startsAt, endsAt } });
    await audit(tx, context, { action: 'broadcast_message_created', ...audited(id) });
    return { id };
  });
  forgetSettings(context.db);
  return made;
}

/** Changes a message. For administrators. Throws as createBroadcastMessage, NotFound. */
export async function updateBroadcastMessage(
  context: Context,
  id: number,
  values: BroadcastMessageValues,
): Promise<{ id: number }> {
  requireAdmin(context);
  await context.db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'BroadcastMessage', id);
    const found = await tx.broadcastMessage.findUnique({ where: { id } });
    if (!found) throw new NotFound('BroadcastMessage');
    const startsAt = dateOf(values.startsAt) ?? found.startsAt;
    const endsAt = dateOf(values.endsAt) ?? found.endsAt;
    await tx.broadcastMessage.update({ where: { id }, data: checked({ ...values, startsAt, endsAt }) });
    await auditChanges(tx, context, { action: 'broadcast_message_updated', ...audited(id) }, before);
  });
  forgetSettings(context.db);
  return { id };
}

/** Deletes a message. For administrators. Throws Forbidden, NotFound. */
export async function deleteBroadcastMessage(context: Context, id: number): Promise<{ id: number }> {
  requireAdmin(context);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.broadcastMessage.deleteMany({ where: { id } });
    if (count === 0) throw new NotFound('BroadcastMessage');
    await audit(tx, context, { action: 'broadcast_message_deleted', ...audited(id) });
  });
  forgetSettings(context.db);
  return { id };
}

function audited(id: number) {
  return { place: 'server', target: { type: 'BroadcastMessage', id, name: `#${id}` } } as const;
}

const LEVELS = [10, 20, 30, 40, 50];

/** The given values in the form in which they are stored. Throws ValidationFailed. */
function checked({ targetAccessLevels, ...values }: BroadcastMessageValues & { startsAt: Date; endsAt: Date }) {
  const { message, startsAt, endsAt, theme, targetPath, broadcastType, dismissable } = values;
  const errors: FieldErrors = {};
  const refuse = (name: string, what: string) => {
    errors[snakeCase(name)] = [what];
  };
  if (message != null && message.trim() === '') refuse('message', "can't be blank");
  if ([...(message ?? '')].length > MAX_LENGTH) refuse('message', `is too long (maximum is ${MAX_LENGTH} characters)`);
  if ([...(targetPath ?? '')].length > MAX_PATH_LENGTH)
    refuse('targetPath', `is too long (maximum is ${MAX_PATH_LENGTH} characters)`);
  if (endsAt <= startsAt) refuse('endsAt', 'must be after the start');
  if (theme != null && !BROADCAST_THEMES.includes(theme as never)) refuse('theme', 'is not included in the list');
  if (broadcastType != null && !BROADCAST_TYPES.includes(broadcastType as never))
    refuse('broadcastType', 'is not included in the list');
  if (targetAccessLevels?.some((level) => !LEVELS.includes(level)))
    refuse('targetAccessLevels', 'is not included in the list');
  const colors: Record<string, string | null> = {};
  for (const name of ['color', 'font'] as const) {
    const color = values[name]?.trim() ?? '';
    if (color !== '' && !/^#[0-9a-f]{6}$/i.test(color)) refuse(name, 'must be a valid color code');
    if (values[name] !== undefined) colors[name] = color === '' ? null : color;
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return {
    ...colors,
    startsAt,
    endsAt,
    ...(message != null && { message }),
    ...(theme != null && { theme }),
    ...(broadcastType != null && { broadcastType }),
    ...(dismissable != null && { dismissable }),
    ...(targetAccessLevels !== undefined && { targetAccessLevels: [...new Set(targetAccessLevels ?? [])].sort() }),
    ...(targetPath !== undefined && { targetPath: targetPath?.trim() || null }),
  };
}

function dateOf(given: Date | string | null | undefined): Date | null {
  return given == null ? null : new Date(given);
}
