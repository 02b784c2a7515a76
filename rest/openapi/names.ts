import type { Endpoint } from '#rest/engine/compile.ts';
import type { Route } from '#rest/engine/route.ts';

/**
 * What generated clients call an operation: `listProjectIssues`, `createIssue`. It follows from the name of the GraphQL
 * operation; endings of the path, and parameters in it that others of the same operation lack, tell these apart.
 */
export function operationId(endpoint: Endpoint, endpoints: readonly Endpoint[]): string {
  const { route, operationName } = endpoint;
  const others = endpoints.filter((other) => other !== endpoint && other.operationName === operationName);
  const own = pathParameters(route).filter((name) => others.some(({ route }) => !pathParameters(route).includes(name)));
  return [verb(endpoint), ...own.map((name) => `For${pascalCase(name)}`), endingOf(route)].join('');
}

/** The name with the verb in front that a mutation has already. */
function verb({ operationName, route, paginated, list }: Endpoint): string {
  if (route.method !== 'GET' || /^(?:List|Get)[A-Z]/.test(operationName)) return camelCase(operationName);
  return `${paginated || list ? 'list' : 'get'}${operationName}`;
}

function pathParameters({ path }: Route): string[] {
  return path.match(/:(\w+)/g)?.map((name) => name.slice(1)) ?? [];
}

/** `TarGz` of `archive.tar.gz`. */
function endingOf({ path }: Route): string {
  const [, ending = ''] = /\.([\w.]+)$/.exec(path) ?? [];
  return pascalCase(ending);
}

/** `ProjectId` of `project_id`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase());
}

function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
