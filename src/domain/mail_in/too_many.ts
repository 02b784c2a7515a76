import crypto from 'node:crypto';
import { countUses } from '#src/access/sign_in/attempts.ts';
import type { Db } from '#src/platform/database/db.ts';
import { RateLimited } from '#src/platform/errors.ts';

/** Seconds in which messages are counted. */
const WINDOW = 60 * 60;

/**
 * Counts a message of a kind, and returns whether it is one too many within an hour. The address of a sender is easily forged, so that
 * the user of the address to which it went counts, too.
 */
export async function isOneTooMany(
  db: Db,
  kind: string,
  { sender, userId }: { sender: string; userId: number },
  most: number,
): Promise<boolean> {
  const hash = crypto.createHash('sha256').update(sender).digest('base64url');
  try {
    await countUses(db, WINDOW, { [`${kind} from ${hash}`]: most, [`${kind} of ${userId}`]: most });
    return false;
  } catch (error) {
    if (error instanceof RateLimited) return true;
    throw error;
  }
}
