import { type Audited, type Auditing, audit } from '#src/access/audit/record.ts';
import { auditPlace, type MemberPlace } from '#src/domain/members/source.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** What of a membership can change. */
interface Membership {
  accessLevel: number;
  expiresAt: Date | null;
}

/** Records how a membership was changed: its level, and the day on which it ends. */
export async function auditMember(
  tx: Transaction,
  context: Auditing,
  source: MemberPlace,
  before: Membership & { userId: number },
  now: Partial<Membership>,
): Promise<void> {
  const event = {
    action: 'member_updated',
    place: auditPlace(source),
    target: { type: 'User', id: before.userId },
  } as const;
  const { accessLevel = before.accessLevel, expiresAt = before.expiresAt } = now;
  const [from, to] = [dayOf(before.expiresAt), dayOf(expiresAt)];
  await audit(
    tx,
    context,
    ...(accessLevel === before.accessLevel
      ? []
      : [{ ...event, attribute: 'access_level', from: before.accessLevel, to: accessLevel }]),
    ...(from === to ? [] : [{ ...event, attribute: 'expires_at', from, to }]),
  );
}

/** A membership by its IDs: in a project, or else in a group. */
export interface MemberIds {
  userId: number;
  projectId: number | null;
  groupId: number | null;
}

/** The record of the end of a membership. */
export function endOf({ userId, projectId, groupId }: MemberIds, action: 'member_deleted' | 'member_expired'): Audited {
  const place = projectId === null ? { groupId: groupId ?? 0 } : { projectId };
  return { action, place, target: { type: 'User', id: userId } };
}

function dayOf(date: Date | null): string | null {
  return date?.toISOString().slice(0, 10) ?? null;
}
