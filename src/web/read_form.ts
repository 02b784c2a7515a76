import type { RequestHandler } from 'express';
import { readAtMost } from '#src/platform/read_at_most.ts';

/** Why a body is not read, for the handler of errors. */
class UnreadableForm extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Reads bodies of one type, so many bytes at most, into `request.body`: a Buffer, or undefined for a body of another type or
 * none. Errors have a `status`: 413 for a larger one, of which no more is read, and 400 for one that ends too early.
 */
export function readForm(type: string, limit: number): RequestHandler {
  const tooLarge = () => new UnreadableForm(413, `The form has more than ${limit} bytes`);
  return async (request, _response, next) => {
    if (!request.is(type)) return next();
    if (Number(request.headers['content-length'] ?? 0) > limit) return next(tooLarge());
    try {
      request.body = await readAtMost(request, limit, tooLarge);
    } catch (error) {
      return next(error instanceof UnreadableForm ? error : new UnreadableForm(400, 'The form ended too early'));
    }
    next();
  };
}
