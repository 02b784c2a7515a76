import { visibility } from '#src/domain/gitlab_archives/relations/values.ts';
import { timesOf } from '#src/domain/remote_imports/base/records.ts';
import { type PhaseContext, SourceInvalid, type StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, objectsIn, textIn, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { textWithFiles, userIn } from '#src/domain/remote_imports/gitlab/values.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Bytes of a file of a snippet, and files of one. */
const MAX_FILE_BYTES = 1_000_000;
const MAX_FILES = 10;

/** A snippet with the contents of its files. Servers of before 13.0 know one file. */
export async function snippetRecords(given: Given, context: PhaseContext): Promise<StagedRecord[]> {
  const { project } = context;
  const records: StagedRecord[] = [];
  const id = idIn(given, 'id');
  const at = `${project.api}/snippets/${id}`;
  const content = await contentAt(context, `${at}/raw`);
  const files = objectsIn(given, 'files')
    .map((file) => textIn(file, 'path', 255))
    .filter((path) => path !== '');
  const record = {
    id,
    title: titleIn(given, 'title'),
    description: textWithFiles(given, 'description', context, records) || null,
    file_name: files[0] ?? (textIn(given, 'file_name', 255).trim() || 'snippet.txt'),
    content,
    visibility: visibility(given.visibility) ?? 'private',
    author_id: userIn(given, 'author', records),
    ...timesOf(given),
  };
  records.push({ kind: 'snippets', record });
  const [, ...others] = files;
  for (const [position, name] of others.slice(0, MAX_FILES - 1).entries()) {
    const raw = await contentAt(context, `${at}/files/HEAD/${encodeURIComponent(name)}/raw`);
    records.push({ kind: 'snippet_files', record: { snippet_id: id, position: position + 1, name, content: raw } });
  }
  return records;
}

/** A file. Throws SourceInvalid for one that is not there, or too large. */
async function contentAt({ client }: PhaseContext, address: string): Promise<string> {
  try {
    return (await client.text(new URL(address), MAX_FILE_BYTES)).toWellFormed().replaceAll('\0', '');
  } catch (error) {
    throw error instanceof RemoteRefused ? new SourceInvalid(error.message) : error;
  }
}
