import type { Request, Response } from 'express';
import type { SiteFile } from '#src/domain/sites/archive.ts';
import type { SitePart } from '#src/domain/sites/find.ts';
import type { SiteContent, SiteReader } from '#src/domain/sites/read.ts';
import { representationOf } from '#src/domain/sites/resolve.ts';
import { mediaTypeOf } from '#src/entrances/web/sites/media_types.ts';
import { isKnown, wantedRange } from '#src/platform/byte_range.ts';

/** A file of a site, and how it is sent. */
export interface SentFile {
  part: SitePart;
  content: SiteContent;
  path: string;
  file: SiteFile;
  /** Whether everybody may read it, and caches may keep it. */
  isOpen: boolean;
  status?: 200 | 404;
}

/** How long browsers and caches may keep files of sites that are open to everybody. */
const OPEN_CACHING = 'public, max-age=600';
const OWN_CACHING = 'private, no-cache';

/** Sends a file, or the part of it that is asked for. Throws NotFound, UploadsUnavailable before anything is sent. */
export async function sendFile(
  reader: SiteReader,
  sent: SentFile,
  request: Request,
  response: Response,
): Promise<void> {
  const { part, content, path, file: plain, isOpen, status = 200 } = sent;
  const { file, encoding, varies } = representationOf(
    content.files,
    path,
    plain,
    String(request.headers['accept-encoding'] ?? ''),
  );
  const etag = `"${file.crc32.toString(36)}-${file.size.toString(36)}${encoding ? `-${encoding}` : ''}"`;
  const headers: Record<string, string | number> = {
    'Content-Type': mediaTypeOf(path),
    'Cache-Control': status === 404 ? 'no-cache' : isOpen ? OPEN_CACHING : OWN_CACHING,
    'Last-Modified': new Date(part.createdAt).toUTCString(),
    'Accept-Ranges': 'bytes',
    ETag: etag,
    ...(isOpen ? { 'Access-Control-Allow-Origin': '*' } : {}),
    ...(encoding ? { 'Content-Encoding': encoding } : {}),
    ...(varies ? { Vary: 'Accept-Encoding' } : {}),
  };
  if (status === 200 && isKnown(request, etag)) return void response.writeHead(304, headers).end();
  const range = status === 200 ? wantedRange(request, file.size, etag) : undefined;
  if (range === null)
    return sendText(response, 416, 'Range not satisfiable', { 'Content-Range': `bytes */${file.size}` });
  const body = request.method === 'HEAD' ? null : await reader.read(part, file, range);
  headers['Content-Length'] = range ? range.end - range.start + 1 : file.size;
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${file.size}`;
  if (body !== null && !Buffer.isBuffer(body)) {
    body.on('error', () => response.destroy());
    response.once('close', () => body.destroy());
    if (response.destroyed) return void body.destroy();
    response.writeHead(range ? 206 : status, headers);
    return void body.pipe(response);
  }
  response.writeHead(range ? 206 : status, headers).end(body);
}

/** Sends a plain text in place of a file. */
export function sendText(response: Response, status: number, text: string, headers: Record<string, string> = {}): void {
  const type = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
  response.writeHead(status, { ...type, 'Content-Length': Buffer.byteLength(text) + 1, ...headers }).end(`${text}\n`);
}

/** Redirects to an address; what is encoded in it stays as it is. */
export function redirect(response: Response, status: number, address: string, caching = 'no-cache'): void {
  const location = address.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  response.writeHead(status, { Location: location, 'Cache-Control': caching, 'Content-Length': 0 }).end();
}
