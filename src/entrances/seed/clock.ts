import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** A moment of the sample data's history, and when what happened at it was written. */
export interface Mark {
  /** Milliseconds since 1970, as all times here. */
  written: number;
  told: number;
}

/**
 * The history of the sample data takes months, writing it seconds. Commands know one time only, the present: the clock notes
 * which moment of the history was being written when, and `backdateRecords` puts that in the place of the present afterwards. Where
 * the database has a clock of its own that differs, some records get the moment before or after theirs.
 */
export class StoryClock {
  readonly marks: Mark[] = [];

  /** The moment of the history that is being written. */
  get now(): number {
    return this.marks.at(-1)?.told ?? 0;
  }

  /** What is written from here on happened at this moment, which is later than the one before. */
  async at(told: number): Promise<void> {
    if (told === this.now) return;
    if (!(told > this.now)) throw new Error(`The history goes back to ${new Date(told).toISOString()}`);
    // The database rounds its times to milliseconds: what was written before must not seem to be of this moment.
    const written = this.marks.length === 0 ? Number.NEGATIVE_INFINITY : Date.now() + 2;
    while (Date.now() < written) await yieldToEventLoop();
    this.marks.push({ written, told });
  }

  /** What is written from here on happened that many seconds later. */
  later(seconds: number): Promise<void> {
    return this.at(this.now + seconds * 1000);
  }
}

/** A moment in UTC, as `2025-01-06 09:00`. */
export function moment(text: string): number {
  const time = Date.parse(`${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(time)) throw new Error(`"${text}" is not a moment`);
  return time;
}
