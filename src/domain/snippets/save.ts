import { authorize, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { closestVisibility, visibilityErrors } from '#src/access/permissions/visibility_levels.ts';
import { lengthError } from '#src/base/text.ts';
import { forgetNotes } from '#src/domain/changes/forget_notes.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { addCommit } from '#src/domain/repository/commit_files.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { signatureOf } from '#src/domain/repository/write.ts';
import {
  changedFiles,
  checked,
  type FileAction,
  newFiles,
  type SnippetText,
  writeFurtherFiles,
} from '#src/domain/snippets/files.ts';
import { type ChangedSnippet, changedSnippet } from '#src/domain/snippets/find.ts';
import { BRANCH, recordFiles, UNCHANGED, withSnippetRepository } from '#src/domain/snippets/repository.ts';
import { changesBetween } from '#src/domain/snippets/tree.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { type FieldErrors, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import { currentSettings, type Settings } from '#src/platform/settings/current.ts';

export interface SnippetValues {
  title?: string | null | undefined;
  /** In Markdown; null clears it. */
  description?: string | null | undefined;
  /** Of the first file. */
  fileName?: string | null | undefined;
  content?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  /** All files of a new snippet, or what becomes of those of one, in place of `fileName` and `content`. */
  files?: readonly FileAction[] | null | undefined;
}

export interface NewSnippet extends SnippetValues {
  /** The project; null or absent for a personal snippet. */
  project?: IdOrPath | null | undefined;
  title: string;
}

/** Creates a snippet. Throws NotFound, Forbidden, ValidationFailed. */
export async function createSnippet(
  context: Context,
  { project: ref, ...values }: NewSnippet,
): Promise<ChangedSnippet> {
  const actor = requireActor(context);
  const project = ref == null ? null : await findProject(context, ref);
  if (project) authorize(actor, 'create_project_snippet', project);
  const settings = await currentSettings(context.db);
  const wanted = settings.defaultSnippetVisibility;
  const visibility = values.visibility ?? closestVisibility(actor, settings, wanted, { group: null });
  const { title, description, fileName, content } = values;
  const errors = errorsOf(actor, settings, { ...values, visibility }, ['title']);
  const given = values.files ?? [{ filePath: fileName ?? '', content }];
  if (values.files && (fileName != null || content != null))
    errors.files = ['cannot be given with file_name and content'];
  if (!values.files)
    Object.assign(errors, errorsOf(actor, settings, { fileName: fileName ?? null, content: content ?? null }));
  const wrong: FieldErrors = {};
  const files = newFiles(given, values.files ? errors : wrong);
  if (wrong.file_path && !errors.file_name) errors.file_name = wrong.file_path;
  if (wrong.content && !errors.content) errors.content = wrong.content;
  refuse(errors);
  const [first] = files;
  if (!first) throw new ValidationFailed({ files: ["can't be blank"] });
  const own = { title, description: description ?? null, fileName: first.name, content: first.content, visibility };
  const data = { ...own, authorId: actor.id, projectId: project?.id ?? null };
  const id = await context.db.$transaction(async (tx) => {
    const made = await tx.snippet.create({ data, select: { id: true } });
    if (files.length > 1) await writeFurtherFiles(tx, made.id, files);
    return made.id;
  });
  return { project, id };
}

/** The files with another name or text of the first one. Errors are added. */
function renamed(
  [first, ...further]: readonly SnippetText[],
  { fileName, content }: Pick<SnippetValues, 'fileName' | 'content'>,
  errors: FieldErrors,
): SnippetText[] {
  if (!first) return [];
  if (fileName != null && further.some(({ name }) => name === fileName)) errors.file_name = ['has already been taken'];
  const changed =
    fileName == null && content == null ? first : { name: fileName ?? first.name, content: content ?? first.content };
  const files = [changed, ...further];
  const wrong: FieldErrors = {};
  checked(files, wrong, [first, ...further]);
  if (wrong.file_path && !errors.file_name) errors.file_name = wrong.file_path;
  if (wrong.content) errors.content = wrong.content;
  return files;
}

/** Identifies a snippet: one of a project, or a personal one. */
export interface SnippetRef {
  project?: IdOrPath | null | undefined;
  id: number;
}

/** Updates a snippet, for its author and administrators: unset means unchanged. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateSnippet(
  context: Context,
  ref: SnippetRef,
  changes: SnippetValues,
): Promise<ChangedSnippet> {
  const actor = requireActor(context);
  const { project, snippet } = await editable(context, actor, ref, EDITABLE);
  const { id, visibility: present } = snippet;
  const { title, description, fileName, content, visibility, files: actions } = changes;
  // A visibility that was restricted later may stay.
  const changed = visibility === present ? undefined : visibility;
  const errors = errorsOf(actor, await currentSettings(context.db), { ...changes, visibility: changed });
  if (actions && (fileName != null || content != null)) errors.files = ['cannot be given with file_name and content'];
  refuse(errors);
  const data = {
    ...(title == null ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(visibility == null ? {} : { visibility }),
  };
  const isOfFiles = actions != null || fileName != null || content != null;
  if (!isOfFiles) await context.db.snippet.update({ where: { id }, data });
  else await commitChanges(context, actor, id, { fileName, content, files: actions }, data);
  return { project, id };
}

/** Commits changes of the files of a snippet, and makes those of its columns with them. Throws ValidationFailed, LimitReached, NotFound. */
async function commitChanges(
  context: Context,
  { id: userId }: Actor,
  id: number,
  { fileName, content, files: actions }: Pick<SnippetValues, 'fileName' | 'content' | 'files'>,
  data: Prisma.SnippetUncheckedUpdateInput,
): Promise<void> {
  const committer = signatureOf(await findPusher(context.db, userId));
  await withSnippetRepository(context, id, async ({ tx, place, reader, tip, files: before }) => {
    const wrong: FieldErrors = {};
    const files = actions ? changedFiles(before, actions, wrong) : renamed(before, { fileName, content }, wrong);
    refuse(wrong);
    const changes = changesBetween(before, files);
    if (changes.length > 0) {
      const bytes = changes.reduce((sum, change) => sum + ('content' in change ? (change.content?.length ?? 0) : 0), 0);
      await requireRoom(context.repositories, place, bytes);
      const said = { message: 'Update snippet', unchanged: UNCHANGED };
      const added = { branch: BRANCH, tip, actions: changes, author: committer, committer, ...said };
      await recordFiles(tx, place, files, await addCommit(context, tx, place, reader, added));
    }
    await tx.snippet.update({ where: { id }, data: { ...data, updatedAt: new Date() } });
  });
}

/**
 * Deletes a snippet, for its author and administrators; returns the selected fields as they were, null if it did not exist.
 * Throws NotFound, Forbidden.
 */
export async function deleteSnippet<R>(
  context: Context,
  ref: SnippetRef,
  selection: Selection<'Snippet', R>,
): Promise<R | null> {
  const actor = requireActor(context);
  const found = await editable(context, actor, ref, selection).catch((error) => {
    if (error instanceof NotFound && error.extensions.resource === 'Snippet') return null;
    throw error;
  });
  if (found === null) return null;
  const { snippet } = found;
  const isDeleted = await context.db.$transaction(async (tx) => {
    const { count } = await tx.snippet.deleteMany({ where: { id: snippet.id } });
    await forgetNotes(tx, { type: 'Snippet', id: snippet.id });
    await context.jobs.enqueue(tx, 'repositories.remove', {});
    return count > 0;
  });
  return isDeleted ? snippet : null;
}

/** The columns that decide who may change a snippet, and how. */
const EDITABLE = select('Snippet', { id: true, authorId: true, visibility: true });

async function editable<R>(
  context: Context,
  actor: Actor,
  { project: ref, id }: SnippetRef,
  selection: Selection<'Snippet', R>,
) {
  const project = ref == null ? null : await findProject(context, ref);
  const snippet = await changedSnippet(context, { project, id }, selection.with(EDITABLE));
  if (!mayChange(actor, snippet)) throw new Forbidden();
  return { project, snippet };
}

/** Whether the actor may change and delete a snippet: its author and administrators may. */
export function mayChange(actor: Actor, { authorId }: { authorId: number }): boolean {
  return actor.admin || authorId === actor.id;
}

function errorsOf(
  actor: Actor,
  settings: Settings,
  { title, description, fileName, content, visibility }: SnippetValues,
  only: readonly string[] = ['title', 'file_name', 'content'],
): FieldErrors {
  const errors: FieldErrors = {};
  for (const [field, text] of Object.entries({ title, file_name: fileName })) {
    if (!only.includes(field)) continue;
    if (text === null || text?.trim() === '') errors[field] = ["can't be blank"];
    else if (text && text.length > 255) errors[field] = ['is too long (maximum is 255 characters)'];
  }
  if (only.includes('content') && (content === null || content === '')) errors.content = ["can't be blank"];
  const wrong = visibility ? visibilityErrors(actor, settings, visibility, { group: null }) : [];
  if (wrong.length > 0) errors.visibility_level = wrong;
  const long = lengthError(description);
  if (long) errors.description = [long];
  return errors;
}

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}
