import type { RepositoryServer } from '../repository/server.ts';

/** One way in which a single caller might take the server from the others. */
export interface Attack {
  /** What is sent, for the row of the table. */
  name: string;
  /** Whether it needs no credential: it may then use a second of CPU at most. */
  anonymous: boolean;
  /** How many senders attack at once in the second half of the measurement; 50 when absent. */
  connections?: number;
  /** Prepares what is attacked, and returns what a sender does once: it resolves to the answer as the table shows it, e.g. `400`. */
  prepare(server: RepositoryServer): Promise<() => Promise<string>>;
}
