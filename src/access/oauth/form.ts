import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type Request, type Response, text } from 'express';

/** A request is not what it should be, before anybody looks at what it says. */
export class Unreadable extends Error {}

/** Largest body of a request of a client, in bytes. */
const MAX_BODY = 32 * 1024;

const readText = promisify(text({ type: () => true, limit: MAX_BODY }));

/** The fields of the body of a request, which is a form or JSON. Throws Unreadable. */
export async function readForm(request: Request, response: Response): Promise<URLSearchParams> {
  await readText(request, response).catch((error) => {
    throw new Unreadable('the body cannot be read', { cause: error });
  });
  const body = typeof request.body === 'string' ? request.body : '';
  if (body === '') return new URLSearchParams();
  const type = request.is(['application/x-www-form-urlencoded', 'application/json']);
  if (!type) throw new Unreadable('the body must be application/x-www-form-urlencoded or application/json');
  if (type !== 'application/json') return new URLSearchParams(body);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parse(body))) {
    if (value === null) continue;
    if (typeof value === 'object') throw new Unreadable(`${name} must be a text`);
    form.append(name, String(value));
  }
  return form;
}

/** The request with another body: the form. */
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

function parse(body: string): object {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw new Unreadable('the body is not a JSON object');
}
