import { AbstractStartedContainer, GenericContainer, type StartedTestContainer } from 'testcontainers';

/** Private tokens by the names of their owners: `root`, and those of the sample data where there is one. */
export type Tokens = { readonly root: string } & Readonly<Record<string, string>>;

/**
 * A Gantry server in a container, which keeps nothing. Settings are those of `withEnvironment`, as `GANTRY_WEBHOOK_HOSTS`.
 */
export declare class GantryContainer extends GenericContainer {
  /** @param image one that can be the test double: it is built from the target `testing` of Gantry's Dockerfile */
  constructor(image: string);
  /** Fills the server with the sample data of docs/testing-clients.md; it is empty otherwise, but for the administrator. */
  withSeed(): this;
  /** Starts the container; resolves when the server answers. */
  start(): Promise<StartedGantryContainer>;
}

/** A server that runs until it is stopped. */
export declare class StartedGantryContainer extends AbstractStartedContainer {
  constructor(container: StartedTestContainer, tokens: Tokens);
  /** Base URL, as `http://localhost:49153`. The REST API is at `/api/v4` below it, GraphQL at `/graphql`. */
  readonly url: string;
  readonly tokens: Tokens;
  /**
   * Brings everything back to how it was at the start: records, repositories, sessions, background work. Address and tokens stay.
   *
   * @throws Error if the server does not answer within a minute
   */
  reset(): Promise<void>;
}
