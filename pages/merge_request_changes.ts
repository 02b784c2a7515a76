import { placeThreads } from '#pages/commits.ts';
import { type ShownFile, type ShownLine, shownFiles } from '#pages/diff.ts';
import { spokenOfBy, spokenOfIn, withLinesApart } from '#pages/diff_apart.ts';
import { placeNamed } from '#pages/diff_names.ts';
import { firstLines, withRange } from '#pages/diff_ranges.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { batchForm, suggestedIn } from '#pages/suggestions.ts';
import {
  type ChangesShownFragment,
  type DiffFilesFragment,
  MergeRequestChangesPageDocument,
  MergeRequestComparisonPageDocument,
  MergeRequestVersionPageDocument,
  SendDraftRemovalDocument,
  SendLineDraftDocument,
  SendLineNoteDocument,
  SendReviewDocument,
  SendSuggestionDocument,
  SendThreadDraftDocument,
  SendThreadReplyDocument,
  SendThreadResolutionDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const PATH = '/:project/-/merge_requests/:iid/diffs';

interface Shown {
  mergeRequest: ChangesShownFragment;
  diff: DiffFilesFragment | null;
  /** The version that is shown, if it is not the latest. */
  earlier: Version | null;
  /** The head of another version that it is compared with, in place of the target branch. */
  since?: string | null;
}

interface Version {
  databaseId: number;
  baseCommitSha: string | null;
  startCommitSha: string;
  headCommitSha: string;
}

/** What the template shows: threads and drafts at the lines that they are on. */
export function changes({ mergeRequest, diff, earlier, since = null }: Shown, facts: Facts) {
  const { given } = facts;
  const head = earlier?.headCommitSha ?? mergeRequest.diffRefs?.headSha;
  const threads = (mergeRequest.discussionsOnChanges?.nodes ?? []).flatMap((thread) => {
    const known = [thread.position, thread.originalPosition];
    if (since !== null) {
      const position = placeBetween(known, { head, since });
      return position ? [{ ...thread, position, isDraft: false as const }] : [];
    }
    const at = known.find((one) => one?.headSha === head) ?? null;
    if (earlier && !at) return [];
    // The line of an outdated thread is that of an earlier version: it is shown with the file.
    const position = earlier ? at : thread.outdated ? fileOf(thread.originalPosition) : thread.position;
    return [{ ...thread, position, isDraft: false as const }];
  });
  const drafts = since === null ? (mergeRequest.draftNotes?.nodes ?? []) : [];
  const placeable = [
    ...threads,
    ...drafts.filter(({ position }) => position).map((draft) => ({ ...draft, isDraft: true as const })),
  ];
  const spokenOf = [...spokenOfIn(placeable), ...spokenOfBy(given.line)];
  const files = diff ? withLinesApart(shownFiles(diff, facts), spokenOf) : [];
  const placed = placeThreads(placeable, files);
  const shown = Object.values(placed).flat().length;
  const names = files.flatMap(({ id, hunks }) => [id, ...hunks.flatMap(({ lines }) => lines.map((line) => line.id))]);
  const first = names
    .flatMap((name) => placed[name] ?? [])
    .find((one) => !one.isDraft && !one.resolved && !one.outdated);
  const mayComment =
    earlier === null && since === null && mergeRequest.viewerCanComment && mergeRequest.diffRefs !== null;
  return {
    suggested: suggestedIn(threads),
    firstOpen: first && !first.isDraft ? first.notes.nodes[0]?.databaseId : undefined,
    ...{ mergeRequest, diff, files, earlier, drafts, mayComment, tab: 'changes', threads: placed },
    elsewhere:
      (mergeRequest.discussionsOnChanges?.totalCount ?? 0) + drafts.filter(({ position }) => position).length - shown,
    line: mayComment ? placeNamed(given.line) : undefined,
    firstLines: (file: ShownFile, one: ShownLine) => firstLines(file, one, given.from),
    since,
    refs:
      since !== null && head !== undefined
        ? { baseSha: since, startSha: since, headSha: head }
        : earlier
          ? { baseSha: earlier.baseCommitSha, startSha: earlier.startCommitSha, headSha: earlier.headCommitSha }
          : mergeRequest.diffRefs,
  };
}

type Position = ChangesShownFragment['draftNotes']['nodes'][number]['position'];

const fileOf = (position: Position): Position => position && { ...position, oldLine: null, newLine: null };

/** Where a thread is between the heads of two versions: at lines of the newer one, else at those of the older one. */
function placeBetween(
  known: readonly Position[],
  { head, since }: { head: string | undefined; since: string },
): Position {
  const hasLine = (one: Position) => one !== null && (one.newLine !== null || one.positionType === 'FILE');
  const newer = known.find((one) => one?.headSha === head && hasLine(one));
  if (newer) return { ...newer, oldPath: newer.newPath, oldLine: null };
  const older = known.find((one) => one?.headSha === since && hasLine(one));
  return older ? { ...older, oldPath: older.newPath, oldLine: older.newLine, newLine: null } : null;
}

const latest = page({
  path: PATH,
  operation: MergeRequestChangesPageDocument,
  view: 'merge_requests/changes',
  listsFiles: true,
  found: ({ project }) => (project?.mergeRequest ? { project, mergeRequest: project.mergeRequest } : null),
  title: ({ project, mergeRequest }, { t }) =>
    `${t('Changes')} · ${mergeRequest.title} (!${mergeRequest.iid}) · ${project.fullPath}`,
  show: ({ project, mergeRequest }, facts) => ({
    project,
    ...changes({ mergeRequest, diff: mergeRequest.fileDiffs, earlier: null }, facts),
    tab: 'merge_requests',
  }),
});

/** The ID of a version; links of today's tools have it as `diff_id`, and the head that it is compared with as `start_sha`. */
const versionIn = ({ version, diff_id: id }: Facts['given']) => version ?? (id === '' ? undefined : id);

const compared = page({
  path: PATH,
  operation: MergeRequestComparisonPageDocument,
  view: 'merge_requests/changes',
  listsFiles: true,
  variables: (given) => {
    const version = versionIn(given);
    return { ...given, since: given.start_sha, version, ...(version === undefined && { isNewest: 'true' }) };
  },
  found: ({ project }) => {
    const { mergeRequest } = project ?? {};
    const version = mergeRequest?.version ?? mergeRequest?.newest?.nodes[0];
    return project && mergeRequest && version ? { project, mergeRequest, version } : null;
  },
  title: ({ project, mergeRequest }, { t }) =>
    `${t('Changes')} · ${mergeRequest.title} (!${mergeRequest.iid}) · ${project.fullPath}`,
  show: ({ project, mergeRequest, version }, facts) => {
    const earlier = mergeRequest.versions.nodes[0]?.databaseId === version.databaseId ? null : version;
    const since = String(facts.given.start_sha);
    return {
      project,
      ...changes({ mergeRequest, diff: version.fileDiffs, earlier, since }, facts),
      tab: 'merge_requests',
    };
  },
});

export const mergeRequestChanges = [
  compared,
  page({
    path: PATH,
    operation: MergeRequestVersionPageDocument,
    variables: (given) => ({ ...given, version: versionIn(given) }),
    view: 'merge_requests/changes',
    listsFiles: true,
    found: ({ project }) => {
      const { mergeRequest } = project ?? {};
      return project && mergeRequest?.version ? { project, mergeRequest, version: mergeRequest.version } : null;
    },
    title: ({ project, mergeRequest }, { t }) =>
      `${t('Changes')} · ${mergeRequest.title} (!${mergeRequest.iid}) · ${project.fullPath}`,
    show: ({ project, mergeRequest, version }, facts) => {
      const [newest] = mergeRequest.versions.nodes;
      const earlier = newest?.databaseId === version.databaseId ? null : version;
      const diff = version.fileDiffs;
      return { project, ...changes({ mergeRequest, diff, earlier }, facts), tab: 'merge_requests' };
    },
  }),
  latest,
  form({
    path: PATH,
    operation: SendLineNoteDocument,
    variables: withRange,
    says: label('The comment was added.'),
    goTo: ({ createNote }, facts) => back(facts, `note_${createNote?.note?.databaseId}`),
    again: latest,
  }),
  form({
    path: `${PATH}/drafts`,
    operation: SendLineDraftDocument,
    variables: withRange,
    says: label('The comment was added to your review. Only you see it until you submit the review.'),
    goTo: ({ createDraftNote }, facts) => back(facts, `draft_${createDraftNote?.draftNote.databaseId}`),
    again: latest,
  }),
  form({
    path: `${PATH}/replies`,
    operation: SendThreadReplyDocument,
    names: { 'on[mergeRequest][project]': 'project', 'on[mergeRequest][iid]': 'iid' },
    required: ['discussionId'],
    says: label('The reply was added.'),
    goTo: ({ createNote }, facts) => back(facts, `note_${createNote?.note?.databaseId}`),
    again: latest,
  }),
  form({
    path: `${PATH}/draft_replies`,
    operation: SendThreadDraftDocument,
    required: ['discussionId'],
    says: label('The reply was added to your review. Only you see it until you submit the review.'),
    goTo: ({ createDraftNote }, facts) => back(facts, `draft_${createDraftNote?.draftNote.databaseId}`),
    again: latest,
  }),
  form({
    path: `${PATH}/resolve`,
    operation: SendThreadResolutionDocument,
    required: ['resolved'],
    says: (_data, { given }) =>
      String(given.resolved) === 'true' ? label('The thread is resolved.') : label('The thread is open again.'),
    goTo: (_data, facts) => back(facts, noteOf(facts)),
  }),
  form({
    path: `${PATH}/apply`,
    operation: SendSuggestionDocument,
    says: label('The suggestion was applied.'),
    goTo: (_data, facts) => back(facts, noteOf(facts)),
  }),
  form({
    path: `${PATH}/publish`,
    operation: SendReviewDocument,
    says: (_data, { given }) =>
      given.verdict === 'approve'
        ? label('You approved the merge request.')
        : given.verdict === 'request_changes'
          ? label('You requested changes.')
          : label('Your review was submitted.'),
    goTo: (_data, facts) => back(facts),
    again: latest,
  }),
  batchForm(PATH, latest, (facts) => back(facts)),
  form({
    path: `${PATH}/drafts/delete`,
    operation: SendDraftRemovalDocument,
    says: label('The comment was removed from your review.'),
    asks: (facts) => ({
      heading: facts.t('Delete this draft?'),
      says: [facts.t('Nobody else has seen it. This cannot be undone.')],
      button: facts.t('Delete draft'),
      back: back(facts),
    }),
    goTo: (_data, facts) => back(facts),
  }),
];

/** The anchor of the comment that a form was on. */
function noteOf({ given }: Facts): string | undefined {
  return /^\d{1,19}$/.test(String(given.note)) ? `note_${given.note}` : undefined;
}

/** The page that the form was on, without the form. */
function back({ url }: Facts, anchor?: string): string {
  const query = new URLSearchParams(url.search);
  for (const name of ['line', 'from']) query.delete(name);
  const text = query.toString();
  const path = url.pathname.replace(/\/diffs\/[a-z_/]+$/, '/diffs');
  return `${path}${text === '' ? '' : `?${text}`}${anchor === undefined ? '' : `#${anchor}`}`;
}
