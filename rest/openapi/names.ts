import type { Endpoint } from '#rest/engine/compile.ts';
import { pathParameters, type Route } from '#rest/engine/route.ts';

/**
 * The operation name for generated clients: `listProjectIssues`, `createIssue`. It follows from the name of the GraphQL
 * operation; path suffixes and extra path parameters distinguish routes with the same operation.
 */
export function operationId(endpoint: Endpoint, endpoints: readonly Endpoint[]): string {
  const { route, operationName } = endpoint;
  const others = endpoints.filter((other) => other !== endpoint && other.operationName === operationName);
  const own = pathParameters(route).filter((name) => others.some(({ route }) => !pathParameters(route).includes(name)));
  return [verb(endpoint), ...own.map((name) => `For${pascalCase(name)}`), endingOf(route)].join('');
}

/** The name with its verb first, which a mutation's has already. */
function verb({ operationName, route, paginated, list }: Endpoint): string {
  if (route.choice) return `list${route.choice.name}`;
  if (route.method !== 'GET' || /^(?:List|Get)[A-Z]/.test(operationName)) return camelCase(operationName);
  return `${paginated || list ? 'list' : 'get'}${operationName}`;
}

/** Converts the suffix of `archive.tar.gz` to `TarGz`. */
function endingOf({ path }: Route): string {
  const [, ending = ''] = /\.([\w.]+)$/.exec(path) ?? [];
  return pascalCase(ending);
}

/** Converts `project_id` to `ProjectId`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase());
}

function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
