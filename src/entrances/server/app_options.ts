import type { Limits } from '#schema/limits.ts';
import type { ServerTools } from '#src/domain/administration/server_tools.ts';
import type { LiveLimits } from '#src/domain/live/subscription_quota.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import type { Upgrades } from '#src/entrances/web/upgrades.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';
import type { Listener } from '#src/platform/database/listener.ts';
import type { ReadReplica } from '#src/platform/database/replica.ts';
import type { Readiness } from '#src/platform/lifecycle/readiness.ts';
import type { BudgetLimits } from '#src/platform/limits/budget.ts';
import type { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';

export interface AppOptions {
  db: Db;
  /** A copy of the database that reads may go to; absent where there is none. */
  replica?: ReadReplica | undefined;
  /** Key material for encrypted columns. */
  secret: string;
  jobs: JobQueue;
  /** What administrators can have the process do; nothing when absent. */
  tools?: ServerTools | undefined;
  repositories: RepositoryStore;
  uploads: UploadStore;
  /** Where projects may be imported from; public hosts only when absent. */
  imports?: ImportSettings | undefined;
  /** Base of all URLs in responses; derived from each request when absent. No trailing slash. */
  externalUrl?: string | undefined;
  /** URL at which the server listens, known once it does; the OAuth issuer when there is no external URL. */
  listeningUrl?: (() => string) | undefined;
  /** Where the sites of projects are served; they are not where absent. */
  sites?: SiteSettings | undefined;
  /** Milliseconds for which addresses of sites are remembered; a second when absent. */
  sitesMemory?: number | undefined;
  /** As in Express. */
  trustProxy?: boolean | number | string | undefined;
  /** Limits of a request to /graphql; sensible defaults when absent. */
  graphqlLimits?: Partial<Limits> | undefined;
  /** The only GraphQL documents that are executed, by hash; any document when absent. */
  trustedDocuments?: ReadonlyMap<string, string> | undefined;
  /** Limits of one operation; sensible defaults when absent. */
  budget?: Partial<BudgetLimits> | undefined;
  /** Limits concurrent git clients, shared with SSH; a separate one when absent. */
  gitConcurrency?: CallerSemaphore | undefined;
  /** The address for git over SSH; SSH is turned off when absent. */
  sshAddress?: (() => SshPlace) | undefined;
  /** Addresses and networks that may read the metrics without a credential; none when absent. */
  metricsAddresses?: readonly string[] | undefined;
  /** Whether to compress responses for clients that accept it; true when absent. */
  compression?: boolean | undefined;
  /** Whether REST counts all records of long lists unless it is asked for pages by records; true when absent. */
  exactTotals?: boolean | undefined;
  /** Whether clients of OAuth register themselves (RFC 7591); true when absent. */
  clientRegistration?: boolean | undefined;
  /** Whether the page of examples is served; false when absent. */
  examples?: boolean | undefined;
  log?: Logger | undefined;
  /** Whether the server is ready; judged by the database alone when absent. */
  readiness?: Readiness | undefined;
  /** Notifies subscriptions of changes; there are no subscriptions when absent. */
  listener?: Listener | undefined;
  /** Limits of subscriptions; sensible defaults when absent. */
  liveLimits?: Partial<LiveLimits> | undefined;
  /** Receives the handler of WebSocket connections. */
  upgrades?: Upgrades | undefined;
  /** Aborted when subscriptions must end because the server stops. */
  stopping?: AbortSignal | undefined;
}
