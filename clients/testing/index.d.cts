/** The people of the sample data (docs/testing-clients.md), and the administrator. */
export type SamplePerson = 'root' | 'ada' | 'ben' | 'chloe' | 'devika' | 'emil' | 'fern' | 'gus' | 'hugo';

export interface StartOptions {
  /** Whether the server has the documented sample data; otherwise it is empty but for the administrator. False by default. */
  seed?: boolean;
  /** Port to listen on; a free one by default. */
  port?: number;
  /**
   * Settings of the server, as `GANTRY_WEBHOOK_HOSTS`. It gets none from the environment of this process, whose other variables
   * it has.
   */
  env?: Readonly<Record<string, string>>;
}

/** A Gantry server that runs until it is stopped, or this process ends, however that happens. */
export interface Gantry<Person extends string = 'root'> {
  /** Base URL, as `http://127.0.0.1:43791`. The REST API is at `/api/v4` below it, GraphQL at `/graphql`. */
  readonly url: string;
  /** Private tokens by the names of their owners. */
  readonly tokens: Readonly<Record<Person, string>>;
  /**
   * Brings everything back to how it was at the start: records, repositories, sessions, background work. The port and the tokens
   * stay. Requests that come meanwhile wait; those that are being answered are cut off.
   */
  reset(): Promise<void>;
  /** Stops the server; settles when its processes have ended and its files are gone. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a server that keeps nothing. The first start of a version prepares its data, which takes some seconds.
 *
 * @throws Error with what the server said, if it does not start
 */
export function startGantry(options: StartOptions & { seed: true }): Promise<Gantry<SamplePerson>>;
export function startGantry(options?: StartOptions): Promise<Gantry>;
