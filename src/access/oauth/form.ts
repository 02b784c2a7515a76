import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { Request } from 'express';
import { parseJson } from '#src/base/json.ts';
import { isUtf8Encoded } from '#src/base/utf8.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';

/** Thrown for a request whose body cannot be read as a form. */
export class Unreadable extends Error {}

/** Largest request body, in bytes. */
const MAX_BODY = 32 * 1024;

/**
 * The parameters of a request: from its body, which is a form, multipart or JSON, and from its query where not in the body
 * (rest-api-v4.md, Conventions). Throws Unreadable.
 */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const form = await readBody(request);
  const inBody = new Set(form.keys());
  const query = request.originalUrl.indexOf('?');
  if (query < 0) return form;
  for (const [name, value] of new URLSearchParams(request.originalUrl.slice(query + 1))) {
    if (!inBody.has(name)) form.append(name, value);
  }
  return form;
}

async function readBody(request: Request): Promise<URLSearchParams> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new Unreadable('the body must not be compressed');
  const tooLarge = () => new Unreadable(`the body has more than ${MAX_BODY} bytes`);
  const content = await readAtMost(request, MAX_BODY, tooLarge).catch((error) => {
    throw error instanceof Unreadable ? error : new Unreadable('the body cannot be read', { cause: error });
  });
  if (!isUtf8(content)) throw new Unreadable('the body is not valid UTF-8');
  const body = content.toString();
  if (body === '') return new URLSearchParams();
  const type = request.is(TYPES);
  if (!type) throw new Unreadable(`the body must be ${TYPES.slice(0, -1).join(', ')} or ${TYPES.at(-1)}`);
  if (type === 'multipart/form-data') return multipart(request, body);
  if (type === 'application/json') return fromJson(content);
  if (!isUtf8Encoded(body)) throw new Unreadable('the body is not valid UTF-8');
  return new URLSearchParams(body);
}

/** The accepted content types of a body. */
const TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'];

async function multipart({ headers }: Request, body: string): Promise<URLSearchParams> {
  const form = new URLSearchParams();
  let file: string | undefined;
  try {
    const parser = new Busboy({ headers: headers as BusboyHeaders, limits: PARTS });
    parser.on('field', (name = '', value) => form.append(name, value));
    parser.on('file', (name = '', content) => {
      file ??= name;
      content.on('error', (error) => parser.destroy(error)).resume();
    });
    for (const event of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) {
      parser.on(event, () => parser.destroy(new Error('too many parts')));
    }
    await pipeline([Buffer.from(body)], parser);
  } catch (error) {
    throw new Unreadable('the body is not valid multipart/form-data', { cause: error });
  }
  if (file !== undefined) throw new Unreadable(`${file} must be a text`);
  return form;
}

/** More fields than any request has parameters. */
const PARTS = { fields: 50, files: 1, parts: 50 };

function fromJson(body: Uint8Array): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parse(body))) {
    if (value === null) continue;
    if (typeof value === 'object') throw new Unreadable(`${name} must be a text`);
    form.append(name, String(value));
  }
  return form;
}

/** The request with the form as its body. */
export function withForm(request: Request, form: URLSearchParams): Request {
  const bytes = Buffer.from(form.toString());
  const stream = Readable.from([bytes]);
  const headers = {
    ...request.headers,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(bytes.length),
  };
  return Object.create(request, {
    headers: { value: headers },
    readable: { value: true },
    readableEncoding: { value: null },
    iterator: { value: (options?: { destroyOnReturn?: boolean }) => stream.iterator(options) },
  });
}

function parse(body: Uint8Array): object {
  try {
    const value = parseJson(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Refused below, as JSON of another kind is.
  }
  throw new Unreadable('the body is not a JSON object');
}
