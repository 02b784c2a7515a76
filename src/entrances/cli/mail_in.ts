import { parseArgs } from 'node:util';
import type { Received } from '#src/domain/mail_in/receive.ts';
import { quietLog, type Run, settings } from '#src/entrances/cli/command.ts';
import { ConfigError } from '#src/platform/config/config.ts';

/** The command `gantry mail-in`. */
export const mailInCommands: Record<string, Run> = { 'mail-in': mailIn };

/** Exit statuses that mail servers know (sysexits.h): the message is refused, or is to be tried again later. */
const DATA = 65;
const UNAVAILABLE = 69;
const LATER = 75;

const STATUSES: Record<Received['is'], number> = { accepted: 0, repeated: 0, dropped: 0, refused: DATA, later: LATER };

/**
 * Receives the message on the standard input. What goes wrong with the server or its settings is for the mail server to try again
 * later, so that no message is lost.
 */
async function mailIn(args: string[]): Promise<number> {
  parseArgs({ args, options: {} });
  try {
    const received = await receiveInput();
    if (received === null) return say('GANTRY_MAIL_IN_ADDRESS is not set', UNAVAILABLE);
    const { is, reason } = received;
    return is === 'accepted' ? 0 : say(reason, STATUSES[is]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return say(reason, error instanceof ConfigError ? UNAVAILABLE : LATER);
  }
}

async function receiveInput(): Promise<Received | null> {
  const config = settings();
  if (!config.mailIn) return null;
  const [{ MAX_MESSAGE_BYTES }, { receiveIntoQueue }] = await Promise.all([
    import('#src/domain/mail_in/message.ts'),
    import('#src/entrances/server/receive_mail.ts'),
  ]);
  // One byte more than is read tells that it is too large; the rest is read, so that the mail server can write it.
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    if (size <= MAX_MESSAGE_BYTES) parts.push(part);
    size += part.length;
  }
  return receiveIntoQueue(config, quietLog(config), Buffer.concat(parts));
}

function say(reason: string, status: number): number {
  process.stderr.write(`gantry: ${reason}\n`);
  return status;
}
