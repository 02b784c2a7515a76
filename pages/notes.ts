import { path } from '#pages/engine/helpers.ts';
import { localPath } from '#pages/engine/page.ts';
import { type Facts, type Form, form, type OfRow, type Page, page } from '#pages/engine/row.ts';
import {
  NotePageDocument,
  type NotePageQuery,
  type NotePlaceFragment,
  type NoteShownFragment,
  type NoteSoughtFragment,
  SendNoteChangeDocument,
  SendNoteDeletionDocument,
  SendNoteDocument,
  SendResolutionDocument,
  type SuggestionShownFragment,
  ThreadPageDocument,
  type ThreadPageQuery,
  type ThreadPlaceFragment,
  type ThreadShownFragment,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** How many threads a timeline has on a page. Each is of up to 10 notes, which keeps within what one operation may cost. */
export const THREADS = 50;

/** A thread, whose place is told where it can have one. */
export type ShownThread = ThreadShownFragment & Partial<ThreadPlaceFragment>;

/** A note, whose suggestions are told where it can have some. */
export type ShownNote = NoteShownFragment & { suggestions?: readonly SuggestionShownFragment[] | null };

/** What a timeline shows of the record that it is on (`discussions`). */
export interface Talk {
  project: { fullPath: string };
  on: string;
  base: string;
  author: string;
  canComment: boolean;
  canCommentInternally: boolean;
  locked: boolean;
  canBeginThreads: boolean;
  /** Buttons beside that for a comment, as markup. */
  beside?: string;
  actions?: 'Issue' | 'MergeRequest';
}

/** What a thread shows (`notes/discussion`): in a timeline, or alone and as a whole, without its record. */
export interface OfThread
  extends Pick<OfRow, 'values' | 'problems' | 'url'>,
    Pick<Talk, 'project' | 'canComment'>,
    Partial<Pick<Talk, 'on' | 'base' | 'author' | 'actions'>> {
  thread: ShownThread;
  /** The query of the page that forms go back to. */
  search: string;
  isWhole?: boolean;
}

const SECTIONS: Record<string, string> = { Issue: 'issues', MergeRequest: 'merge_requests', Snippet: 'snippets' };

type WholeThread = Extract<ThreadPageQuery['node'], { notes: object }>;
type ChangeableNote = Extract<NotePageQuery['node'], { body: string }>;

/** The address of the record that a note is on, of the page of its timeline that the request came from. */
function subjectOf({ noteableType, noteableId, noteableIid }: NotePlaceFragment, { given, url }: Facts): string {
  const number = noteableIid ?? noteableId ?? '';
  return `${path(String(given.project), '-', SECTIONS[noteableType] ?? '', number)}${url.search}`;
}

/** The variables of a page with a timeline, whose parameter `note` names a comment that it leads to. */
export const withSoughtNote = (given: Facts['given']): Facts['given'] =>
  /^\d{1,9}$/.test(String(given.note)) ? { ...given, seeksNote: 'true' } : { ...given, note: undefined };

/** How the pages of a timeline are addressed: the parameter behind which one begins, and the page of a whole thread. */
interface Addresses {
  after: string;
  thread: string;
}

interface Timeline {
  nodes: readonly { id: string; notes: { nodes: readonly { databaseId: number }[] } }[];
}

/**
 * The address of the page that shows a comment which the given page of a timeline does not: the page that begins with its thread, or that
 * of the thread where the comment is further down in it. Null where it is shown, or none is sought.
 */
export function pageOfNote(
  place: string,
  { nodes }: Timeline,
  note: NoteSoughtFragment | null | undefined,
  { given, url }: Facts,
  { after, thread }: Addresses = { after: 'after', thread: `${path(place)}/-/discussions` },
): string | null {
  if (!note || nodes.some(({ notes }) => notes.nodes.some(({ databaseId }) => databaseId === note.databaseId))) {
    return null;
  }
  const anchor = `#note_${note.databaseId}`;
  if (nodes.some(({ id }) => id === note.discussionId)) {
    const whole = `${thread}${path(note.discussionId ?? '')}`;
    return `${whole}?${new URLSearchParams({ after: note.cursorInThread })}${anchor}`;
  }
  if (given[after] === note.threadCursor) return null;
  const query = new URLSearchParams({ [after]: note.threadCursor, note: String(note.databaseId) });
  return `${url.pathname}?${query}${anchor}`;
}

/**
 * The form that comments on a record, or answers in a thread: sent to `/notes` below the path of the record's page, which is shown again
 * if the text is refused.
 */
export function commentForm(subject: string, again: Page): Form {
  return form({
    path: `${subject}/notes`,
    operation: SendNoteDocument,
    names: { 'on[id]': 'on', discussionId: 'thread' },
    required: ['on'],
    says: label('The comment was added.'),
    goTo: ({ createNote }, { url }) => {
      const note = createNote?.note;
      return `${url.pathname.replace(/\/notes$/, '')}${url.search}${note ? `#note_${note.databaseId}` : ''}`;
    },
    again,
  });
}

const notePage = (name: 'edit' | 'delete', title: string) =>
  page({
    path: `/:project/-/notes/:note/${name}`,
    operation: NotePageDocument,
    view: `notes/${name}`,
    found: ({ project, node }) =>
      project && node && 'body' in node && node.viewerCanUpdate ? { project, note: node as ChangeableNote } : null,
    title: ({ project }, { t }) => `${t(title)} · ${project.fullPath}`,
    show: ({ project, note }, facts) => ({
      project,
      note,
      subject: subjectOf(note, facts),
      tab: SECTIONS[note.noteableType],
    }),
    signIn: true,
  });

const editNote = notePage('edit', label('Edit comment'));
const deleteNote = notePage('delete', label('Delete comment'));

export const notes = [
  page({
    path: '/:project/-/discussions/:thread',
    operation: ThreadPageDocument,
    view: 'notes/thread',
    found: ({ project, node }) => {
      const [first] = node && 'notes' in node ? node.notes.nodes : [];
      return project && node && 'notes' in node && first ? { project, thread: node as WholeThread, first } : null;
    },
    title: ({ project }, { t }) => `${t('Thread')} · ${project.fullPath}`,
    show: ({ project, thread, first }, { given, url }) => ({
      project,
      thread,
      subject: subjectOf(first, { given, url: new URL(url.pathname, url) } as Facts),
      tab: SECTIONS[first.noteableType],
    }),
    pageSize: 100,
  }),
  editNote,
  form({
    path: '/:project/-/notes/:note/edit',
    operation: SendNoteChangeDocument,
    names: { id: 'note' },
    required: ['body'],
    says: label('The comment was saved.'),
    goTo: ({ updateNote }, facts) =>
      updateNote ? `${subjectOf(updateNote.note, facts)}#note_${updateNote.note.databaseId}` : '/',
    again: editNote,
  }),
  deleteNote,
  form({
    path: '/:project/-/notes/:note/delete',
    operation: SendNoteDeletionDocument,
    names: { id: 'note' },
    says: label('The comment was deleted.'),
    asks: deleteNote,
    again: null,
    goTo: (_data, { given }) => localPath(given.back, path(String(given.project))),
  }),
  form({
    path: '/:project/-/discussions/:thread/resolve',
    operation: SendResolutionDocument,
    names: { id: 'thread' },
    required: ['resolved'],
    says: (_data, { given }) =>
      String(given.resolved) === 'true' ? label('The thread is resolved.') : label('The thread is open again.'),
    goTo: ({ resolveDiscussion }, facts) => {
      const [first] = resolveDiscussion?.discussion.notes.nodes ?? [];
      return first ? `${subjectOf(first, facts)}#note_${first.databaseId}` : path(String(facts.given.project));
    },
  }),
];
