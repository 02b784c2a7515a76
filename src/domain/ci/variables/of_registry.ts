/** The user name for the token of a job, which the container registry takes as the password. */
export const REGISTRY_USER = 'gitlab-ci-token';

/**
 * The variables that tell of the container registry, other than the password.
 *
 * @param baseUrl of the server, without a trailing slash
 */
export function ofRegistry({ baseUrl, fullPath }: { baseUrl: string; fullPath: string }): Record<string, string> {
  const { host } = new URL(baseUrl);
  return {
    CI_REGISTRY: host,
    CI_REGISTRY_IMAGE: `${host}/${fullPath.toLowerCase()}`,
    CI_REGISTRY_USER: REGISTRY_USER,
  };
}
