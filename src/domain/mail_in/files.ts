import type { Context } from '#src/access/permissions/actor.ts';
import type { ReadMail } from '#src/domain/mail_in/message.ts';
import { createUpload } from '#src/domain/uploads/create.ts';

/** Characters of a title of an issue. */
const MAX_TITLE_LENGTH = 255;

/** The subject as a title; empty without one. */
export function titleIn({ subject }: ReadMail): string {
  return [...subject.replace(/\s+/g, ' ').trim()].slice(0, MAX_TITLE_LENGTH).join('');
}

/** Uploads the files of a message to a project, and returns the links to them in Markdown. Throws as createUpload does. */
export async function filesIn(context: Context, projectId: number, { attachments }: ReadMail): Promise<string[]> {
  const links = new Map<ReadMail['attachments'][number], string>();
  // The largest first: if one is too large, that is known before any other is stored.
  for (const file of attachments.toSorted((one, other) => other.content.length - one.content.length)) {
    const { name, content } = file;
    const stream = async function* () {
      yield content;
    };
    links.set(file, (await createUpload(context, projectId, { name, size: content.length, stream })).markdown);
  }
  return attachments.map((file) => links.get(file) ?? '');
}
