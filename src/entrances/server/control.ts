import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface ControlOptions {
  /** Brings the data back to how they were at the start. */
  reset(): Promise<void>;
  /** Writes an answer. */
  answer(message: ControlMessage): void;
}

/** What the server says to the program that controls it, a line of JSON each. */
export type ControlMessage =
  | { event: 'started'; url: string; tokens: Record<string, string> }
  | { event: 'reset' }
  | { event: 'failed'; message: string };

/**
 * Follows the program that started this server: it writes a command a line, of which `reset` is the only one, and closes the
 * stream, or ends however that happens, when the server is to stop.
 *
 * @returns settles when the stream has ended
 */
export async function followCommands(input: Readable, { reset, answer }: ControlOptions): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const command = line.trim();
    if (command === '') continue;
    try {
      if (command !== 'reset') throw new Error(`There is no command ${JSON.stringify(command.slice(0, 50))}`);
      await reset();
      answer({ event: 'reset' });
    } catch (error) {
      answer({ event: 'failed', message: (error as Error).message });
    }
  }
}
