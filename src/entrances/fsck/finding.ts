/** Something that is not as it should be. */
export interface Finding {
  /** Full path of the project; null for what belongs to none. */
  project: string | null;
  /** The directory or file that it is about. */
  place: string;
  /** What is wrong, as a sentence. */
  what: string;
  /** What can be done about it, as a sentence. */
  advice: string;
  /** Unfinished work of a process that died: nothing was lost, and nothing uses it. */
  isHarmless?: boolean;
  /** It was put right. */
  isFixed?: boolean;
}
