import { isUtf8 } from 'node:buffer';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Limits, tooLarge } from '#schema/limits.ts';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import { isUtf8Encoded, ReplacementWatch } from '#src/base/utf8.ts';
import { isBrokenOff } from '#src/platform/broken_off.ts';

/** Fields and files of a multipart request, and bytes of the longest name. */
const PARTS = { fields: 20, files: 20, parts: 40, fieldNameSize: 100 };

/** Reads bodies within limits: JSON is counted before it is parsed, multipart has few parts. */
export function readBodies({ bytes }: Pick<Limits, 'bytes'>): Plugin {
  const formDataLimits = { ...PARTS, fieldSize: bytes };
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      if (!requestParser || request.method !== 'POST') return;
      const read = async (body: Request) => {
        if (type === 'multipart/form-data') return requestParser(limited(body, formDataLimits));
        const bytes = new Uint8Array(await body.arrayBuffer());
        return requestParser(type.endsWith('json') ? withJson(body, readJson(bytes)) : withText(body, readText(bytes)));
      };
      setRequestParser((body) => read(body).catch(endedEarly));
    },
  };
}

/** Throws the error for a client that has disconnected; rethrows other errors. */
function endedEarly(error: unknown): never {
  if (!isBrokenOff(error)) throw error;
  const extensions = { code: 'BAD_REQUEST', http: { status: 400 } };
  throw new GraphQLError('The body ended before all of it had come.', { extensions });
}

/** A request whose form is read within limits and must be UTF-8. */
function limited(request: Request, formDataLimits: object): Request {
  const watch = new ReplacementWatch();
  const body = request.body && seenBy(watch, request.body);
  // Required for stream bodies; missing in the types of this version of Node.
  const init = { method: 'POST', headers: request.headers, body, duplex: 'half' };
  const watched = new (request.constructor as typeof Request)(request.url, init as RequestInit);
  const read = watched.formData.bind(watched) as (options: object) => Promise<FormData>;
  const value = async () => {
    const form = await read({ formDataLimits });
    for (const [name, part] of form) {
      if (![name, typeof part === 'string' ? part : part.name].every((text) => watch.isSound(text))) throw notUtf8();
    }
    return form;
  };
  return Object.create(request, { formData: { value } });
}

function seenBy(watch: ReplacementWatch, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const seeing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      watch.take(chunk);
      controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(seeing);
}

function notUtf8(): GraphQLError {
  return new GraphQLError('The body is not valid UTF-8', {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  });
}

/** A request with its text already read. */
function withText(request: Request, value: string): Request {
  return Object.create(request, { text: { value: async () => value } });
}

function readText(body: Uint8Array): string {
  const text = Buffer.from(body).toString();
  if (!isUtf8(Buffer.from(body)) || !isUtf8Encoded(text)) throw notUtf8();
  return text;
}

/** A request with its body already read. */
function withJson(request: Request, value: unknown): Request {
  return Object.create(request, { json: { value: async () => value } });
}

/** Parses a JSON body, whose parts are counted first. Throws GraphQLError. */
export function readJson(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    if (error.tooLarge) throw tooLarge(`${error.message}.`, { kind: 'json' });
    throw new GraphQLError(error.message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
  }
}
