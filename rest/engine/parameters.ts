import type { IncomingMessage } from 'node:http';
import busboy from 'busboy';
import qs from 'qs';
import { FileTooLarge, SpooledFile } from '#rest/engine/spooled_file.ts';

/** A body that cannot be read, with the status that says so. */
export class BadBody extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The largest body of a request without files, in bytes. */
const MAX_BODY = 8 * 1024 * 1024;
const PARSING = { arrayLimit: 10_000, parameterLimit: 10_000, depth: 5, ignoreQueryPrefix: true };

/** The parameters of the query string. */
export function queryParameters(query: string): Record<string, unknown> {
  return query === '' ? {} : form(query);
}

/** A parameter that is a file. */
export interface FileParameter {
  name: string;
  /** The largest file, in bytes. */
  limit: number;
}

/**
 * The parameters of the body, whatever its form and the verb: JSON, urlencoded, or the fields of multipart, where one may be
 * a SpooledFile, which the caller disposes of. Throws BadBody.
 */
export async function bodyParameters(request: IncomingMessage, file?: FileParameter): Promise<Record<string, unknown>> {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return {};
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data') return multipart(request, file);
  const text = await readText(request);
  if (text.trim() === '') return {};
  if (type === 'application/json' || type.endsWith('+json')) return json(text);
  return type === '' || type === 'application/x-www-form-urlencoded' ? form(text) : {};
}

function form(text: string): Record<string, unknown> {
  return qs.parse(/(\]|%5D)(\[|%5B)/i.test(text) ? numbered(text) : text, PARSING);
}

/** In `a[][x]=1&a[][y]=2&a[][x]=3`, a key that comes again begins the next record: says so by numbers. */
function numbered(text: string): string {
  const records = new Map<string, { index: number; keys: Set<string> }>();
  const pairs = text.split('&').map((pair) => {
    const end = pair.indexOf('=') < 0 ? pair.length : pair.indexOf('=');
    const [, list, key] = /^([^[\]]+)\[\]\[([^[\]]+)\]$/.exec(decoded(pair.slice(0, end))) ?? [];
    if (list === undefined || key === undefined) return pair;
    let record = records.get(list) ?? { index: 0, keys: new Set() };
    if (record.keys.has(key)) record = { index: record.index + 1, keys: new Set() };
    record.keys.add(key);
    records.set(list, record);
    return `${encodeURIComponent(`${list}[${record.index}][${key}]`)}${pair.slice(end)}`;
  });
  return pairs.join('&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function json(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadBody(400, `The body is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadBody(400, 'The body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new BadBody(413, '413 Request Entity Too Large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function multipart(request: IncomingMessage, file?: FileParameter): Promise<Record<string, unknown>> {
  const query = new URLSearchParams();
  let spooling: Promise<SpooledFile> | undefined;
  const parsed = new Promise<void>((resolve, reject) => {
    const refuse = (error: unknown) => {
      request.unpipe();
      request.resume();
      reject(error instanceof BadBody ? error : new BadBody(400, 'The body is not valid multipart/form-data'));
    };
    try {
      const parser = busboy({
        headers: request.headers,
        defParamCharset: 'utf8',
        limits: { fieldSize: MAX_BODY, fields: 10_000, parts: 10_000 },
      });
      parser.on('field', (name, value, info) => {
        if (info.valueTruncated) refuse(new BadBody(413, '413 Request Entity Too Large'));
        query.append(name, value);
      });
      parser.on('file', (name, stream, { filename }) => {
        // A body that ends in the middle of a file fails its stream too, whether or not anybody reads it yet.
        stream.on('error', refuse);
        if (name !== file?.name || spooling) return void stream.resume();
        spooling = SpooledFile.from(filename ?? '', stream, file.limit).catch((error) => {
          throw error instanceof FileTooLarge ? new BadBody(413, '413 Request Entity Too Large') : error;
        });
        spooling.catch(refuse);
      });
      parser.on('error', refuse);
      parser.on('close', resolve);
      request.on('error', refuse);
      request.pipe(parser);
    } catch (error) {
      refuse(error);
    }
  });
  try {
    await parsed;
    const fields = form(query.toString());
    return file && spooling ? { ...fields, [file.name]: await spooling } : fields;
  } catch (error) {
    // Whatever was wrong: nothing stays on the disk.
    spooling?.then((spooled) => spooled[Symbol.asyncDispose]()).catch(() => undefined);
    throw error;
  }
}
