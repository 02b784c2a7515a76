import * as helpers from '#pages/engine/helpers.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { type FilesPreview, previewOf } from '#pages/files_preview.ts';
import {
  type ChangedPlaceFragment,
  type ChangedProjectFragment,
  EditFilePageDocument,
  type EditFilePageQuery,
  FileFormPageDocument,
  type FileFormPageQuery,
  FolderFormPageDocument,
  type FolderFormPageQuery,
  PreviewFileDocument,
  type PreviewFileQuery,
  SendFileContentDocument,
  SendFileDeletionDocument,
  SendFileMoveDocument,
  SendNewFileDocument,
  SendUploadedFileDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Where a file is changed. */
interface Place {
  branch: string;
  path: string;
  /** Hash of the commit in which it was read; null in an empty repository. */
  commitSha: string | null;
  /** Whether the caller can push to the branch, not only to others. */
  canPush: boolean;
}

export function placeOf({ ref, path, commitSha, viewerCanPush }: ChangedPlaceFragment): Place {
  return { branch: ref, path, commitSha, canPush: viewerCanPush };
}

/** The directory of a branch, or the future branch of an empty repository; null for whoever cannot commit. */
export function folderOf({ project }: FolderFormPageQuery, { given }: Facts) {
  if (!project?.viewerCanPush) return null;
  const at = project.repository?.at;
  if (at?.type === 'TREE' && at.refKind === 'BRANCH') return { project, place: placeOf(at) };
  if (project.defaultBranch !== null) return null;
  return { project, place: { branch: String(given.place), path: '', commitSha: null, canPush: true } };
}

/** The file of a branch; null for whoever cannot commit. */
function fileOf<Query extends FileFormPageQuery>({ project }: Query) {
  const at = project?.repository?.at;
  if (!project?.viewerCanPush || !at?.file || at.refKind !== 'BRANCH') return null;
  return {
    project,
    place: placeOf(at),
    at: at as NonNullable<NonNullable<NonNullable<Query['project']>['repository']>['at']>,
  };
}

/** What all forms show: the fields of a commit as they are at first. */
export function shownAt({ branch, path, commitSha, canPush }: Place, message: string, { username }: Facts) {
  const ownBranch = `${username}-patch-${String(Date.now()).slice(-5)}`;
  const before = { branch: canPush ? branch : ownBranch, message, path, lastCommitId: commitSha };
  return { tab: 'code', place: { branch, path, canPush, commitSha }, before };
}

const addressOf = (fullPath: string, page: string, ...place: string[]) =>
  helpers.path(fullPath, '-', page, ...place.filter((part) => part !== ''));

const newFile = page({
  path: '/:project/-/new/*place',
  operation: FolderFormPageDocument,
  view: 'files/new',
  found: folderOf,
  title: ({ project, place }, { t }) => `${t('New file')} · ${place.branch} · ${project.fullPath}`,
  show: ({ project, place }, facts) => {
    const name = typeof facts.given.file_name === 'string' ? facts.given.file_name : '';
    const shown = shownAt(place, `Add ${name || 'new file'}`, facts);
    const path = place.path === '' ? name : `${place.path}/${name}`;
    return { ...shown, project, preview: null as FilesPreview | null, before: { ...shown.before, path, content: '' } };
  },
  signIn: true,
});

const upload = page({
  path: '/:project/-/upload/*place',
  operation: FolderFormPageDocument,
  view: 'files/upload',
  found: folderOf,
  title: ({ project, place }, { t }) => `${t('Upload a file')} · ${place.branch} · ${project.fullPath}`,
  show: ({ project, place }, facts) => ({ ...shownAt(place, 'Upload a file', facts), project }),
  signIn: true,
});

const edit = page({
  path: '/:project/-/edit/*place',
  operation: EditFilePageDocument,
  view: 'files/edit',
  found: fileOf<EditFilePageQuery>,
  title: ({ project, place }, { t }) =>
    `${t('Edit {name}', { name: place.path })} · ${place.branch} · ${project.fullPath}`,
  show: ({ project, place, at }, facts) => {
    const text = at.file?.text ?? '';
    const shown = shownAt(place, `Update ${at.file?.name}`, facts);
    return {
      ...shown,
      project,
      preview: null as FilesPreview | null,
      before: { ...shown.before, content: text, lineEnds: lineEndsOf(text) },
    };
  },
  // What no form can hold is shown instead.
  redirectTo: ({ project, place, at }) =>
    at.file?.isEditable ? null : addressOf(project.fullPath, 'blob', place.branch, place.path),
  signIn: true,
});

/** How the lines of a text end; browsers send all lines with CR and LF. */
function lineEndsOf(text: string): 'crlf' | 'lf' {
  return text.includes('\r\n') && !/[^\r]\n|^\n/.test(text) ? 'crlf' : 'lf';
}

function withLineEnds(given: Facts['given']): Facts['given'] {
  const { content, lineEnds } = given;
  if (typeof content !== 'string' || lineEnds === 'crlf') return given;
  return { ...given, content: content.replaceAll('\r\n', '\n') };
}

/** The variables of a preview: what the form would do to the file. */
function previewed(action: 'CREATE' | 'UPDATE'): (given: Facts['given']) => Facts['given'] {
  return (given) => {
    const { content, path, lastCommitId, startBranch } = withLineEnds(given);
    const known = textOf(lastCommitId) === '' ? undefined : textOf(lastCommitId);
    const actions = [{ action, filePath: textOf(path), content: textOf(content) }];
    return { ...given, path, text: textOf(content), actions, lastCommitId: known, from: textOf(startBranch) || 'HEAD' };
  };
}

/** A form that shows again what was written, with what a commit of it would change. */
const preview = (word: 'edit' | 'new', action: 'CREATE' | 'UPDATE', again: typeof edit | typeof newFile) =>
  form({
    path: `/:project/-/preview_${word}/*place`,
    operation: PreviewFileDocument,
    says: null,
    variables: previewed(action),
    shows: (data, facts) => {
      const found = placed(data, facts);
      const made = previewOf(data.project?.repository, facts);
      if (!found || !made) return null;
      const { project, place } = found;
      const title = `${facts.t('Preview')} · ${place.branch} · ${project.fullPath}`;
      // What was sent is in the fields again: the values of the form.
      const shown = { ...shownAt(place, '', facts), project, preview: made, values: facts.given };
      return { view: `files/${word}`, title, values: shown };
    },
    from: ({ project, place }) => addressOf(project ?? '', word, place ?? ''),
    goTo: (_data, { given }) => addressOf(String(given.project), word, String(given.place)),
    again,
  });

/** Where a form was sent from that is shown again. */
function placed(data: PreviewFileQuery, facts: Facts) {
  const { project } = data;
  if (!project?.viewerCanPush) return null;
  const at = project.repository?.at;
  if (at?.refKind === 'BRANCH') return { project, place: placeOf(at) };
  if (project.defaultBranch !== null) return null;
  return { project, place: { branch: String(facts.given.place), path: '', commitSha: null, canPush: true } };
}

const rename = page({
  path: '/:project/-/rename/*place',
  operation: FileFormPageDocument,
  view: 'files/rename',
  found: fileOf<FileFormPageQuery>,
  title: ({ project, place }, { t }) =>
    `${t('Rename {name}', { name: place.path })} · ${place.branch} · ${project.fullPath}`,
  show: ({ project, place, at }, facts) => ({ ...shownAt(place, `Rename ${at.file?.name}`, facts), project }),
  signIn: true,
});

const remove = page({
  path: '/:project/-/delete/*place',
  operation: FileFormPageDocument,
  view: 'files/delete',
  found: fileOf<FileFormPageQuery>,
  title: ({ project, place }, { t }) =>
    `${t('Delete {name}', { name: place.path })} · ${place.branch} · ${project.fullPath}`,
  show: ({ project, place, at }, facts) => ({ ...shownAt(place, `Delete ${at.file?.name}`, facts), project }),
  signIn: true,
});

/** A file without a path of its own keeps its name, in the folder. */
function withUploadPath(given: Facts['given']): Facts['given'] {
  const { path, folder, contentFile } = given;
  if (path !== '' || !(contentFile instanceof File)) return given;
  return { ...given, path: [folder, contentFile.name].filter((part) => part !== '').join('/') };
}

/** The page of the branch, or the form of a merge request for a new one. */
export function behind(
  commit: ChangedProjectFragment | undefined,
  { given }: Facts,
  page: 'blob' | 'tree',
  path: string,
): string {
  const [branch, start] = [textOf(given.branch), textOf(given.startBranch)];
  const { fullPath = String(given.project), viewerCanCreateMergeRequest = false } = commit?.project ?? {};
  if (start === '' || branch === start || !viewerCanCreateMergeRequest) return addressOf(fullPath, page, branch, path);
  const query = new URLSearchParams({
    'merge_request[source_branch]': branch,
    'merge_request[target_branch]': start,
  });
  return `${addressOf(fullPath, 'merge_requests/new')}?${query}`;
}

/** The last of several values, as variables have it. */
function textOf(given: unknown): string {
  return String([given].flat().at(-1) ?? '');
}

export const files = [
  newFile,
  form({
    path: newFile.path,
    operation: SendNewFileDocument,
    required: ['content'],
    says: label('The file was committed.'),
    variables: withLineEnds,
    goTo: ({ createFile }, facts) => behind(createFile?.commit, facts, 'blob', createFile?.path ?? ''),
    again: newFile,
  }),
  preview('new', 'CREATE', newFile),
  preview('edit', 'UPDATE', edit),
  upload,
  form({
    path: upload.path,
    operation: SendUploadedFileDocument,
    required: ['contentFile'],
    says: label('The file was committed.'),
    variables: withUploadPath,
    takesFiles: true,
    goTo: ({ createFile }, facts) => behind(createFile?.commit, facts, 'blob', createFile?.path ?? ''),
    again: upload,
  }),
  edit,
  form({
    path: edit.path,
    operation: SendFileContentDocument,
    required: ['content', 'lastCommitId'],
    says: label('The file was committed.'),
    variables: withLineEnds,
    goTo: ({ updateFile }, facts) => behind(updateFile?.commit, facts, 'blob', updateFile?.path ?? ''),
    again: edit,
  }),
  rename,
  form({
    path: rename.path,
    operation: SendFileMoveDocument,
    says: label('The file was moved.'),
    goTo: ({ createCommit }, facts) => behind(createCommit?.commit, facts, 'blob', textOf(facts.given.path)),
    again: rename,
  }),
  remove,
  form({
    path: remove.path,
    operation: SendFileDeletionDocument,
    required: ['lastCommitId'],
    says: label('The file was deleted.'),
    // The folder may be gone with its last file.
    goTo: ({ deleteFile }, facts) => behind(deleteFile?.commit, facts, 'tree', ''),
    asks: remove,
  }),
];
