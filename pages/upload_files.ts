import { type Facts, form, page } from '#pages/engine/row.ts';
import { behind, folderOf, shownAt } from '#pages/files.ts';
import { FolderFormPageDocument, SendUploadedFilesDocument } from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Files of one form: as many fields as it may have, without those of the commit. */
const MAX_FILES = 90;
/** Bytes of all of them, which leave room for what is between them. */
const MAX_BYTES = 10 * 1024 * 1024 - 64 * 1024;

const listOf = (given: unknown) => [given ?? []].flat();
const last = (given: unknown) => String(listOf(given).at(-1) ?? '');

/** The files that were chosen, with their paths in the repository: browsers name those of a folder by their paths in it. */
function filesIn(given: Facts['given']): { path: string; file: File }[] {
  const files = [...listOf(given.files), ...listOf(given.folderFiles)].filter(
    (one): one is File => one instanceof File && one.name !== '',
  );
  // A script says the paths of files that were dropped, which have only names.
  const paths = last(given.paths)
    .split(/\r?\n/)
    .filter((path) => path !== '');
  const folder = last(given.folder);
  return files.map((file, at) => {
    const name = (paths.length === files.length ? paths[at] : undefined) ?? file.name;
    return { path: [folder, name.replaceAll('\\', '/')].filter((part) => part !== '').join('/'), file };
  });
}

const incoming = (file: File) => ({ name: file.name, size: file.size, stream: () => file.stream() });

const upload = page({
  path: '/:project/-/upload_files/*place',
  operation: FolderFormPageDocument,
  view: 'files/upload_files',
  found: folderOf,
  title: ({ project, place }, { t }) => `${t('Upload files')} · ${place.branch} · ${project.fullPath}`,
  show: ({ project, place }, facts) => ({
    ...shownAt(place, 'Upload files', facts),
    project,
    mostFiles: MAX_FILES,
    mostBytes: MAX_BYTES,
  }),
  signIn: true,
});

export const uploadFiles = [
  upload,
  form({
    path: upload.path,
    operation: SendUploadedFilesDocument,
    says: label('The files were committed.'),
    takesFiles: true,
    check: (given): Record<string, string> => {
      const count = filesIn(given).length;
      if (count === 0) return { files: 'No file was chosen.' };
      return count > MAX_FILES ? { files: `At most ${MAX_FILES} files can be uploaded at once.` } : {};
    },
    variables: (given) => ({
      ...given,
      actions: filesIn(given).map(({ path, file }) => ({
        ...{ action: 'CREATE', filePath: path },
        contentFile: incoming(file),
      })),
    }),
    goTo: ({ createCommit }, facts) => behind(createCommit?.commit, facts, 'tree', last(facts.given.folder)),
    again: upload,
  }),
];
