import { Gauge } from 'prom-client';
import type { Db } from '#src/platform/database/db.ts';
import { LISTENER } from '#src/platform/database/listener.ts';
import { watchProcess } from '#src/platform/observability/metrics/process.ts';
import { registry } from '#src/platform/observability/metrics/registry.ts';
import { countConnections } from '#src/platform/observability/metrics/statements.ts';

const registers = [registry];

const poolConnections = new Gauge({
  name: 'gantry_sql_pool_connections',
  help: 'Connections of this process to the database: in use, idle, and how many there may be.',
  labelNames: ['state'],
  registers,
});

const poolWaiting = new Gauge({
  name: 'gantry_sql_pool_waiting',
  help: 'Pieces of work of this process that wait for a connection.',
  registers,
});

const queued = new Gauge({
  name: 'gantry_jobs',
  help: 'Background jobs of all processes by name and state: created, retry, active, failed; dead_letters are those given up.',
  labelNames: ['job', 'state'],
  registers,
});

const sessions = new Gauge({
  name: 'gantry_database_sessions',
  help: 'Sessions of all clients of the database by what they do.',
  labelNames: ['state'],
  registers,
});

const listeners = new Gauge({
  name: 'gantry_database_listeners',
  help: 'Sessions that wait for notifications: one for each process.',
  registers,
});

const reachable = new Gauge({
  name: 'gantry_database_up',
  help: 'Whether the database answered when these metrics were collected.',
  registers,
});

/** Milliseconds for which figures from the database are cached, and within which it has to answer. */
const [FRESH, DEADLINE] = [5_000, 2_000];

/** The media type of what a Collector returns. */
export const METRICS_TYPE = registry.contentType;

/**
 * Collects the metrics of this process. However many ask at once, they are collected once, and the database is asked every
 * few seconds at most; if it does not answer, the others are reported without it.
 */
export class Collector {
  readonly #db: Db;
  #asked = Number.NEGATIVE_INFINITY;
  #collecting: Promise<string> | null = null;

  constructor(db: Db) {
    watchProcess();
    this.#db = db;
  }

  /** All metrics in the text format of Prometheus. */
  collect(): Promise<string> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = null;
    });
    return this.#collecting;
  }

  async #collect(): Promise<string> {
    const { total, idle, waiting, limit } = countConnections();
    poolConnections.set({ state: 'used' }, total - idle);
    poolConnections.set({ state: 'idle' }, idle);
    poolConnections.set({ state: 'limit' }, limit);
    poolWaiting.set(waiting);
    if (performance.now() - this.#asked > FRESH) {
      const late = new Promise<null>((resolve) => setTimeout(resolve, DEADLINE, null).unref());
      show(await Promise.race([askDatabase(this.#db).catch(() => null), late]));
      this.#asked = performance.now();
    }
    return registry.metrics();
  }
}

/** Sets the figures from the database; null if it did not answer in time: then they are unknown. */
function show(told: Told | null): void {
  reachable.set(told ? 1 : 0);
  queued.reset();
  sessions.reset();
  listeners.remove();
  if (!told) return;
  for (const { name, state, count } of told.jobs) queued.set({ job: name, state }, count);
  for (const { state, count } of told.sessions) sessions.set({ state }, count);
  listeners.set(told.listeners);
}

/** Finished jobs are not counted: they are many, and do not matter here. */
async function askDatabase(db: Db): Promise<Told> {
  const [answer] = await db.$queryRaw<[{ told: Told }]>`
    SELECT json_build_object(
      'jobs', (SELECT COALESCE(json_agg(j), '[]') FROM (SELECT name, state::text, count(*) FROM pgboss.job
        WHERE state IN ('created', 'retry', 'active', 'failed') AND NOT starts_with(name, '__') GROUP BY name, state) j),
      'sessions', (SELECT COALESCE(json_agg(s), '[]') FROM (SELECT COALESCE(state, 'other') AS state, count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() GROUP BY 1) s),
      'listeners', (SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = ${LISTENER})
    ) AS told`;
  return answer.told;
}

interface Told {
  jobs: { name: string; state: string; count: number }[];
  sessions: { state: string; count: number }[];
  listeners: number;
}
