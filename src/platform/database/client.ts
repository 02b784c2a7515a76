import type { Socket } from 'node:net';
import pg from 'pg';
import { hostUrls } from '#src/platform/config/host_urls.ts';
import { DatabaseUnavailable } from '../database_unavailable.ts';

/** The hosts of a URL, and which of them is to be tried next: all connections of a process share what they learn. */
class Hosts {
  readonly urls: readonly string[];
  #at = 0;

  constructor(url: string) {
    this.urls = hostUrls(url);
  }

  get current(): string {
    return this.urls[this.#at] as string;
  }

  /** Switches to the next host, unless another caller already did. */
  skip(url: string): void {
    if (url === this.current) this.#at = (this.#at + 1) % this.urls.length;
  }
}

const known = new Map<string, Hosts>();

function hostsOf(url: string): Hosts {
  const hosts = known.get(url) ?? new Hosts(url);
  known.set(url, hosts);
  return hosts;
}

/** How many hosts a URL names. */
export function countHosts(url: string): number {
  return hostsOf(url).urls.length;
}

/** Milliseconds in which a host has to say whether it takes writes: a pooler lets one in whose database does not answer. */
const ANSWERING = 2_000;

/** What a connection is made with; the URL may name several hosts. */
export type ClientSettings = pg.ClientConfig & { connectionString: string };

/**
 * A connection to the host of a URL that takes writes. Where the URL names several, each attempt tries one: after a failed
 * one, or one at a standby, the next goes to the next host.
 */
export class DatabaseClient extends pg.Client {
  readonly #hosts: Hosts;
  readonly #url: string;

  constructor(settings: ClientSettings) {
    const hosts = hostsOf(settings.connectionString);
    super({ ...settings, connectionString: hosts.current });
    this.#hosts = hosts;
    this.#url = hosts.current;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (!callback) return connected;
    connected.then(() => callback(null as unknown as Error), callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    try {
      await super.connect();
      if (this.#hosts.urls.length > 1) await this.#requirePrimary();
      return this;
    } catch (error) {
      this.#hosts.skip(this.#url);
      // The caller never got the connection.
      (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      throw error;
    }
  }

  async #requirePrimary(): Promise<void> {
    const query = { text: 'SELECT pg_is_in_recovery() AS standby', query_timeout: ANSWERING };
    const { rows } = await super.query<{ standby: boolean }>(query);
    if (!rows[0]?.standby) return;
    throw new DatabaseUnavailable(`${this.host}:${this.port} is a standby`, { sent: false });
  }
}

/**
 * A connection for one's own use, to the first host of the URL that takes writes. The caller has to end it.
 *
 * @throws Error of the last host, if none can be used
 */
export async function openClient(settings: ClientSettings): Promise<pg.Client> {
  for (let left = countHosts(settings.connectionString) - 1; ; left -= 1) {
    const client = new DatabaseClient({ connectionTimeoutMillis: 10_000, keepAlive: true, ...settings });
    // An error ends the connection, which its statements say; without a listener it would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (left <= 0) throw error;
    }
  }
}
