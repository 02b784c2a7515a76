import { isIP } from 'node:net';

/** Where the sites of projects are served. */
export interface SiteSettings {
  /** The host that each is below, in lower case, with the port if it is not the usual one. */
  host: string;
  /** The same without the port. */
  hostname: string;
  scheme: 'http' | 'https';
  /** Host name of the server itself, which no site has. */
  serverHostname: string;
  /** URL of the server, without a trailing slash. */
  serverUrl: string;
}

/** A host name, perhaps with a port. */
export function parsePagesHost(text: string): string {
  const [, name = '', port] = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (name === '' || isIP(name) !== 0 || name.length > 200 || Number(port ?? 1) > 65535) {
    throw new Error(`"${text}" is not a host name such as pages.example.com, perhaps with a port`);
  }
  return text.toLowerCase();
}

/**
 * The settings for sites; undefined without a host for them. Sites run scripts of their authors: neither host may be below the other, as
 * browsers would let sites set cookies of the server, or the server's own name could be that of a group.
 */
export function siteSettings(
  host: string | undefined,
  serverUrl: string | undefined,
  problems: string[],
): SiteSettings | undefined {
  if (host === undefined) return undefined;
  if (serverUrl === undefined) {
    if (!problems.some((problem) => problem.startsWith('GANTRY_URL:'))) {
      problems.push('GANTRY_URL: is missing beside GANTRY_PAGES_HOST');
    }
    return undefined;
  }
  const { hostname: serverHostname, protocol } = new URL(serverUrl);
  const hostname = host.replace(/:\d+$/, '');
  if (`.${hostname}`.endsWith(`.${serverHostname}`) || `.${serverHostname}`.endsWith(`.${hostname}`)) {
    problems.push(
      `GANTRY_PAGES_HOST: "${host}" and the host of GANTRY_URL must not be the same or one below the other, as sites could set cookies for the server`,
    );
    return undefined;
  }
  return { host, hostname, scheme: protocol === 'https:' ? 'https' : 'http', serverHostname, serverUrl };
}
