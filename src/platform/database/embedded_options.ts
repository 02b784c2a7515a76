/** The part of a logger that the database needs. */
export interface DatabaseLog {
  debug?(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** PostgreSQL as this process runs it. */
export interface EmbeddedPostgres {
  /** Connection URL of the database `gantry`; its role is a superuser. */
  url: string;
  /** Ends sessions, writes a checkpoint and stops the server. Safe to call twice. */
  stop(): Promise<void>;
}

/** What it is started with. */
export interface EmbeddedOptions {
  /** Absolute path of Gantry's data directory; the cluster is its subdirectory `postgres`. */
  dataDir: string;
  log: DatabaseLog;
  /** Server settings that override the defaults, e.g. `{fsync: 'off'}` for tests. */
  settings?: Record<string, string>;
  /** Called when PostgreSQL ends again and again, so that it is not started any more (on Windows never). */
  onExit?: ((reason: string) => void) | undefined;
}
