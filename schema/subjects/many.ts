import type { InputFields } from '#schema/inputs.ts';

/** What several issues or merge requests are changed to alike; `which` is what they are. */
export function changesAlike(t: InputFields, which: 'issues' | 'merge requests') {
  return {
    assigneeUsernames: t.stringList({
      description: `Usernames of the users to assign the ${which} to; an empty list for nobody. For reporters.`,
    }),
    milestone: t.string({
      description:
        'Title of a milestone of their project or of a group around it; an empty text for none. For reporters.',
    }),
    addLabels: t.stringList({
      description: 'Titles of labels that they get besides. Missing labels are created. For reporters.',
    }),
    removeLabels: t.stringList({ description: 'Titles of labels that they lose. For reporters.' }),
  };
}

/** The description of the field with those that were not changed. */
export const UNCHANGED =
  'Those that stay as they are, as the caller cannot see or change them, or a value does not fit.';

/** The description of why one was not changed. */
export const WHY = 'Why it stays as it is.';
