import type { Request, Response } from 'express';

/** Ends a request with this status. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Paging {
  page: number;
  perPage: number;
  offset: number;
}

/** Which page is asked for. */
export function paging({ query }: Pick<Request, 'query'>): Paging {
  const page = Math.max(1, Number(query.page ?? 1));
  const wanted = Number(query.per_page ?? 20);
  if (!Number.isInteger(page) || !Number.isInteger(wanted)) throw new Refusal(400, 'page or per_page is invalid');
  const perPage = wanted > 0 ? Math.min(wanted, 100) : 20;
  return { page, perPage, offset: (page - 1) * perPage };
}

/** Sends a page of a list as PostgreSQL has written it, with the headers that lead to the others. */
export function sendPage(
  request: Request,
  response: Response,
  { body = '[]', total = 0 }: { body?: string | undefined; total?: number | undefined },
  pinned: Record<string, string> = {},
): void {
  const { page, perPage } = paging(request);
  const pages = Math.ceil(total / perPage);
  const base = `${baseUrl(request)}${request.path}`;
  const parameters = new URLSearchParams(request.url.split('?')[1]);
  parameters.set('per_page', String(perPage));
  for (const [name, value] of Object.entries(pinned)) parameters.set(name, value);
  const link = (to: number, rel: string) => {
    parameters.set('page', String(to));
    parameters.sort();
    return `<${base}?${parameters}>; rel="${rel}"`;
  };
  const links = [link(1, 'first'), link(pages, 'last')];
  if (page < pages) links.unshift(link(page + 1, 'next'));
  if (page > 1) links.unshift(link(page - 1, 'prev'));
  response.set({
    'X-Total': String(total),
    'X-Total-Pages': String(pages),
    'X-Per-Page': String(perPage),
    'X-Page': String(page),
    'X-Next-Page': page < pages ? String(page + 1) : '',
    'X-Prev-Page': page > 1 ? String(page - 1) : '',
    Link: links.join(', '),
  });
  sendJson(response, 200, body);
}

export function sendJson(response: Response, status: number, body: string): void {
  response.status(status).type('application/json').send(body);
}

/** What addresses in answers begin with. */
export function baseUrl(request: Request): string {
  return `${request.protocol}://${request.get('host')}`;
}
