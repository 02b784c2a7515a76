import { type ShownFile, shownFiles } from '#pages/diff.ts';
import type { Facts } from '#pages/engine/row.ts';
import type { DiffFilesFragment } from '#src/generated/page_operations.ts';

/** What a form of files would change. */
export interface FilesPreview {
  /** The file as it will be shown, where it is shown in another form than its lines. */
  html: string | null;
  diff: DiffFilesFragment;
  files: ShownFile[];
}

/** What the graph says of the changes of a form; null where it was not asked. */
export function previewOf(
  repository: { commitPreview?: DiffFilesFragment | null; renderedFile?: string | null } | null | undefined,
  { t }: Pick<Facts, 't'>,
): FilesPreview | null {
  const diff = repository?.commitPreview;
  if (!diff) return null;
  const changes = { fileByFile: false, showsWhitespace: true, isSplit: false };
  return { html: repository?.renderedFile ?? null, diff, files: shownFiles(diff, { given: {}, changes, t }) };
}
