import { randomBytes } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import type { UploadLocation } from '#src/domain/uploads/store.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A project, as the links to its files name it. */
interface Place {
  id: number;
  fullPath: string;
}

/** A file that the texts lead to. */
interface FileRow {
  secret: string;
  fileName: string;
  userId: number | null;
  size: bigint;
}

interface Copied extends Pick<FileRow, 'userId' | 'size'> {
  place: UploadLocation;
}

/** Copies of the files that the texts of an issue lead to, in the project that it moves to. */
export interface MovedFiles {
  /** Records the copies, and has the texts of the issue there lead to them, in the transaction that moves it. */
  record(tx: Transaction, issueId: number): Promise<void>;
  /** Deletes the copies, where the issue was not moved after all. */
  remove(): Promise<void>;
}

/** Files that go along, and bytes of all of them: links to others lead to the project that the issue was in. */
const MAX_FILES = 1_000;
const MAX_BYTES = 1024 ** 3;
/** Texts that are read at a time. */
const BATCH_SIZE = 20;

/** Copies the files of an issue, description and notes; texts on both sides stay as they are. Throws UploadsUnavailable. */
export async function copyFiles(
  { db, uploads }: Pick<Context, 'db' | 'uploads'>,
  issueId: number,
  from: Place,
  to: Place,
): Promise<MovedFiles> {
  const links = linksTo(from);
  const found = await filesOf(db, issueId, from.id, links);
  const copies = new Map<string, Copied>();
  const remove = async () => {
    for (const { place } of copies.values()) await uploads.remove(place);
  };
  try {
    for (const { secret, fileName, userId, size } of found) {
      const place = { projectId: to.id, secret: randomBytes(16).toString('hex'), fileName };
      const opened = await uploads.open({ projectId: from.id, secret, fileName });
      if (!opened) continue;
      copies.set(secret, { place, userId, size });
      await uploads.write(place, opened.content, opened.size);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  const rewritten = (text: string) =>
    text.replace(links, (link, prefix: string, secret: string) => {
      const now = copies.get(secret)?.place.secret;
      if (now === undefined) return link;
      const place = prefix === '' ? '' : prefix.startsWith('/-/') ? `/-/project/${to.id}` : `/${to.fullPath}`;
      return `${place}/uploads/${now}/`;
    });
  return {
    remove,
    async record(tx, movedId) {
      if (copies.size === 0) return;
      const data = [...copies.values()].map(({ place, userId, size }) => ({ ...place, userId, size }));
      await tx.upload.createMany({ data });
      for await (const { noteId, text } of textsWithFiles(tx, movedId)) {
        const now = rewritten(text);
        if (now === text) continue;
        // Not an edit: times stay.
        if (noteId === null) await tx.$executeRaw`UPDATE issues SET description = ${now} WHERE id = ${movedId}`;
        else await tx.$executeRaw`UPDATE notes SET body = ${now} WHERE id = ${noteId}`;
      }
    },
  };
}

/** Links to files of a project: below the page that has the text, by the path of the project, or by its ID. */
function linksTo({ id, fullPath }: Place): RegExp {
  const path = fullPath.replace(/[^\w/]/g, '\\$&');
  const places = [`/-/project/${id}`, `/${path}`, String.raw`(?<![\w./-])`].join('|');
  return new RegExp(`(${places})/uploads/([0-9a-f]{32})/`, 'g');
}

/** The files of a project that the texts of an issue lead to, as many as go along. */
async function filesOf(
  db: Pick<Transaction, '$queryRaw'>,
  issueId: number,
  projectId: number,
  links: RegExp,
): Promise<FileRow[]> {
  const found = new Map<string, FileRow>();
  let bytes = 0;
  for await (const { text } of textsWithFiles(db, issueId)) {
    const secrets = [...text.matchAll(links)].map(([, , secret = '']) => secret);
    const rows = await db.$queryRaw<FileRow[]>`
      SELECT secret, file_name AS "fileName", user_id AS "userId", size FROM uploads
      WHERE project_id = ${projectId} AND secret = ANY(${[...new Set(secrets)]}::text[]) ORDER BY id LIMIT ${MAX_FILES}`;
    for (const row of rows) {
      if (found.has(row.secret) || bytes + Number(row.size) > MAX_BYTES) continue;
      found.set(row.secret, row);
      bytes += Number(row.size);
      if (found.size >= MAX_FILES) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** The description and the notes that may have links to files. */
async function* textsWithFiles(
  db: Pick<Transaction, '$queryRaw'>,
  issueId: number,
): AsyncGenerator<{ noteId: number | null; text: string }> {
  yield* await db.$queryRaw<{ noteId: null; text: string }[]>`
    SELECT NULL::int AS "noteId", description AS text FROM issues WHERE id = ${issueId} AND description LIKE '%/uploads/%'`;
  for (let last = 0; ; ) {
    const notes = await db.$queryRaw<{ noteId: number; text: string }[]>`
      SELECT id AS "noteId", body AS text FROM notes
      WHERE subject_type = 'Issue' AND subject_id = ${issueId} AND body LIKE '%/uploads/%' AND id > ${last}
      ORDER BY id LIMIT ${BATCH_SIZE}`;
    yield* notes;
    last = notes.at(-1)?.noteId ?? last;
    if (notes.length < BATCH_SIZE) return;
  }
}
