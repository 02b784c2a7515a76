/** What a comparison may cost. */
export interface DiffLimits {
  /** Paths that differ; the walk ends there, and renames are not looked for. */
  changes: number;
  /** Entries; the others are left out. */
  files: number;
  /** The larger side of a file, in bytes; a larger file is marked as too large. */
  fileBytes: number;
  /** The text of one entry, in bytes. */
  patchBytes: number;
  /** The text of all entries, in bytes; those that come later are marked as too large. */
  textBytes: number;
  /** Both sides of all files together, in bytes; files that come later are marked as too large. */
  totalBytes: number;
  /** All together, in milliseconds; files that are not compared by then are marked as too large. */
  milliseconds: number;
}

export const DEFAULT_LIMITS: DiffLimits = {
  changes: 10_000,
  files: 3_000,
  fileBytes: 1024 * 1024,
  patchBytes: 1024 * 1024,
  textBytes: 16 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  milliseconds: 10_000,
};

/** Added and removed files that are compared for renames: more pairs than its square are not looked at. */
export const MAX_RENAMES = 400;
