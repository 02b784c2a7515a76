import type { Raw } from '#pages/engine/row.ts';
import type { RawReader } from '#rest/engine/route.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { type RawArtifacts, readRawArtifacts } from '#src/domain/ci/artifacts/read.ts';
import { type ArtifactFile, readPageArtifactFile, readRawArtifactFile } from '#src/domain/ci/artifacts/single_file.ts';
import { type RawTrace, readRawTrace } from '#src/domain/ci/jobs/raw_log.ts';
import { readRawGroupExport } from '#src/domain/group_archives/request.ts';
import { readRawGroupAvatar } from '#src/domain/groups/avatar.ts';
import { readDataExport } from '#src/domain/lifecycle/data_export.ts';
import { type RawPackageFile, readRawPackageFile } from '#src/domain/packages/read.ts';
import { readRawExport } from '#src/domain/project_archives/request.ts';
import { readRawProjectAvatar } from '#src/domain/projects/avatar.ts';
import { type RawPatch, readRawPatch } from '#src/domain/repository/patch.ts';
import { type MadeText, madeText, plainText, type RawArchive, type RawContent } from '#src/domain/repository/raw.ts';
import { type RawWikiFile, readWikiFile } from '#src/domain/repository/wikis/attachments.ts';
import { type RawSnippet, readRawSnippet } from '#src/domain/snippets/raw.ts';
import { type RawFile, readArchiveWithObjects, readPageFile, readRawFile } from '#src/domain/uploads/lfs/read.ts';
import { readRawUpload } from '#src/domain/uploads/list.ts';

/** Opens content for a caller: `found` is what the operation of a row found. */
type Read<Found> = (context: Context, found: Found) => RawContent | Promise<RawContent>;

/** What rows of routes and of pages name as content that is sent as it is. */
const READERS: Readonly<Record<RawReader | Raw['content'], Read<object>>> = {
  text: reader<{ text: string }>((_context, { text }) => plainText('changes.diff', text)),
  upload: reader<{ id: number }>(readRawUpload),
  project_export: reader<{ id: number }>(readRawExport),
  placeholder_table: reader<{ id: number; text: string }>((_context, { id, text }) => {
    const fileName = `placeholder_reassignments_for_group_${id}_${Math.floor(Date.now() / 1_000)}.csv`;
    const headers = { 'Content-Disposition': `attachment; filename="${fileName}"` };
    return { ...madeText({ text, fileName, type: 'text/csv; charset=utf-8' }), headers };
  }),
  group_export: reader<{ id: number }>(readRawGroupExport),
  group_avatar: reader<{ id: number }>(readRawGroupAvatar),
  project_avatar: reader<{ id: number }>(readRawProjectAvatar),
  package: reader<RawPackageFile>(readRawPackageFile),
  artifact: reader<ArtifactFile>(readRawArtifactFile),
  page_artifact: reader<ArtifactFile>(readPageArtifactFile),
  artifacts: reader<RawArtifacts>(readRawArtifacts),
  trace: reader<RawTrace>(readRawTrace),
  blob: reader<RawFile>(readRawFile),
  page_blob: reader<RawFile>(readPageFile),
  wiki_file: reader<RawWikiFile>(readWikiFile),
  snippet: reader<RawSnippet>(readRawSnippet),
  archive: reader<RawArchive & { withLfsObjects: boolean }>(readArchiveWithObjects),
  page_archive: reader<RawArchive>((context, found) =>
    readArchiveWithObjects(context, { ...found, withLfsObjects: true }),
  ),
  patch: reader<RawPatch>(readRawPatch),
  page_text: reader<MadeText>((_context, found) => madeText(found)),
  data_export: (context) => readDataExport(context),
};

/** Opens the content that a row names. Throws DomainErrors. */
export async function readContent(name: keyof typeof READERS, context: Context, found: object): Promise<RawContent> {
  return READERS[name](context, found);
}

/** The operation of a row is written to find what its reader takes. */
function reader<Found extends object>(read: Read<Found>): Read<object> {
  return (context, found) => read(context, found as Found);
}
