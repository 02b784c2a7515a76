import { API_VERSION } from '#src/platform/api_version.ts';
import { type SshPlace, sshHost } from '#src/platform/config/ssh_address.ts';
import { packageRevision } from '#src/platform/package_root.ts';

/**
 * The variables that tell of the server: its version, and where it is.
 *
 * @param baseUrl of the server, without a trailing slash
 */
export function ofServer(baseUrl: string, ssh: SshPlace): Record<string, string> {
  const [major = '', minor = '', patch = ''] = API_VERSION.split('.');
  const { protocol, hostname, host, port } = new URL(baseUrl);
  return {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_SERVER: 'yes',
    CI_SERVER_NAME: 'Gantry',
    CI_SERVER_VERSION: API_VERSION,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: packageRevision(),
    CI_SERVER_URL: baseUrl,
    CI_SERVER_PROTOCOL: protocol.slice(0, -1),
    CI_SERVER_HOST: hostname,
    CI_SERVER_PORT: port || (protocol === 'https:' ? '443' : '80'),
    CI_SERVER_FQDN: host,
    CI_API_V4_URL: `${baseUrl}/api/v4`,
    CI_API_GRAPHQL_URL: `${baseUrl}/api/graphql`,
    ...(ssh === null || ssh === 'nowhere'
      ? {}
      : { CI_SERVER_SHELL_SSH_HOST: sshHost(baseUrl, ssh), CI_SERVER_SHELL_SSH_PORT: String(ssh.port) }),
  };
}
