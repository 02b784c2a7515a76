interface End {
  oldLine: number | null;
  newLine: number | null;
}

/** Where a thread is. */
interface Place extends End {
  /** The lines as they were when it was begun, of which it is on the last. */
  lineRange?: { start: End; end: End } | null;
}

/** The lines that a thread is on, by their numbers now; null if it is on a whole file. */
export function lineSpan({ oldLine, newLine, lineRange }: Place): { from: number; to: number } | null {
  const to = newLine ?? oldLine;
  if (to === null) return null;
  const side = newLine === null ? 'oldLine' : 'newLine';
  const [first, last] = [lineRange?.start[side], lineRange?.end[side]];
  // Added above removed ones, for one, are not counted.
  const above = first != null && last != null && first < last ? last - first : 0;
  return { from: Math.max(1, to - above), to };
}
