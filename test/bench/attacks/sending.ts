import { request } from 'node:http';

/** What is sent, beside the URL. */
export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends a request and reads the answer, of which nothing but the status and the first error's code is kept. */
export function sendOnce(url: string, { method = 'POST', headers, body }: Sent): Promise<string> {
  const size = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers, ...size } }, (response) => {
      let start = '';
      response.on('data', (part: Buffer) => {
        if (start.length < 4_000) start += part.toString('latin1');
      });
      response.on('error', reject);
      response.on('end', () => {
        const code = /"code":"(\w+)"/.exec(start)?.[1];
        resolve(`${response.statusCode}${code === undefined ? '' : ` ${code}`}`);
      });
    });
    // A server that refuses a body does not read it to its end.
    sent.on('error', reject);
    sent.end(body);
  });
}
