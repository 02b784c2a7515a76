import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { BadBody, type BodyLimits, tooLarge } from '#rest/engine/body_limits.ts';
import { MAX_PAIRS, parametersOf } from '#rest/engine/form.ts';
import { ReplacementWatch } from '#src/base/utf8.ts';
import { limited } from '#src/platform/limits/limited.ts';
import { FileTooLarge, isOfDisk, SpooledFile } from '#src/platform/limits/spooled_file.ts';

/** Bytes that boundaries and headers of parts may add. */
const OVERHEAD = 1024 * 1024;

/**
 * The fields of a multipart body, some of which may be SpooledFiles. Names and values of the fields count together; the size of
 * the whole body is limited too, so that ignored parts are not read forever. Throws BadBody, and then leaves no file behind.
 *
 * @param body the body, if it is no longer in the request
 */
export async function multipart(
  request: IncomingMessage,
  limits: BodyLimits,
  body: Readable = request,
): Promise<Record<string, unknown>> {
  const fields: [string, string][] = [];
  const { files } = limits;
  const spooling = new Map<string, Promise<SpooledFile>>();
  const fileNames = new Map<string, string>();
  try {
    const parser = parserOf(request, limits, fields, (name, stream, given) => {
      if (!files || name === undefined || !files.names.includes(name) || spooling.has(name)) {
        return void stream.resume();
      }
      fileNames.set(name, given);
      const spooled = SpooledFile.from(given, stream, files.bytes);
      spooling.set(name, spooled);
      // A rejected file stops reading the body.
      spooled.catch((error) => parser.destroy(error));
    });
    const most = limits.bytes + (files ? files.bytes * files.names.length : 0) + OVERHEAD;
    const watch = new ReplacementWatch();
    await pipeline(
      limited(body, most, () => tooLarge(`${most} bytes`)).on('data', (chunk: Buffer) => watch.take(chunk)),
      parser,
    );
    const broken = fields.find((texts) => !texts.every((text) => watch.isSound(text)));
    if (broken) throw notUtf8(watch.isSound(broken[0]) ? broken[0] : 'The name of a parameter');
    for (const [name, given] of fileNames) if (!watch.isSound(given)) throw notUtf8(`The file name of ${name}`);
    const parameters = parametersOf(fields, limits.lists);
    for (const [name, spooled] of spooling) parameters[name] = await spooled;
    return parameters;
  } catch (error) {
    // Whatever the error, no file is left on the disk.
    for (const one of spooling.values()) one.then((file) => file[Symbol.asyncDispose]()).catch(() => undefined);
    if (error instanceof FileTooLarge && files) throw tooLarge(`a file of ${files.bytes} bytes`);
    throw error instanceof BadBody || isOfDisk(error)
      ? error
      : new BadBody(400, 'The body is not valid multipart/form-data');
  }
}

function notUtf8(subject: string): BadBody {
  return new BadBody(400, `${subject} is not valid UTF-8`);
}

type OnFile = (name: string | undefined, stream: Readable, fileName: string) => void;

function parserOf(
  { headers }: IncomingMessage,
  { bytes }: BodyLimits,
  fields: [string, string][],
  onFile: OnFile,
): BusboyInstance {
  const parts = { fields: MAX_PAIRS, files: 100, parts: MAX_PAIRS, fieldSize: bytes };
  const parser = new Busboy({ headers: headers as BusboyHeaders, limits: parts });
  let size = 0;
  parser.on('field', (name: string | undefined, value, _nameTruncated, valueTruncated) => {
    if (name === undefined) return void parser.destroy(new Error('a field has no name'));
    size += name.length + value.length;
    if (valueTruncated || size > bytes) parser.destroy(tooLarge(`${bytes} bytes in its fields`));
    else fields.push([name, value]);
  });
  for (const event of ['partsLimit', 'fieldsLimit'] as const) {
    parser.on(event, () => parser.destroy(tooLarge(`${MAX_PAIRS} parameters`)));
  }
  parser.on('filesLimit', () => parser.destroy(tooLarge('100 files')));
  const files: Readable[] = [];
  parser.on('close', () => {
    for (const file of files) file.destroy();
  });
  parser.on('file', (name: string | undefined, stream, fileName: string | undefined) => {
    // A body that ends within a file also fails that file's stream, even if it is not read yet.
    stream.on('error', (error) => parser.destroy(error));
    files.push(stream);
    onFile(name, stream, fileName ?? '');
  });
  return parser;
}
