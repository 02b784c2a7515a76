import type { Request, RequestHandler } from 'express';

/** Rejects requests whose body is larger than the limit for this request, or of unknown size. */
export function bodyLimit(limitOf: (request: Request) => number | Promise<number>): RequestHandler {
  return async (request, response, next) => {
    const { headers } = request;
    const refuse = (status: number, message: string, code: string) => {
      response.status(status).json({ errors: [{ message, extensions: { code } }] });
    };
    if (headers['transfer-encoding'] !== undefined) {
      return refuse(411, 'The request must have a Content-Length.', 'BAD_REQUEST');
    }
    const size = Number(headers['content-length'] ?? 0);
    const limit = size > 0 ? await limitOf(request) : 0;
    if (size <= limit) return next();
    refuse(413, `The request is larger than ${limit} bytes.`, 'CONTENT_TOO_LARGE');
  };
}
