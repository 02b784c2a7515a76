import { REGISTRY_USER } from '#src/domain/ci/variables/of_registry.ts';

/** What runners sign in with to pull images of jobs: the token of the job, at a URL of the server without a trailing slash. */
export function registryCredentials({ baseUrl, token }: { baseUrl: string; token: string }) {
  return [{ type: 'registry', url: new URL(baseUrl).host, username: REGISTRY_USER, password: token }];
}
