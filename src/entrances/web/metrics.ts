import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import { authenticate } from '#src/access/credentials/authenticate.ts';
import { readCredentials } from '#src/access/credentials/credentials.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { allowCompression } from '#src/platform/compressible.ts';
import type { Config } from '#src/platform/config/config.ts';
import type { Db } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';
import { Collector, METRICS_TYPE } from '#src/platform/lifecycle/collect_metrics.ts';
import { type Listening, listen } from '#src/platform/lifecycle/listen.ts';
import type { Report } from '#src/platform/observability/report.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';

/** The scope of tokens that only give access to the metrics, while their owner is an administrator. */
const METRICS_SCOPE = 'read_metrics';

export interface MetricsOptions {
  db: Db;
  /** Addresses and networks whose requests need no credential. */
  addresses: readonly string[];
  /** Identifies the caller. Throws DomainErrors. */
  authenticate(request: IncomingMessage): Promise<Actor | null>;
}

/**
 * Serves `/-/metrics` in the text format of Prometheus: to administrators with a session or a token with full access, or a token
 * with the scope `read_metrics`, and to the listed addresses. For all others it does not exist.
 */
export function metrics({ db, addresses, authenticate }: MetricsOptions): Router {
  const collector = new Collector(db);
  const isListed = listOf(addresses);
  const show: RequestHandler = async (request, response, next) => {
    if (!isListed(request.ip) && !(await mayRead(authenticate, request))) return next();
    const text = await collector.collect();
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', METRICS_TYPE);
    allowCompression(response);
    response.send(text);
  };
  return Router().get('/-/metrics', show);
}

/** Listens for requests for metrics only, in a process without other HTTP. */
export function listenForMetrics(options: {
  db: Db;
  config: Config;
  port: number;
  report: Report;
}): Promise<Listening> {
  const { db, config, port, report } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustProxy);
  const authenticateRequest = (request: IncomingMessage) => authenticate(db, readCredentials(request.headers));
  app.use(metrics({ db, addresses: config.metricsAddresses, authenticate: authenticateRequest }));
  app.use((_request, response) => void response.status(404).json({ message: '404 Not Found' }));
  const failed: ErrorRequestHandler = (error, request, response, _next) => {
    report(error, request);
    const refusal = transientFailure(error)?.refusal;
    if (refusal) response.setHeader('Retry-After', String(refusal.extensions.retryAfter));
    response.status(refusal ? 503 : 500).json({ message: refusal?.message ?? '500 Internal Server Error' });
  };
  app.use(failed);
  return listen(app, { host: config.host, port });
}

/** Invalid and expired credentials count as none. Throws errors of the look-up. */
async function mayRead(authenticate: MetricsOptions['authenticate'], request: Request): Promise<boolean> {
  const actor = await authenticate(request).catch((error: unknown) => {
    if (error instanceof DomainError) return null;
    throw error;
  });
  return actor?.admin === true && ['api', METRICS_SCOPE].some((scope) => actor.scopes.includes(scope));
}

/** Whether an address is one of these, or in one of these networks. */
function listOf(addresses: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const entry of addresses) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    if (address === undefined) return false;
    // IPv4 addresses as dual-stack servers see them.
    const bare = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const version = isIP(bare);
    return version !== 0 && list.check(bare, version === 6 ? 'ipv6' : 'ipv4');
  };
}
