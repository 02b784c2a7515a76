import { text } from '#pages/engine/fields.ts';
import { path } from '#pages/engine/helpers.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import {
  type ConflictsShownFragment,
  MergeRequestConflictsPageDocument,
  SendConflictResolutionsDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const PATH = '/:project/-/merge_requests/:iid/conflicts';

type File = ConflictsShownFragment['files'][number];

/** Lines of text that both branches agree on, and that are shown before and after a region. */
const CONTEXT_LINES = 3;

/** Why conflicts are not resolved in the browser, in words. */
const REASONS: Record<File['kind'], string> = {
  TEXT: '',
  BINARY: label('Binary content, or text that is not in UTF-8'),
  DELETED: label('Changed on one branch and deleted on the other'),
  MOVED: label('Moved to different places, or its place is taken'),
  LINK: label('Symbolic link'),
  SUBMODULE: label('Submodule'),
  TOO_LARGE: label('Too large, or too many conflicts'),
  UNREAD: label('There are too many conflicts to show this file'),
};

/** A part of a file as the template shows it. */
export interface ShownPart {
  /** Number of the region from 0; null for text without conflicts. */
  region: number | null;
  /** What the branches have in the region; empty for others. */
  ours: string;
  theirs: string;
  /** The lines near regions, and how many are left out between these. */
  above: string;
  left: number;
  below: string;
}

const EMPTY_PART: ShownPart = { region: null, ours: '', theirs: '', above: '', left: 0, below: '' };

/** A file with conflicts as the template shows it. */
export interface ShownConflict {
  path: string;
  /** Why it is not resolved here; null if it is. */
  reason: string | null;
  /** The text with marks of conflicts. */
  text: string;
  /** Browsers send all lines with CR and LF. */
  lineEnds: 'crlf' | 'lf';
  regions: number;
  parts: ShownPart[];
}

/** The files as the template shows them. */
export function shownConflicts(files: readonly File[], t: Facts['t']): ShownConflict[] {
  return files.map(({ path, kind, resolvable, text, parts }) => {
    let regions = 0;
    const shown = parts.map((part, at): ShownPart => {
      if (part.text === null)
        return { ...EMPTY_PART, region: regions++, ours: part.ours ?? '', theirs: part.theirs ?? '' };
      return shortened(part.text, { isFirst: at === 0, isLast: at === parts.length - 1 });
    });
    const isCrlf = text?.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
    const reason = resolvable ? null : t(REASONS[kind]);
    return { path, reason, text: text ?? '', lineEnds: isCrlf ? 'crlf' : 'lf', regions, parts: shown };
  });
}

/** The lines of a text that are near regions. */
function shortened(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): ShownPart {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const above = isFirst ? 0 : CONTEXT_LINES;
  const below = isLast ? 0 : CONTEXT_LINES;
  const left = lines.length - above - below;
  // One line says no less than that there is one.
  if (left <= 1) return { ...EMPTY_PART, above: text };
  return {
    ...EMPTY_PART,
    left,
    above: lines.slice(0, above).join(''),
    below: below === 0 ? '' : lines.slice(-below).join(''),
  };
}

const CHOICES: readonly string[] = ['OURS', 'THEIRS', 'BOTH'];

/** The files of a form, whose fields are numbered. */
function filesIn(given: Facts['given']) {
  const files: { path: string; text?: string; choices?: string[]; regions: number }[] = [];
  for (let at = 0; typeof given[`path-${at}`] === 'string'; at++) {
    const filePath = text(given[`path-${at}`]);
    const regions = Math.min(Number(given[`regions-${at}`]) || 0, 1_000);
    if (given[`how-${at}`] === 'edit') {
      const whole = text(given[`text-${at}`]);
      files.push({
        path: filePath,
        regions,
        text: given[`ends-${at}`] === 'crlf' ? whole : whole.replaceAll('\r\n', '\n'),
      });
      continue;
    }
    const chosen = Array.from({ length: regions }, (_, region) => text(given[`region-${at}-${region}`]));
    files.push({ path: filePath, regions, choices: chosen.filter((choice) => CHOICES.includes(choice)) });
  }
  return files;
}

/** The files for which something was not chosen, by the fields of the form. */
function unchosen(given: Facts['given']): Record<string, string> {
  return Object.fromEntries(
    filesIn(given).flatMap(({ choices, regions }, at) =>
      choices && choices.length < regions ? [[`path-${at}`, label('Choose what to take for each conflict.')]] : [],
    ),
  );
}

const shown = page({
  path: PATH,
  operation: MergeRequestConflictsPageDocument,
  view: 'merge_requests/conflicts',
  found: ({ project }) => (project?.mergeRequest ? { project, mergeRequest: project.mergeRequest } : null),
  title: ({ project, mergeRequest: { title, iid } }, { t }) =>
    `${t('Resolve conflicts')} · ${title} (!${iid}) · ${project.fullPath}`,
  show: ({ project, mergeRequest }, { t }) => {
    const { conflicts } = mergeRequest;
    return {
      project,
      mergeRequest,
      conflicts,
      files: shownConflicts(conflicts?.files ?? [], t),
      tab: 'merge_requests',
    };
  },
  signIn: true,
});

/** Conflicts in the browser. */
export const conflicts = [
  shown,
  form({
    path: PATH,
    operation: SendConflictResolutionsDocument,
    variables: (given) => ({
      ...given,
      files: filesIn(given).map(({ regions: _regions, ...file }) => file),
    }),
    check: unchosen,
    says: label('The conflicts are resolved.'),
    goTo: (_data, { given }) => path(String(given.project), '-', 'merge_requests', String(given.iid)),
    again: shown,
  }),
];
