import type { ErrorRequestHandler, RequestHandler } from 'express';
import { readForm } from '#src/entrances/web/read_form.ts';

/** The file field of a form. */
export interface UploadField {
  field: string;
  /** In bytes. */
  largest: number;
  /** Path of the page that reports a file that is too large. */
  tooLarge: string;
}

/** Bytes that a form may have besides its file. */
const REST = 16 * 1024;

/**
 * Parses a multipart form with one small file: `request.body` has its fields, each a text, a File or null. A larger form is
 * redirected to `tooLarge`, so that users who send a photo get a useful message.
 */
export function uploadForm({ field, largest, tooLarge }: UploadField): (RequestHandler | ErrorRequestHandler)[] {
  const read = readForm('multipart/form-data', largest + REST);
  const refuse: ErrorRequestHandler = (error, _request, response, next) => {
    if (error?.status === 413) response.redirect(303, tooLarge);
    else next(error);
  };
  const parse: RequestHandler = async (request, _response, next) => {
    const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
    const form = await new Response(request.body ? new Uint8Array(request.body) : null, { headers })
      .formData()
      .catch(() => null);
    request.body = { authenticity_token: form?.get('authenticity_token'), [field]: form?.get(field) ?? null };
    next();
  };
  return [read, refuse, parse];
}
