import * as helpers from '#pages/engine/helpers.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { behind, placeOf, shownAt } from '#pages/files.ts';
import { type FilesPreview, previewOf } from '#pages/files_preview.ts';
import {
  GatherFilesDocument,
  type GatherFilesQuery,
  SendSeveralFilesDocument,
  SeveralFilesPageDocument,
  type SeveralFilesPageQuery,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** A file that a form changes, as its fields have it. */
export interface FileChange {
  action: 'UPDATE' | 'DELETE';
  path: string;
  /** Where the file is; empty for a new one. */
  previousPath: string;
  content: string;
  /** How its lines end; `none` where the content is none that is edited. */
  lineEnds: 'lf' | 'crlf' | 'none';
}

/** Files of one form: each takes five fields of those that a form may have. */
const MAX_CHANGES = 15;

const listOf = (given: unknown) => [given ?? []].flat().map(String);

/** The files that the fields of a form change. */
export function changesIn(given: Facts['given']): FileChange[] {
  const [actions, paths, previous, contents, ends] = ['action', 'path', 'previousPath', 'content', 'lineEnds'].map(
    (name) => listOf(given[name]),
  );
  return (paths ?? []).map((path, at) => {
    const lineEnds = ends?.[at];
    return {
      action: actions?.[at] === 'DELETE' ? 'DELETE' : 'UPDATE',
      path,
      previousPath: previous?.[at] ?? '',
      content: contents?.[at] ?? '',
      lineEnds: lineEnds === 'crlf' || lineEnds === 'none' ? lineEnds : 'lf',
    };
  });
}

/** The actions of a commit (`CommitActionInput`); files that stay as they are have none. */
function actionsOf(given: Facts['given']): object[] {
  const lastCommitId = listOf(given.lastCommitId).at(-1);
  return changesIn(given).flatMap(({ action, path, previousPath, content: written, lineEnds }): object[] => {
    const content = lineEnds === 'lf' ? written.replaceAll('\r\n', '\n') : written;
    const known = { previousPath, lastCommitId };
    if (previousPath === '') return [{ action: 'CREATE', filePath: path, content }];
    if (action === 'DELETE') return [{ action, filePath: previousPath, lastCommitId }];
    if (path !== previousPath) {
      return [{ action: 'MOVE', filePath: path, ...known, ...(lineEnds !== 'none' && { content }) }];
    }
    return lineEnds === 'none' ? [] : [{ action: 'UPDATE', filePath: path, content, lastCommitId }];
  });
}

/** What a button of the form asks for: `open` and a path, `drop` and a number, `new`, `search`, `preview`. */
function wantedIn(given: Facts['given']): { what: string; which: string } {
  const [, what = 'search', which = ''] = /^(\w+)(?::([\s\S]*))?$/.exec(listOf(given.do).at(-1) ?? '') ?? [];
  return { what, which };
}

/** The files once a button was pressed. */
function gathered({ project }: GatherFilesQuery, given: Facts['given']): { changes: FileChange[]; isFull: boolean } {
  const { what, which } = wantedIn(given);
  const before = changesIn(given);
  if (what === 'drop') return { changes: before.filter((_one, at) => String(at) !== which), isFull: false };
  const added =
    what === 'new'
      ? [newFile(String(given.newPath ?? ''))]
      : opened(project).filter(({ path }) => !before.some(({ previousPath }) => previousPath === path));
  const changes = [...before, ...added];
  return { changes: changes.slice(0, MAX_CHANGES), isFull: changes.length > MAX_CHANGES };
}

function newFile(path: string): FileChange {
  return { action: 'UPDATE', path: path.trim(), previousPath: '', content: '', lineEnds: 'lf' };
}

type Opened = SeveralFilesPageQuery['project'] | GatherFilesQuery['project'];

function opened(project: Opened): FileChange[] {
  return (project?.repository?.files ?? []).map(({ path, isEditable, text }) => {
    const content = isEditable ? (text ?? '') : '';
    const ends = /\r\n/.test(content) && !/[^\r]\n|^\n/.test(content) ? 'crlf' : 'lf';
    return { action: 'UPDATE', path, previousPath: path, content, lineEnds: isEditable ? ends : 'none' };
  });
}

/** The branch; null for whoever cannot commit. */
function branchOf<Query extends { project?: Opened }>({ project }: Query) {
  const at = project?.repository?.at;
  return project?.viewerCanPush && at?.refKind === 'BRANCH' ? { project, at, place: placeOf(at) } : null;
}

type Found = NonNullable<ReturnType<typeof branchOf>>;

function shownFor(
  { project, at, place }: Found,
  facts: Facts,
  gathered: { changes: FileChange[]; isFull: boolean },
  preview: FilesPreview | null,
) {
  const shown = shownAt(place, 'Update files', facts);
  const known = listOf(facts.given.lastCommitId).at(-1);
  const { branch, message } = facts.given;
  const before = {
    ...shown.before,
    ...(known !== undefined && { lastCommitId: known }),
    ...(typeof branch === 'string' && { branch }),
    ...(typeof message === 'string' && { message }),
  };
  const search = String(facts.given.search ?? '');
  return {
    ...shown,
    before,
    project,
    ...gathered,
    preview,
    paths: at.paths,
    search,
    read: changesIn,
    most: MAX_CHANGES,
  };
}

const titleFor = ({ project, place }: Pick<Found, 'project' | 'place'>, t: Facts['t']) =>
  `${t('Edit several files')} · ${place.branch} · ${project?.fullPath}`;

const several = page({
  path: '/:project/-/edit_files/*ref',
  operation: SeveralFilesPageDocument,
  view: 'files/several',
  // What is known of the files is what they are in this commit.
  variables: (given) => ({ ...given, lastCommitId: given.lastCommitId ?? given.ref }),
  found: branchOf<SeveralFilesPageQuery>,
  title: (found, { t }) => titleFor(found, t),
  show: (found, facts) => shownFor(found, facts, { changes: opened(found.project), isFull: false }, null),
  signIn: true,
});

const pathOf = ({ project, ref }: Readonly<Record<string, string>>) =>
  `${helpers.path(project ?? '', '-', 'edit_files')}${helpers.path(ref ?? '')}`;

export const severalFiles = [
  several,
  form({
    path: several.path,
    operation: GatherFilesDocument,
    says: null,
    variables: (given) => {
      const { what, which } = wantedIn(given);
      const previews = what === 'preview';
      return {
        ...given,
        open: what === 'open' ? [which] : [],
        previews: String(previews),
        actions: previews ? actionsOf(given) : [],
      };
    },
    shows: (data, facts) => {
      const found = branchOf(data);
      const preview = previewOf(data.project?.repository, facts);
      return (
        found && {
          view: 'files/several',
          title: titleFor(found, facts.t),
          values: { ...shownFor(found, facts, gathered(data, facts.given), preview), values: {} },
        }
      );
    },
    goTo: (_data, { given }) => pathOf({ project: String(given.project), ref: String(given.ref) }),
    again: several,
  }),
  form({
    path: '/:project/-/commit_files/*ref',
    operation: SendSeveralFilesDocument,
    says: label('The files were committed.'),
    from: pathOf,
    check: (given): Record<string, string> =>
      actionsOf(given).length === 0 ? { '': 'There is nothing to commit yet.' } : {},
    variables: (given) => ({ ...given, actions: actionsOf(given) }),
    goTo: ({ createCommit }, facts) => behind(createCommit?.commit, facts, 'tree', ''),
    again: several,
  }),
];
