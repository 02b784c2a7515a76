import { parse } from 'node:querystring';
import type { RequestHandler } from 'express';
import { wrongUtf8In } from '#src/base/utf8.ts';

/** The URL of a request is not UTF-8; the error handler uses its status. */
export class InvalidUrl extends Error {
  readonly status = 400;
}

/** Rejects requests whose URL is not valid UTF-8, in the format of the requested entrance. */
export function validUrls(): RequestHandler {
  return (request, response, next) => {
    const wrong = wrongUtf8In(request.url);
    if (wrong === null) return next();
    const message = `${wrong} is not valid UTF-8`;
    if (/^\/(api|graphql)(\/|\?|$)/.test(request.url)) response.setHeader('Access-Control-Allow-Origin', '*');
    if (/^\/(api\/)?graphql(\/|\?|$)/.test(request.url)) {
      response.status(400).json({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
    } else if (request.url.startsWith('/api/')) response.status(400).json({ error: message });
    else if (/^\/oauth\/(?!authorize|interaction)/.test(request.url)) {
      response.status(400).json({ error: 'invalid_request', error_description: message });
    } else next(new InvalidUrl(message));
  };
}

/** The parameters of a query; of repeated ones the last counts. */
export function lastOfEach(query: string | null | undefined): Record<string, string | undefined> {
  const given = Object.entries(parse(query ?? ''));
  return Object.fromEntries(given.map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]));
}
