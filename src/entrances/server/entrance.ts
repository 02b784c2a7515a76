import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { type GraphQLContext, graphqlContext } from '#schema/context.ts';
import { authenticate } from '#src/access/credentials/authenticate.ts';
import { readCredentials } from '#src/access/credentials/credentials.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { AppOptions } from '#src/entrances/server/app_options.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import { RequestThrottle } from '#src/entrances/server/throttle.ts';
import { noteCaller } from '#src/entrances/web/request_facts.ts';
import { sessionForReads } from '#src/entrances/web/session_token.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { ReadReplica } from '#src/platform/database/replica.ts';
import { type BudgetLimits, DEFAULT_BUDGET } from '#src/platform/limits/budget.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { reporter } from '#src/platform/observability/report.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { packageRevision, packageVersion } from '#src/platform/package_root.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What the mounts share: the stores, and who asks. */
export interface Entrance {
  stores: Pick<
    Context,
    'db' | 'replica' | 'secret' | 'jobs' | 'followers' | 'repositories' | 'uploads' | 'imports' | 'sites'
  >;
  /** Without a trailing slash. */
  baseUrl(request: IncomingMessage): string;
  report(error: unknown): void;
  budget: BudgetLimits;
  /** Limits how many requests of a caller run at once. */
  turns: CallerSemaphore;
  throttle: RequestThrottle;
  /** The address for git over SSH; null where it is turned off. */
  sshAddress(): SshPlace | null;
  /** Identifies the caller of a REST request. Throws DomainErrors. */
  identify(request: IncomingMessage, parameters: Record<string, unknown>): Promise<Actor | null>;
  domainContext(actor: Actor | null, request: IncomingMessage): Context;
  /** The context of resolvers, for a caller and the server's URL. */
  contextAt(context: Context, url: string): Promise<GraphQLContext>;
  contextOf(actor: Actor | null, request: IncomingMessage): Promise<GraphQLContext>;
}

/** Concurrent requests of one caller; further ones wait without delaying other callers. */
const CONCURRENCY_LIMITS = { concurrency: 100, perCaller: 6, waitingPerCaller: 200, waiting: 2_000, patience: 30_000 };

/** Makes what the mounts share. */
export function createEntrance({
  db,
  replica,
  secret,
  jobs,
  tools,
  repositories,
  uploads,
  imports = importSettings(),
  externalUrl,
  sites,
  budget,
  sshAddress = () => null,
  log,
}: AppOptions): Entrance {
  const server = { version: packageVersion(), revision: packageRevision() };
  const stores = { db, replica, secret, jobs, followers: FOLLOWERS, repositories, uploads, imports, sites };
  const entrance: Entrance = {
    stores,
    sshAddress,
    baseUrl: (request: Request) => externalUrl ?? requestUrl(request),
    report: reporter(log, 'unexpected error'),
    budget: { ...DEFAULT_BUDGET, ...budget },
    turns: new CallerSemaphore(CONCURRENCY_LIMITS),
    throttle: new RequestThrottle(db),
    identify: (request: Request, parameters) => {
      const session = sessionForReads(request, entrance.baseUrl);
      return authenticate(db, { ...readCredentials(request.headers, parameters), session });
    },
    domainContext: (actor, request: Request) => {
      const { ip = null, res: answer } = request;
      noteCaller(request, actor);
      if (replica && changes(request)) noteChange(replica, callerOf(actor, ip), answer, entrance.report);
      const address = async () => ({ baseUrl: entrance.baseUrl(request), ssh: sshAddress() });
      return { ...stores, tools, actor, clientAddress: ip, answer, address };
    },
    contextAt: async (context, url) => {
      const { avatarServiceEnabled } = await currentSettings(db);
      return graphqlContext(context, { ...server, baseUrl: url, ssh: sshAddress(), avatars: avatarServiceEnabled });
    },
    contextOf: (actor, request) =>
      entrance.contextAt(entrance.domainContext(actor, request), entrance.baseUrl(request)),
  };
  return entrance;
}

/** Whether a request changes something as far as its method tells; those of GraphQL tell by their operations. */
function changes({ method, originalUrl }: Request): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method) && !/^\/(api\/)?graphql\b/.test(originalUrl);
}

/** Remembers that a caller changes something, while the request is answered and afterwards. */
function noteChange(
  replica: ReadReplica,
  caller: string,
  answer: Context['answer'],
  report: (error: unknown) => void,
): void {
  replica.writing(caller).catch(report);
  answer?.once('close', () => void replica.wrote(caller).catch(report));
}

/** The server's URL as the client used it; forwarded headers count if the proxy is trusted. */
function requestUrl(request: Request): string {
  const host = request.host;
  return `${request.protocol}://${/^[\w.:[\]-]+$/.test(host ?? '') ? host : 'localhost'}`;
}
