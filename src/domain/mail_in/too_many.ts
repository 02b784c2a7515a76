import crypto from 'node:crypto';
import { countUses } from '#src/access/sign_in/attempts.ts';
import type { IncomingKey } from '#src/domain/notifications/mailing/incoming_address.ts';
import type { Db } from '#src/platform/database/db.ts';
import { RateLimited } from '#src/platform/errors.ts';

/** Seconds in which messages are counted. */
const WINDOW = 60 * 60;

/** Whose the address of a key is, which messages to it count for: a user, a service desk, or somebody who takes part in an issue by mail. */
export function addresseeOf(key: IncomingKey): string {
  switch (key.kind) {
    case 'request':
      return `desk ${key.projectId}`;
    case 'participant':
      return `participant ${key.participantId}`;
    default:
      return String(key.userId);
  }
}

/**
 * Counts a message of a kind, and returns whether it is one too many within an hour. The address of a sender is easily forged, so that
 * whose address it went to counts, too.
 */
export async function isOneTooMany(
  db: Db,
  kind: string,
  { sender, addressee }: { sender: string; addressee?: string },
  most: number,
): Promise<boolean> {
  const hash = crypto.createHash('sha256').update(sender).digest('base64url');
  const counted = {
    [`${kind} from ${hash}`]: most,
    ...(addressee !== undefined && { [`${kind} of ${addressee}`]: most }),
  };
  try {
    await countUses(db, WINDOW, counted);
    return false;
  } catch (error) {
    if (error instanceof RateLimited) return true;
    throw error;
  }
}
