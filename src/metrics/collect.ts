import { Gauge } from 'prom-client';
import type { Db } from '#src/db.ts';
import { watchProcess } from '#src/metrics/process.ts';
import { registry } from '#src/metrics/registry.ts';
import { countConnections } from '#src/metrics/statements.ts';

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
  help: 'Sessions that wait for notifications: of settings and of jobs, a few for each process.',
  registers,
});

const reachable = new Gauge({
  name: 'gantry_database_up',
  help: 'Whether the database answered when these metrics were collected.',
  registers,
});

/** Milliseconds for which what the database told is told again, and that it has for an answer. */
const [FRESH, DEADLINE] = [5_000, 2_000];

let asked = 0;
let collecting: Promise<string> | null = null;

/**
 * All metrics in the text format of Prometheus. However many ask at once, they are collected once, and the database is asked
 * every few seconds at most; where it does not answer, the rest is told without it.
 */
export function collectMetrics(db: Db): Promise<string> {
  collecting ??= collect(db).finally(() => {
    collecting = null;
  });
  return collecting;
}

/** The media type of what collectMetrics returns. */
export const METRICS_TYPE = registry.contentType;

async function collect(db: Db): Promise<string> {
  watchProcess();
  const { total, idle, waiting, limit } = countConnections();
  poolConnections.set({ state: 'used' }, total - idle);
  poolConnections.set({ state: 'idle' }, idle);
  poolConnections.set({ state: 'limit' }, limit);
  poolWaiting.set(waiting);
  if (performance.now() - asked > FRESH || asked === 0) {
    const late = new Promise<false>((resolve) => setTimeout(resolve, DEADLINE, false).unref());
    const answered = await Promise.race([askDatabase(db).catch(() => false as const), late]);
    reachable.set(answered ? 1 : 0);
    asked = performance.now();
  }
  return registry.metrics();
}

/** Jobs that are done are not counted: they are many, and nobody waits for them. */
async function askDatabase(db: Db): Promise<true> {
  const [answer] = await db.$queryRaw<[{ told: Told }]>`
    SELECT json_build_object(
      'jobs', (SELECT COALESCE(json_agg(j), '[]') FROM (SELECT name, state::text, count(*) FROM pgboss.job
        WHERE state IN ('created', 'retry', 'active', 'failed') AND NOT starts_with(name, '__') GROUP BY name, state) j),
      'sessions', (SELECT COALESCE(json_agg(s), '[]') FROM (SELECT COALESCE(state, 'other') AS state, count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() GROUP BY 1) s),
      'listeners', (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ~* '^\\s*listen\\s')
    ) AS told`;
  const { told } = answer;
  queued.reset();
  for (const { name, state, count } of told.jobs) queued.set({ job: name, state }, count);
  sessions.reset();
  for (const { state, count } of told.sessions) sessions.set({ state }, count);
  listeners.set(told.listeners);
  return true;
}

interface Told {
  jobs: { name: string; state: string; count: number }[];
  sessions: { state: string; count: number }[];
  listeners: number;
}
