import { randomBytes } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import type { UploadLocation } from '#src/domain/uploads/store.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A project, as the links to its files name it. */
interface Place {
  id: number;
  fullPath: string;
}

interface Copied {
  place: UploadLocation;
  userId: number | null;
  size: bigint;
}

/** Copies of the files that the texts of an issue lead to, in the project that it moves to. */
export interface MovedFiles {
  /** Records the copies, and has the texts of the issue there lead to them, in the transaction that moves it. */
  record(tx: Transaction, issueId: number): Promise<void>;
  /** Deletes the copies, where the issue was not moved after all. */
  remove(): Promise<void>;
}

/** Copies the files of an issue, description and notes; texts on both sides stay as they are. Throws UploadsUnavailable. */
export async function copyFiles(
  { db, uploads }: Pick<Context, 'db' | 'uploads'>,
  issueId: number,
  from: Place,
  to: Place,
): Promise<MovedFiles> {
  const links = linksTo(from);
  const texts = await textsWithFiles(db, issueId);
  const secrets = new Set(texts.flatMap(({ text }) => [...text.matchAll(links)].map(([, , secret = '']) => secret)));
  const found = await db.upload.findMany({
    where: { projectId: from.id, secret: { in: [...secrets] } },
    select: { secret: true, fileName: true, userId: true, size: true },
  });
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
      for (const { noteId, text } of await textsWithFiles(tx, movedId)) {
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

/** The description and the notes that may have links to files. */
function textsWithFiles(
  db: Pick<Transaction, '$queryRaw'>,
  issueId: number,
): Promise<{ noteId: number | null; text: string }[]> {
  return db.$queryRaw`
    SELECT NULL::int AS "noteId", description AS text FROM issues WHERE id = ${issueId} AND description LIKE '%/uploads/%'
    UNION ALL SELECT id, body FROM notes WHERE subject_type = 'Issue' AND subject_id = ${issueId} AND body LIKE '%/uploads/%'`;
}
