import { type Facts, form, type Page } from '#pages/engine/row.ts';
import { SendSuggestionsDocument } from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

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

/** The form below a page of a merge request that applies the chosen suggestions in one commit. */
export function batchForm(path: string, again: Page, goTo: (facts: Facts) => string) {
  return form({
    path: `${path}/apply_all`,
    operation: SendSuggestionsDocument,
    hidden: ['commitMessage'],
    check: ({ ids }): Record<string, string> => (ids === undefined ? { '': label('Choose at least one.') } : {}),
    says: label('The suggestions were applied.'),
    goTo: (_data, facts) => goTo(facts),
    again,
  });
}
