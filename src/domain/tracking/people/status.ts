import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { UserAvailability } from '#src/generated/prisma/client.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { emojiNamed } from '#src/platform/emoji.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** What a user says about themself for the moment. */
export interface Status {
  /** Name without colons; null without a status. */
  emoji: string | null;
  message: string | null;
  availability: UserAvailability;
  clearAt: Date | null;
}

export const NO_STATUS: Status = { emoji: null, message: null, availability: 'not_set', clearAt: null };

/** How long a status may last, in hours. */
const HOURS = {
  '30_minutes': 0.5,
  '3_hours': 3,
  '8_hours': 8,
  '1_day': 24,
  '3_days': 72,
  '7_days': 168,
  '30_days': 720,
} as const;

export type ClearStatusAfter = keyof typeof HOURS;
export const STATUS_TERMS = Object.keys(HOURS) as ClearStatusAfter[];

/** Of a user who only says something. */
const SPEAKING = 'speech_balloon';
const MAX_MESSAGE_LENGTH = 100;

/** Changes to the own status: unset means unchanged, null clears. */
export interface StatusChanges {
  emoji?: string | null | undefined;
  message?: string | null | undefined;
  availability?: UserAvailability | null | undefined;
  clearAfter?: ClearStatusAfter | null | undefined;
}

/** The status of a user by ID or username, which everyone may know. Throws NotFound. */
export async function findStatus({ db }: Pick<Context, 'db'>, idOrUsername: string): Promise<Status> {
  const [status] = await db.$queryRaw<Status[]>`
    SELECT s.emoji, s.message, COALESCE(s.availability, 'not_set') AS availability, s.clear_at AS "clearAt"
    FROM users u LEFT JOIN user_statuses s ON s.user_id = u.id AND (s.clear_at IS NULL OR s.clear_at > now())
    WHERE NOT u.ghost AND ${named(idOrUsername)}`;
  if (!status) throw new NotFound('User');
  return status;
}

function named(idOrUsername: string): Prisma.Sql {
  if (/^[1-9]\d{0,8}$/.test(idOrUsername)) return Prisma.sql`u.id = ${Number(idOrUsername)}`;
  return Prisma.sql`lower(u.username) = lower(${idOrUsername.replaceAll('\0', '')})`;
}

/**
 * Sets the status of the actor, which ends if nothing is left of it. Throws Unauthenticated,
 * InsufficientScope, ValidationFailed.
 */
export async function setStatus(context: Context, changes: StatusChanges): Promise<Status> {
  const { id: userId } = requireActor(context);
  const emoji = changes.emoji ? await emojiNamed(changes.emoji.replace(/^:(.*):$/, '$1')) : changes.emoji;
  const errors: FieldErrors = {};
  if (changes.emoji && emoji === null) errors.emoji = ['is not a valid emoji name'];
  const { message } = changes;
  if (message && [...message].length > MAX_MESSAGE_LENGTH)
    errors.message = [`is too long (maximum is ${MAX_MESSAGE_LENGTH} characters)`];
  else if (message?.includes('\0')) errors.message = ['is invalid'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return context.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
    const known = await tx.userStatus.findUnique({ where: { userId } });
    const isOver = known?.clearAt && known.clearAt <= new Date();
    const before = known && !isOver ? known : NO_STATUS;
    const wanted = emoji === undefined ? before.emoji : emoji || null;
    const { message = before.message, availability = before.availability, clearAfter } = changes;
    const next = {
      emoji: wanted ?? SPEAKING,
      message: message || null,
      availability: availability ?? 'not_set',
      clearAt: clearAfter === undefined ? before.clearAt : endOf(clearAfter),
    };
    if (wanted === null && next.message === null && next.availability === 'not_set') {
      await tx.userStatus.deleteMany({ where: { userId } });
      return NO_STATUS;
    }
    await tx.userStatus.upsert({ where: { userId }, create: { userId, ...next }, update: next });
    return next;
  });
}

function endOf(term: ClearStatusAfter | null): Date | null {
  return term === null ? null : new Date(Date.now() + HOURS[term] * 3_600_000);
}
