import type { FailedRelation } from '#src/domain/project_archives/tree.ts';

/** Archives of projects of another server, which become files of our layout before they are imported. */
export interface ForeignFormat {
  /** Makes the directories of its files in that of the import. */
  prepare(directory: string): Promise<void>;
  /** Where a file of such an archive is put in the directory; null for one that does not come along. */
  placeOf(name: string): string | null;
  /** Whether what was unpacked is such an archive. */
  isIn(directory: string): boolean;
  /**
   * Makes files of our layout. Throws ArchiveInvalid, and the signal's reason.
   *
   * @param leftOut the files that had no place: the names of the first, and how many there were
   * @returns what does not come along
   */
  translate(
    directory: string,
    leftOut: { names: readonly string[]; count: number },
    signal: AbortSignal,
  ): Promise<FailedRelation[]>;
}
