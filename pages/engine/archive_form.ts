import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { RequestHandler } from 'express';
import { UnreadableForm } from '#pages/engine/read_form.ts';
import { limited } from '#src/platform/limits/limited.ts';
import { FileTooLarge, isOfDisk, SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** The most fields that the form may have, and their bytes. */
const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = 16 * 1024;

/** Bytes of a form besides its file: fields, boundaries and headers of parts. */
const REST = MAX_FIELDS * (MAX_FIELD_BYTES + 1024);

/**
 * Parses a multipart form with one file, which may be as large as an archive: `request.body` has its fields, each a text, and the file as a
 * SpooledFile, which is on the disk until the request is answered. Further files are not taken.
 *
 * @param largest how many bytes the file may have
 */
export function archiveForm(largest: () => Promise<number>): RequestHandler {
  return async (request, response, next) => {
    if (!request.is('multipart/form-data')) return next();
    const most = await largest();
    if (Number(request.headers['content-length'] ?? 0) > most + REST) return next(tooLarge(most));
    const read = await readArchive(request, most).catch((error: unknown) => asRefusal(error, most));
    if (read instanceof Error) return next(read);
    const { fields, file } = read;
    request.body = Object.fromEntries(fields);
    if (file) {
      request.body[file.field] = file.content;
      response.once('close', () => void file.content[Symbol.asyncDispose]().catch(() => undefined));
      if (response.destroyed) await file.content[Symbol.asyncDispose]();
    }
    next();
  };
}

interface Read {
  fields: ReadonlyMap<string, string>;
  file: { field: string; content: SpooledFile } | null;
}

async function readArchive(request: IncomingMessage, most: number): Promise<Read> {
  const fields = new Map<string, string>();
  const files: { field: string; content: Promise<SpooledFile> }[] = [];
  const limits = { fields: MAX_FIELDS, files: 1, parts: MAX_FIELDS + 1, fieldSize: MAX_FIELD_BYTES };
  const parser = new Busboy({ headers: request.headers as BusboyHeaders, limits });
  parser.on('field', (name: string | undefined, value) => name !== undefined && fields.set(name, value));
  for (const event of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
    parser.on(event, () => parser.destroy(new UnreadableForm(413, `The form has more than ${MAX_FIELDS} fields`)));
  parser.on('file', (field: string | undefined, stream, name: string | undefined) => {
    // A body that ends within the file fails its stream, too, and a parser that ends leaves it open.
    stream.on('error', (error) => parser.destroy(error));
    parser.on('close', () => stream.destroy());
    // A field without a file is sent as one without a name.
    if (field === undefined || !name) return void stream.resume();
    const content = SpooledFile.from(name, stream, most);
    content.catch((error) => parser.destroy(error));
    files.push({ field, content });
  });
  try {
    await pipeline(
      limited(request, most + REST, () => tooLarge(most)),
      parser,
    );
    const [file] = files;
    return { fields, file: file ? { field: file.field, content: await file.content } : null };
  } catch (error) {
    for (const { content } of files) content.then((file) => file[Symbol.asyncDispose]()).catch(() => undefined);
    throw error;
  }
}

function tooLarge(most: number): UnreadableForm {
  return new UnreadableForm(413, `The archive has more than ${most} bytes`);
}

function asRefusal(error: unknown, most: number): Error {
  if (error instanceof FileTooLarge) return tooLarge(most);
  return error instanceof UnreadableForm || isOfDisk(error)
    ? (error as Error)
    : new UnreadableForm(400, 'The form ended too early');
}
