import type { RequestHandler } from 'express';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';

/** Why a form is rejected; the error handler uses its status. */
export class UnreadableForm extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Reads bodies of one type, of so many bytes at most, into `request.body`: a Buffer, or undefined for no body or one of another
 * type. Fails with UnreadableForm: 413 for a larger one, which is not read further, 415 for a compressed one, and 400 for one
 * that ends too early.
 */
export function readForm(type: string, limit: number): RequestHandler {
  const tooLarge = () => new UnreadableForm(413, `The form has more than ${limit} bytes`);
  return async (request, _response, next) => {
    if (!request.is(type)) return next();
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') return next(new UnreadableForm(415, 'Forms must not be compressed'));
    if (Number(request.headers['content-length'] ?? 0) > limit) return next(tooLarge());
    try {
      request.body = await readAtMost(request, limit, tooLarge);
    } catch (error) {
      return next(error instanceof UnreadableForm ? error : new UnreadableForm(400, 'The form ended too early'));
    }
    next();
  };
}
