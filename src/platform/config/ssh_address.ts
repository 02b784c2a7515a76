/** Where clients of git reach a server over SSH. */
export interface SshAddress {
  /** Name or address; null for that of the server's URL. */
  host: string | null;
  port: number;
}

/**
 * Where SSH is, as addresses of repositories have it; null where it is turned off and another SSH server may run; `nowhere`
 * where its port was taken when the server began.
 */
export type SshPlace = SshAddress | 'nowhere' | null;

/** The port of SSH, which addresses need not name. */
const USUAL_PORT = 22;

/**
 * The address of a repository over SSH, in the short form where the port allows for it. Without an address, where SSH is turned
 * off, it is that of another SSH server on the host; empty without one.
 *
 * @param baseUrl of the server, without a trailing slash
 */
export function sshUrl(fullPath: string, baseUrl: string, address: SshPlace): string {
  if (address === 'nowhere') return '';
  const host = sshHost(baseUrl, address);
  const isUsual = address === null || address.port === USUAL_PORT;
  return isUsual ? `git@${host}:${fullPath}.git` : `${sshBase(baseUrl, address)}/${fullPath}.git`;
}

/** What addresses of repositories begin with, as a URL. */
export function sshBase(baseUrl: string, address: SshAddress): string {
  return `ssh://git@${sshHost(baseUrl, address)}${address.port === USUAL_PORT ? '' : `:${address.port}`}`;
}

/** The host of addresses of repositories over SSH. */
export function sshHost(baseUrl: string, address: SshAddress | null): string {
  return address?.host ?? new URL(baseUrl).hostname;
}
