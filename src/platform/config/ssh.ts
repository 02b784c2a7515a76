import path from 'node:path';
import type { SshAddress } from '#src/platform/config/ssh_address.ts';
import { parseHost, parsePath, parsePort } from './values.ts';

/** How the server is reached over SSH. */
export interface SshConfig {
  /** Address to listen on. */
  host: string;
  /** Port to listen on; 0 takes a free one. */
  port: number;
  /** Whether the port is the default, which may be in use. */
  isUsualPort: boolean;
  /** Absolute path of the directory of the host keys. */
  keys: string;
  /** What addresses of repositories name; what is absent is as the server listens, or as its URL has it. */
  address: { host?: string; port?: number };
}

/** The private keys in the directory of the host keys, under the names that sshd has for them; the preferred one first. */
export const HOST_KEY_FILES = ['ssh_host_ed25519_key', 'ssh_host_rsa_key'] as const;

const USUAL_PORT = 2222;

type Setting = <Value>(name: string, parse: (text: string) => Value) => Value | undefined;

/**
 * Reads the settings of SSH; null where it is turned off. Where the port for HTTP is a free one, so is this one unless it is set,
 * so that any number of servers can run side by side.
 */
export function readSsh(
  setting: Setting,
  http: { host: string; port: number; dataDir: string },
  cwd: string,
): SshConfig | null {
  const port = setting('GANTRY_SSH_PORT', (text) => (/^none$/i.test(text) ? ('none' as const) : parsePort(text)));
  const host = setting('GANTRY_SSH_LISTEN', parseHost) ?? http.host;
  const address = setting('GANTRY_SSH_HOST', parseAddress) ?? {};
  const directory = setting('GANTRY_SSH_HOST_KEYS', (text) => path.resolve(cwd, parsePath(text)));
  if (port === 'none') return null;
  return {
    host,
    port: port ?? (http.port === 0 ? 0 : USUAL_PORT),
    isUsualPort: port === undefined,
    keys: directory ?? path.join(http.dataDir, 'ssh'),
    address,
  };
}

/** Where clients reach a server of these settings, which listens on that port. */
export function sshAddress(ssh: SshConfig, listening: number): SshAddress {
  return { host: ssh.address.host ?? null, port: ssh.address.port ?? listening };
}

/** `git.example.com`, `git.example.com:22` or `[2001:db8::1]:22`. */
function parseAddress(text: string): SshConfig['address'] {
  const [, host = '', port] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d+))?$/i.exec(text) ?? [];
  try {
    parseHost(host.replace(/^\[|\]$/g, ''));
  } catch {
    throw new Error(`"${text}" is not a host name, alone or with a port`);
  }
  if (port === undefined) return { host };
  if (Number(port) === 0) throw new Error(`"${text}" names no port`);
  return { host, port: parsePort(port) };
}
