import type { Context } from '#src/access/permissions/actor.ts';
import { namesFault } from '#src/domain/snippets/names.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, NotFound } from '#src/platform/errors.ts';

/** Maximum number of files of a snippet. */
export const MAX_FILES = 10;

/** Bytes of all files of a snippet together. */
export const MAX_SNIPPET_BYTES = 20 * 1024 ** 2;

/** A file of a snippet. */
export interface SnippetText {
  name: string;
  content: string;
}

/** A file of a snippet without its text. */
export interface SnippetFileRow {
  snippetId: number;
  /** 0 for the first, which is a part of the snippet itself. */
  position: number;
  name: string;
  /** In bytes. */
  size: number;
}

/** What becomes of a file. */
export interface FileAction {
  action?: 'create' | 'update' | 'delete' | 'move' | null | undefined;
  filePath?: string | null | undefined;
  /** The name before, of one that is moved. */
  previousPath?: string | null | undefined;
  content?: string | null | undefined;
}

/** The files of a new snippet. Files without a name get one. Errors are added. */
export function newFiles(given: readonly FileAction[], errors: FieldErrors): SnippetText[] {
  return checked(
    given.map(({ action, filePath, content }, index) => {
      if (action != null && action !== 'create') errors.files = ['of a new snippet can only be created'];
      return { name: filePath?.trim() || `snippetfile${index + 1}.txt`, content: content ?? '' };
    }),
    errors,
  );
}

/** The files after the actions, in order. Errors are added. */
export function changedFiles(
  before: readonly SnippetText[],
  actions: readonly FileAction[],
  errors: FieldErrors,
): SnippetText[] {
  const files = [...before];
  for (const { action, filePath, previousPath, content } of actions.slice(0, MAX_ACTIONS)) {
    const name = filePath?.trim() ?? '';
    const wanted = action === 'move' ? (previousPath ?? '') : name;
    const at = files.findIndex((file) => file.name === wanted);
    const found = files[at];
    if (action === 'create') files.push({ name, content: content ?? '' });
    else if (!found) errors.files = [`has no file with the name ${wanted}`];
    else if (action === 'delete') files.splice(at, 1);
    else if (action === 'move') files[at] = { name, content: content ?? found.content };
    else if (action === 'update') files[at] = { name: found.name, content: content ?? '' };
    else errors.files = ['has an entry without an action'];
  }
  if (actions.length > MAX_ACTIONS) errors.files = [`has too many actions (maximum is ${MAX_ACTIONS})`];
  return checked(files, errors, before);
}

/** Each file could be deleted, and another one created. */
const MAX_ACTIONS = 2 * MAX_FILES;

/** Adds what is wrong with the files to the errors. Those that were there before may be empty. */
export function checked(files: SnippetText[], errors: FieldErrors, before: readonly SnippetText[] = []): SnippetText[] {
  const names = files.map(({ name }) => name);
  const fault = namesFault(names);
  if (files.length === 0) errors.files = ["can't be blank"];
  else if (files.length > MAX_FILES) errors.files = [`is too long (maximum is ${MAX_FILES} files)`];
  else if (names.some((name) => name.trim() === '')) errors.file_path = ["can't be blank"];
  else if (names.some((name) => name.length > 255)) errors.file_path = ['is too long (maximum is 255 characters)'];
  else if (new Set(names).size < names.length) errors.file_path = ['has already been taken'];
  else if (fault !== null) errors.file_path = [fault];
  else if (files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0) > MAX_SNIPPET_BYTES)
    errors.content = [`is too long (the files can have at most ${MAX_SNIPPET_BYTES} bytes together)`];
  else if (files.some((file) => file.content === '' && !before.includes(file))) errors.content = ["can't be blank"];
  return files;
}

/** Locks a snippet and returns its files, in order. Throws NotFound. */
export async function lockFiles(tx: Transaction, snippetId: number): Promise<SnippetText[]> {
  const [first] = await tx.$queryRaw<SnippetText[]>`
    SELECT file_name AS name, content FROM snippets WHERE id = ${snippetId} FOR UPDATE`;
  if (!first) throw new NotFound('Snippet');
  const further = await tx.snippetFile.findMany({ where: { snippetId }, orderBy: { position: 'asc' } });
  return [first, ...further.map(({ name, content }) => ({ name, content }))];
}

/** Writes the files of a snippet other than the first, in place of those before. */
export async function writeFurtherFiles(
  tx: Transaction,
  snippetId: number,
  [, ...further]: readonly SnippetText[],
): Promise<void> {
  await tx.snippetFile.deleteMany({ where: { snippetId } });
  const data = further.map((file, index) => ({ snippetId, position: index + 1, ...file }));
  if (data.length > 0) await tx.snippetFile.createMany({ data });
}

/** The texts of files of snippets that the actor has found, in one statement: by `snippetId` and `position`. */
export async function readTexts(
  { db }: Context,
  keys: readonly Pick<SnippetFileRow, 'snippetId' | 'position'>[],
): Promise<string[]> {
  const found = await db.$queryRaw<{ text: string }[]>`
    SELECT COALESCE(CASE WHEN k.position = 0 THEN (SELECT s.content FROM snippets s WHERE s.id = k.id)
      ELSE (SELECT f.content FROM snippet_files f WHERE f.snippet_id = k.id AND f.position = k.position) END, '') AS text
    FROM unnest(${keys.map(({ snippetId }) => snippetId)}::int[], ${keys.map(({ position }) => position)}::int[])
      WITH ORDINALITY AS k(id, position, n) ORDER BY k.n`;
  return found.map(({ text }) => text);
}
