import type { Db, Transaction } from '#src/platform/database/db.ts';

/** Bytes of a part: the driver takes some milliseconds for so many, in which nothing else runs. */
const PART_BYTES = 256 * 1024;

/** Stores the content of a message. */
export async function writeContent(tx: Transaction, messageId: number, content: Uint8Array): Promise<void> {
  for (let at = 0; at < content.length; at += PART_BYTES) {
    const part = Buffer.from(content.subarray(at, at + PART_BYTES));
    await tx.$executeRaw`
      INSERT INTO mail_in_parts (message_id, number, content) VALUES (${messageId}, ${at / PART_BYTES}::int, ${part})`;
  }
}

/** The content of a message; null once it is handled. */
export async function readContent(db: Db, messageId: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const [part] = await db.$queryRaw<{ content: Uint8Array }[]>`
      SELECT content FROM mail_in_parts WHERE message_id = ${messageId} AND number = ${parts.length}::int`;
    if (!part) return parts.length > 0 ? Buffer.concat(parts) : null;
    parts.push(part.content);
  }
}
