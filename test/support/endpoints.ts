import { compile, type Endpoint } from '#rest/engine/compile.ts';
import type { Route } from '#rest/engine/route.ts';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';

/** What a route compiles to: an endpoint, or one for each word of a choice, with the parameter and the word in its path. */
export function endpointsOf(route: Route): Endpoint[] {
  const endpoint = compile(route, schema);
  if (endpoint.choices.size === 0) return [endpoint];
  return [...endpoint.choices].map(([word, one]) => {
    const path = withQuery(route.path, `${route.choice?.parameter}=${word}`);
    return { ...one, route: { ...one.route, path } };
  });
}

/** All endpoints of the REST API by method and path. */
export const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  routes.flatMap(endpointsOf).map((endpoint) => [`${endpoint.route.method} ${endpoint.route.path}`, endpoint]),
);

/** A path with more parameters in its query. */
export function withQuery(path: string, query: string | URLSearchParams): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
