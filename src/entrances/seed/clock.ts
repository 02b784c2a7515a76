import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** A moment in the sample data's history, and when it was written. */
export interface Mark {
  /** Milliseconds since 1970, like all times here. */
  written: number;
  told: number;
}

/**
 * Simulates the passing of time while the sample data is written: its history takes months, writing it seconds. Commands only
 * know the present, so the clock records which moment of the history was being written when, and `backdateRecords` replaces the
 * times afterwards. If the clock of the database differs, some records get the moment before or after theirs.
 */
export class StoryClock {
  readonly marks: Mark[] = [];

  /** The moment of the history that is being written. */
  get now(): number {
    return this.marks.at(-1)?.told ?? 0;
  }

  /** Moves on to this moment, which is later than the previous one. */
  async at(told: number): Promise<void> {
    if (told === this.now) return;
    if (!(told > this.now))
      throw new Error(`The timestamp ${new Date(told).toISOString()} is earlier than the previous one`);
    // The database rounds times to milliseconds: earlier writes must not be attributed to this moment.
    const written = this.marks.length === 0 ? Number.NEGATIVE_INFINITY : Date.now() + 2;
    while (Date.now() < written) await yieldToEventLoop();
    this.marks.push({ written, told });
  }

  /** Moves on by that many seconds. */
  later(seconds: number): Promise<void> {
    return this.at(this.now + seconds * 1000);
  }
}

/** A moment in UTC, such as `2025-01-06 09:00`. */
export function moment(text: string): number {
  const time = Date.parse(`${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(time)) throw new Error(`"${text}" is not a moment`);
  return time;
}
