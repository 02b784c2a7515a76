import { Overrun, Threads } from '#src/base/thread.ts';
import { MAX_MESSAGE_BYTES, type ReadAnswer } from '#src/domain/mail_in/message.ts';

/** Several times what the largest sensible message takes. */
const LIMITS = { threads: 1, memory: 384, milliseconds: 60_000, cpuTime: 10_000, idle: 30_000 };

/** In a checkout the thread is TypeScript, in the published package JavaScript. */
const SCRIPT = new URL(import.meta.filename.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

const threads = new Threads<Uint8Array, ReadAnswer>(SCRIPT, LIMITS);

/** Reads a message in a thread, or says in a sentence why it is not read. Throws ThreadLate if the machine is busy. */
export async function readMail(content: Uint8Array): Promise<ReadAnswer> {
  if (content.length > MAX_MESSAGE_BYTES) {
    return { refused: `A message can have at most ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.` };
  }
  try {
    return await threads.run(content);
  } catch (error) {
    if (error instanceof Overrun) return { refused: 'The message takes too long to read.' };
    throw error;
  }
}
