import type { RequestHandler } from 'express';

/** Refuses requests whose body is larger than that many bytes, or whose size is not told before. */
export function bodyLimit(bytes: number): RequestHandler {
  return ({ headers }, response, next) => {
    const refuse = (status: number, message: string) => {
      response.setHeader('Connection', 'close');
      response.status(status).json({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
    };
    if (headers['transfer-encoding'] !== undefined) refuse(411, 'The request must tell its Content-Length.');
    else if (Number(headers['content-length'] ?? 0) > bytes) refuse(413, `The request is larger than ${bytes} bytes.`);
    else next();
  };
}
