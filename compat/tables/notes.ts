import { from, name, names, object, of, same, type } from '#compat/engine/entries.ts';
import { gidOf } from '#compat/engine/global_id.ts';
import { connection } from '#compat/engine/pages.ts';
import type { Row } from '#compat/engine/table.ts';
import { time } from '#compat/tables/values.ts';

const NOTE_CLASSES: Readonly<Record<string, string>> = { DIFF_NOTE: 'DiffNote', DISCUSSION_NOTE: 'DiscussionNote' };

type('Note', 'Note', {
  ...names('body', 'bodyHtml', 'internal', 'resolvable', 'resolved', 'system'),
  id: from<{ databaseId: number; type: string | null }>('databaseId type', ({ databaseId, type: kind }) =>
    gidOf(NOTE_CLASSES[String(kind)] ?? 'Note', databaseId),
  ),
  createdAt: time('createdAt'),
  lastEditedAt: time('lastEditedAt'),
  url: name('webUrl'),
  author: object('author', 'UserCore'),
  awardEmoji: connection('awards', 'AwardEmoji'),
  discussion: object('discussion', 'Discussion'),
  position: object('position', 'DiffPosition'),
  userPermissions: same('NotePermissions'),
});

type('NotePermissions', 'Note', {
  adminNote: name('viewerCanUpdate'),
  createNote: from<{ subject: Row | null }>(
    `subject { __typename ${['Issue', 'MergeRequest', 'Snippet'].map((type) => `... on ${type} { viewerCanComment }`).join(' ')} }`,
    ({ subject }) => subject?.viewerCanComment === true,
  ),
  resolveNote: from<{ discussion: Row | null }>(
    'discussion { viewerCanResolve }',
    ({ discussion }) => discussion?.viewerCanResolve === true,
  ),
});

type('AwardEmoji', 'AwardEmoji', { name: name('name'), emoji: name('character'), user: object('user', 'UserCore') });

const key = of<string>('key', (value) => gidOf('Discussion', value));

type('Discussion', 'Discussion', {
  ...names('resolvable', 'resolved'),
  id: key,
  replyId: key,
  createdAt: time('createdAt'),
  notes: connection('notes', 'Note'),
});

type('DiffPosition', 'DiffPosition', {
  ...names('newLine', 'newPath', 'oldLine', 'oldPath'),
  diffRefs: same('DiffRefs/DiffPosition'),
  filePath: from<Row>('newPath oldPath', ({ newPath, oldPath }) => newPath || oldPath),
  // Whole files have a place of their own in newer versions alone.
  positionType: of('positionType', (kind) => (kind === 'IMAGE' ? 'image' : 'text')),
});

type('DiffRefs', 'DiffPosition', names('baseSha', 'headSha', 'startSha'), 'DiffPosition');
