/** A problem that was found. */
export interface Finding {
  /** Full path of the project; null if it concerns none. */
  project: string | null;
  /** The directory or file concerned. */
  place: string;
  /** The problem, as a sentence. */
  what: string;
  /** The remedy, as a sentence. */
  advice: string;
  /** Unfinished work of a process that died: nothing was lost, and nothing uses it. */
  isHarmless?: boolean;
  /** Whether it was fixed. */
  isFixed?: boolean;
}
