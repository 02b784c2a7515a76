/** A suggestion that the reader can apply, with others in one commit. */
export interface SuggestedLines {
  /** Global ID. */
  id: string;
  /** Of the file that it changes. */
  path: string;
  fromLine: number;
  /** Display name. */
  author: string;
}

interface Thread {
  position: { newPath: string | null } | null;
  notes: {
    nodes: readonly {
      author: { name: string };
      suggestions: readonly { id: string; viewerCanApply: boolean; fromLine: number }[] | null;
    }[];
  };
}

/** The suggestions in threads that the reader can apply. */
export function suggestedIn(threads: readonly Thread[]): SuggestedLines[] {
  return threads.flatMap(({ position, notes }) =>
    notes.nodes.flatMap(({ author, suggestions }) =>
      (suggestions ?? []).flatMap(({ id, viewerCanApply, fromLine }) =>
        viewerCanApply ? [{ id, fromLine, path: position?.newPath ?? '', author: author.name }] : [],
      ),
    ),
  );
}
