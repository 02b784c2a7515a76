import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { packageRevision, packageVersion } from '#src/platform/package_root.ts';

/** All metrics of this process (docs/operating.md, Metrics). Labels take few values each: none comes from a client as it is. */
export const registry = new Registry();

const registers = [registry];
/** Seconds: of what is answered, and of what is part of an answer. */
const ANSWERS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const PARTS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export const requests = new Histogram({
  name: 'gantry_http_request_duration_seconds',
  help: 'Requests by method, template of their route and status, from their arrival to the end of their answers.',
  labelNames: ['method', 'route', 'status'],
  buckets: ANSWERS,
  registers,
});

export const requestsUnderWay = new Gauge({
  name: 'gantry_http_requests_in_progress',
  help: 'Requests that are not answered to their end.',
  registers,
});

export const sentBytes = new Counter({
  name: 'gantry_http_response_bytes_total',
  help: 'Bytes of answers by template of the route, headers included.',
  labelNames: ['route'],
  registers,
});

export const sshCommands = new Histogram({
  name: 'gantry_ssh_command_duration_seconds',
  help: 'Commands over SSH by kind and outcome, from their arrival to the end of their answers.',
  labelNames: ['command', 'outcome'],
  buckets: ANSWERS,
  registers,
});

export const sshConnections = new Gauge({
  name: 'gantry_ssh_connections',
  help: 'Open connections over SSH.',
  registers,
});

export const operations = new Histogram({
  name: 'gantry_graphql_operation_duration_seconds',
  help: 'GraphQL operations by type and outcome; those behind REST are not among them.',
  labelNames: ['type', 'outcome'],
  buckets: ANSWERS,
  registers,
});

export const clientOperations = new Counter({
  name: 'gantry_graphql_client_operations_total',
  help: 'GraphQL operations by the names of client and operation that users sent, the first 500 pairs of a process; `other` are those beyond.',
  labelNames: ['client', 'operation', 'outcome'],
  registers,
});

export const operationCosts = new Histogram({
  name: 'gantry_graphql_operation_cost',
  help: 'What GraphQL operations cost, as the limit on cost counts it.',
  labelNames: ['type'],
  buckets: [10, 30, 100, 300, 1_000, 3_000, 10_000, 25_000],
  registers,
});

export const statements = new Histogram({
  name: 'gantry_sql_statement_duration_seconds',
  help: 'SQL statements by outcome, without those that begin and end transactions.',
  labelNames: ['outcome'],
  buckets: PARTS,
  registers,
});

export const gitPrograms = new Histogram({
  name: 'gantry_git_program_duration_seconds',
  help: 'Runs of the git program by command and outcome.',
  labelNames: ['command', 'outcome'],
  buckets: ANSWERS,
  registers,
});

export const gitProgramsStarted = new Counter({
  name: 'gantry_git_programs_started_total',
  help: 'Git programs that were started, by command.',
  labelNames: ['command'],
  registers,
});

export const gitProgramsRunning = new Gauge({
  name: 'gantry_git_programs_running',
  help: 'Git programs that run.',
  registers,
});

export const jobs = new Histogram({
  name: 'gantry_job_duration_seconds',
  help: 'Attempts at background jobs that this process ended, by name and outcome.',
  labelNames: ['job', 'outcome'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800],
  registers,
});

export const jobsRunning = new Gauge({
  name: 'gantry_jobs_running',
  help: 'Background jobs on which this process works, by name.',
  labelNames: ['job'],
  registers,
});

new Gauge({
  name: 'gantry_build_info',
  help: 'Always 1; the labels tell which program runs.',
  labelNames: ['version', 'revision', 'node'],
  registers,
}).set({ version: packageVersion(), revision: packageRevision(), node: process.version }, 1);
