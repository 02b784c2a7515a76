import { dataOf } from './answer.ts';
import { type Document, textOf, type Variables } from './document.ts';
import { bodyOf } from './request.ts';
import { subscribeTo } from './subscribe.ts';

export interface ClientOptions {
  /** Address of the server, as `https://gantry.example.com`, or of its endpoint, which ends with `/graphql`. */
  url: string | URL;
  /** A personal access token or one of OAuth; a function is asked before each request. Anonymous without one. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Headers of each request, as `Sudo`. */
  headers?: Readonly<Record<string, string>>;
  /** Takes the place of the `fetch` of the platform, e.g. to go through a proxy. */
  fetch?: typeof fetch;
}

export interface SubscribeOptions {
  /** Ends the subscription when it aborts; the loop over it then throws the reason. */
  signal?: AbortSignal;
}

/** Sends operations to one server. All three reject with a GantryError for an answer with errors. */
export interface Client {
  /** Runs a query; resolves to its data. */
  query<Result, Vars>(document: Document<Result, Vars>, ...variables: Variables<Vars>): Promise<Result>;
  /** Runs a mutation; resolves to its data. Is not sent again by itself, whatever happens. */
  mutate<Result, Vars>(document: Document<Result, Vars>, ...variables: Variables<Vars>): Promise<Result>;
  /**
   * What a subscription sends, for `for await`, over Server-Sent Events. When the connection is lost, it is resumed after the last
   * event that came.
   */
  subscribe<Result, Vars>(
    document: Document<Result, Vars>,
    variables: Vars,
    options?: SubscribeOptions,
  ): AsyncGenerator<Result, void>;
}

/** A client of the server at an address. Opens no connection before the first operation. */
export function createClient(options: ClientOptions): Client {
  const run = async <Result>(document: Document<Result, never>, variables?: unknown): Promise<Result> => {
    const response = await post(options, textOf(document), variables);
    return dataOf(response.status, await response.json().catch(() => undefined));
  };
  return {
    query: (document, ...[variables]) => run(document, variables),
    mutate: (document, ...[variables]) => run(document, variables),
    subscribe: (document, variables, { signal } = {}) =>
      subscribeTo(
        (headers) =>
          post(options, textOf(document), variables, {
            headers: { Accept: 'text/event-stream', ...headers },
            ...(signal ? { signal } : {}),
          }),
        signal,
      ),
  };
}

async function post(
  { url, token, headers, fetch: send = fetch }: ClientOptions,
  query: string,
  variables: unknown,
  more: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const { body, headers: ofBody } = bodyOf(query, variables ?? {});
  const current = typeof token === 'function' ? await token() : token;
  return send(endpointOf(url), {
    method: 'POST',
    body,
    headers: {
      Accept: 'application/graphql-response+json, application/json',
      ...ofBody,
      ...(current === undefined ? {} : { Authorization: `Bearer ${current}` }),
      ...headers,
      ...more.headers,
    },
    ...(more.signal ? { signal: more.signal } : {}),
  });
}

function endpointOf(url: string | URL): string {
  const address = String(url).replace(/\/+$/, '');
  return address.endsWith('/graphql') ? address : `${address}/graphql`;
}
