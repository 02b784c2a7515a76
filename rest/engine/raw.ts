import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { refuse } from '#rest/engine/respond.ts';
import { isKnown, type WantedRange, wantedRange } from '#src/platform/byte_range.ts';

/** Content that is sent as it is instead of a record. */
export interface RawContent {
  stream: Readable;
  /** Opens only these bytes, if that is faster than reading what comes before. */
  part?: (range: WantedRange) => Promise<Readable>;
  /** In bytes; null if unknown in advance. */
  size: number | null;
  type: string;
  /** Suggested name for saving it. */
  fileName: string;
  /** Changes with the content; null if unknown. */
  etag: string | null;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * Streams content, or the requested range of it, with constant memory. Browsers never take it for a page of this server. The
 * stream ends if the client disconnects.
 */
export async function sendRaw(content: RawContent, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { stream, size, etag } = content;
  stream.on('error', () => undefined);
  response.once('close', () => stream.destroy());
  // The client may have disconnected before there was anything to send.
  if (response.destroyed) return void stream.destroy();
  for (const [name, value] of Object.entries({ ...headersOf(content), ...content.headers })) {
    response.setHeader(name, value);
  }
  if (etag !== null && isKnown(request, etag)) {
    return void response.writeHead(304).end();
  }
  const range = size === null ? undefined : wantedRange(request, size, etag);
  if (range === null) {
    response.removeHeader('ETag');
    return refuse(response, 416, { error: '416 Range Not Satisfiable' }, { 'Content-Range': `bytes */${size}` });
  }
  // From here on, an error can still be answered, as nothing has been sent.
  const wanted = range ? await open(content, range) : stream;
  if (range) response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  if (size !== null) response.setHeader('Content-Length', range ? range.end - range.start + 1 : size);
  response.writeHead(range ? 206 : 200);
  if (request.method === 'HEAD') return void response.end();
  try {
    await pipeline(wanted, response);
  } catch (error) {
    // The connection is cut, so that clients do not take a part for the whole; a client that disconnects is no error.
    response.destroy();
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function headersOf({ type, fileName, etag, size }: RawContent): Record<string, string> {
  // A picture of SVG is a document, with scripts; as an attachment it is still shown within a page.
  const isShown = type.startsWith('text/') || (type.startsWith('image/') && !type.startsWith('image/svg'));
  const kind = isShown ? 'inline' : 'attachment';
  const plain = fileName.toWellFormed().replace(/[^\x20-\x7e]|["\\%]/g, '_');
  // Some clients take everything after the first name as part of it: a second one is only sent if it differs.
  const encoded = plain === fileName ? '' : `; filename*=UTF-8''${extended(fileName)}`;
  return {
    'Content-Type': type,
    'Content-Disposition': `${kind}; filename="${plain}"${encoded}`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'sandbox',
    'Cache-Control': 'max-age=0, private, must-revalidate',
    ...(etag === null ? {} : { ETag: etag }),
    ...(size === null ? {} : { 'Accept-Ranges': 'bytes' }),
  };
}

/** Encodes a value as in RFC 8187. */
function extended(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}

/** Opens a range as a stream; the whole content is closed if it is not used for that. */
async function open({ stream, part }: RawContent, range: WantedRange): Promise<Readable> {
  if (!part) return Readable.from(partOf(stream, range), { objectMode: false });
  stream.destroy();
  return part(range);
}

async function* partOf(stream: Readable, { start, end }: WantedRange): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const wanted = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += chunk.length;
    if (wanted.length > 0) yield wanted;
    if (at > end) return;
  }
}
