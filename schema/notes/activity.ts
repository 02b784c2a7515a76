import { builder } from '#schema/builder.ts';

/** Which notes a list has. */
export const NoteActivity = builder.enumType('NoteActivity', {
  description: 'Which notes a list has.',
  values: {
    ALL_NOTES: { value: 'all_notes', description: 'Those that users wrote, and system notes.' },
    ONLY_COMMENTS: { value: 'only_comments', description: 'Only notes that users wrote.' },
    ONLY_ACTIVITY: { value: 'only_activity', description: 'System notes, which record changes, alone.' },
  } as const,
});
