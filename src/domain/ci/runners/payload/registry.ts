import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';

/** The user name for the token of a job, which the container registry takes as the password. */
const REGISTRY_USER = 'gitlab-ci-token';

/** The project of a job, and the server. */
interface RegistryJob {
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  fullPath: string;
  /** Of the job. */
  token: string;
}

/** The variables that tell of the container registry, other than the password. */
export function ofRegistry({ baseUrl, fullPath }: Omit<RegistryJob, 'token'>): Variables {
  const { host } = new URL(baseUrl);
  return {
    CI_REGISTRY: host,
    CI_REGISTRY_IMAGE: `${host}/${fullPath.toLowerCase()}`,
    CI_REGISTRY_USER: REGISTRY_USER,
  };
}

/** What runners sign in with to pull images of jobs. */
export function registryCredentials({ baseUrl, token }: Omit<RegistryJob, 'fullPath'>) {
  return [{ type: 'registry', url: new URL(baseUrl).host, username: REGISTRY_USER, password: token }];
}
