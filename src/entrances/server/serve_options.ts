/** Options of `gantry serve` besides the settings. */
export interface ServeOptions {
  /** Uses a temporary data directory, an embedded PostgreSQL whatever DATABASE_URL says, and a free port. */
  ephemeral: boolean;
  /** Fills an ephemeral server with the sample data, whose passwords and tokens are known. */
  seed: boolean;
  /** Allows that others can reach a server with known tokens. */
  exposeKnownTokens: boolean;
  /** Takes commands of the program that started an ephemeral server, and stops with it. */
  control: boolean;
  /** Port of an ephemeral server, instead of a free one. */
  port: number | undefined;
}
