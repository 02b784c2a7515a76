/** Where clients of git reach a server over SSH. */
export interface SshAddress {
  /** Name or address; null for that of the server's URL. */
  host: string | null;
  port: number;
}

/** The port of SSH, which addresses need not name. */
const USUAL_PORT = 22;

/**
 * The address of a repository over SSH, in the short form where the port allows for it. Without an address, where SSH is turned
 * off, it is the one that a server beside might have.
 *
 * @param baseUrl of the server, without a trailing slash
 */
export function sshUrl(fullPath: string, baseUrl: string, address: SshAddress | null): string {
  const host = address?.host ?? new URL(baseUrl).hostname;
  const port = address?.port ?? USUAL_PORT;
  return port === USUAL_PORT ? `git@${host}:${fullPath}.git` : `ssh://git@${host}:${port}/${fullPath}.git`;
}
