import type pg from 'pg';
import { openClient } from './client.ts';
import { ALL_OBJECTS_LOCK, repositoryLock } from './lock_names.ts';

/** Milliseconds to wait for the removal of old objects to end, which is limited to less, or for another backup. */
const WAIT_TIMEOUT_MS = 90_000;
/** Milliseconds to wait until a repository is not being repacked. Copying it meanwhile is possible, with more work. */
const MAINTENANCE = 2_000;

const TAKE = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** Another session holds the lock for too long. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Keeps every process of this server from removing objects of repositories, as long as it is open: what a snapshot of the
 * database says of refs stays true of the objects. See src/domain/repository/lock.ts for the locks.
 */
export class Exclusion implements AsyncDisposable {
  readonly #objects: pg.Client;
  readonly #repository: pg.Client;

  private constructor(objects: pg.Client, repository: pg.Client) {
    this.#objects = objects;
    this.#repository = repository;
  }

  /**
   * @param signal ends the waiting
   * @throws Error when another backup is made
   */
  static async open(url: string, patience = WAIT_TIMEOUT_MS, signal?: AbortSignal): Promise<Exclusion> {
    const clients = await Promise.all([0, 1].map(() => openClient({ connectionString: url })));
    const [objects, repository] = clients as [pg.Client, pg.Client];
    try {
      for (const client of clients) {
        await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
      }
      await objects.query(`SET lock_timeout = ${patience}`);
      await objects.query('BEGIN');
      await takeAlone(objects, repository, signal);
    } catch (error) {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      signal?.throwIfAborted();
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      throw new Error('Another backup is being made. Try again when it has ended.', { cause: error });
    }
    return new Exclusion(objects, repository);
  }

  /** Passes chunks on while the server does not repack their repository; if repacking takes long, at the same time. */
  async *whileUntouched(owner: number | string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const client = this.#repository;
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL lock_timeout = ${MAINTENANCE}`);
      await client.query(TAKE, [repositoryLock('maintenance', owner)]).catch((error) => {
        if (error.code !== LOCK_NOT_AVAILABLE) throw error;
      });
      yield* chunks;
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
    }
  }

  /** Whether a project is there now, and is not about to be removed. */
  async isAlive(projectId: number): Promise<boolean> {
    const { rowCount } = await this.#objects.query('SELECT 1 FROM projects WHERE id = $1 AND deleted_at IS NULL', [
      projectId,
    ]);
    return rowCount === 1;
  }

  /** Whether a statement finds anything in the database as it is now. */
  async finds(statement: string, values: readonly unknown[]): Promise<boolean> {
    const { rowCount } = await this.#objects.query(statement, [...values]);
    return (rowCount ?? 0) > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#objects, this.#repository].map((client) => client.end().catch(() => undefined)));
  }
}

/** Waits for the lock of all objects. A session whose client has gone would wait on: the other one cancels it. */
async function takeAlone(client: pg.Client, other: pg.Client, signal: AbortSignal | undefined): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cancel = () => void other.query('SELECT pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => undefined);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel);
  try {
    await client.query(TAKE, [ALL_OBJECTS_LOCK]);
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}
