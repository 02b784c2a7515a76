/** What `gantry serve` is told beside the settings. */
export interface ServeOptions {
  /** A data directory for this run only, its own PostgreSQL whatever DATABASE_URL says, and a free port. */
  ephemeral: boolean;
  /** Of an ephemeral server: filled with the sample data, whose passwords and tokens are known. */
  seed: boolean;
  /** Also where others reach the server. */
  exposeKnownTokens: boolean;
  /** Of an ephemeral server, instead of a free one. */
  port: number | undefined;
}
