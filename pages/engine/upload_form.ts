import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { readForm, UnreadableForm } from '#pages/engine/read_form.ts';

/** The file field of a form. */
export interface UploadField {
  field: string;
  /** In bytes. */
  largest: number;
  /** Path of the page that reports a file that is too large. */
  tooLarge: string;
}

const MULTIPART = 'multipart/form-data';

/** Bytes that a form may have besides its file. */
const REST = 16 * 1024;

/**
 * Parses a multipart form with one small file: `request.body` has its fields, each a text, a File or null. A larger form is
 * redirected to `tooLarge`, so that users who send a photo get a useful message.
 */
export function uploadForm({ field, largest, tooLarge }: UploadField): (RequestHandler | ErrorRequestHandler)[] {
  const read = readForm(MULTIPART, largest + REST);
  const refuse: ErrorRequestHandler = (error, _request, response, next) => {
    if (error?.status === 413) response.redirect(303, tooLarge);
    else next(error);
  };
  const parse: RequestHandler = async (request, _response, next) => {
    const form = await dataOf(request);
    request.body = { authenticity_token: form?.get('authenticity_token'), [field]: form?.get(field) ?? null };
    next();
  };
  return [read, refuse, parse];
}

/**
 * Parses a multipart form of `largest` bytes and `most` fields: `request.body` has them, each a text or a File, and those that are repeated
 * as lists.
 */
export function filesForm(largest: number, most: number): RequestHandler[] {
  const parse: RequestHandler = async (request, _response, next) => {
    if (!request.is(MULTIPART)) return next();
    const fields = [...((await dataOf(request)) ?? [])];
    if (fields.length > most) return next(new UnreadableForm(413, `The form has more than ${most} fields`));
    const byName = Map.groupBy(fields, ([name]) => name);
    request.body = Object.fromEntries(
      [...byName].map(([name, all]) => [name, all.length === 1 ? all[0]?.[1] : all.map(([, value]) => value)]),
    );
    next();
  };
  return [readForm(MULTIPART, largest), parse];
}

/** Null for what is no form. */
function dataOf(request: Request): Promise<FormData | null> {
  const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
  return new Response(request.body ? new Uint8Array(request.body) : null, { headers }).formData().catch(() => null);
}
