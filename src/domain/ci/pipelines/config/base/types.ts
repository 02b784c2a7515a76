export type Variables = Record<string, string>;

/** A job that another one waits for. */
export interface Need {
  /** Its name, or the base name of several. */
  job: string;
  /** Whether the other one gets its artifacts. */
  artifacts: boolean;
  /** Whether it may be absent. */
  optional: boolean;
  /** Which of the jobs of a matrix, by what distinguishes them; null for all. */
  matrix: string[] | null;
}

/** The file is invalid; the message, which can be stored, says where. */
export class InvalidConfig extends Error {
  constructor(message: string) {
    super(message.replaceAll('\0', '').toWellFormed().slice(0, 1000));
  }
}
