import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { customHeaders } from '#src/domain/webhooks/custom_headers.ts';
import { buildBody } from '#src/domain/webhooks/payload/build.ts';
import type { Surroundings } from '#src/domain/webhooks/payload/common.ts';
import type { EventKind } from '#src/domain/webhooks/payload/kinds.ts';
import { HEADERS, isProjectEvent } from '#src/domain/webhooks/payload/kinds.ts';
import type { Sending } from '#src/domain/webhooks/send.ts';
import { signatureHeaders } from '#src/domain/webhooks/sign.ts';
import { filledUrl, urlVariables } from '#src/domain/webhooks/url_variables.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { parseHookUrl } from '#src/platform/outbound/hook_url.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What making deliveries needs. */
export interface Stores {
  db: Db;
  repositories: RepositoryStore;
  secret: string;
  /** URL of the server, without a trailing slash. */
  baseUrl(): Promise<string>;
  /** SSH address of the server; null if SSH is off. */
  sshAddress(): SshPlace;
  /** Whether the URL is specific to this request: bodies built with it are not used for other receivers. */
  isOnlyHere?: boolean;
}

export interface Receiver {
  url: string;
  tokenEncrypted: Uint8Array | null;
  customHeadersEncrypted: Uint8Array | null;
  urlVariablesEncrypted: Uint8Array | null;
  customWebhookTemplate: string | null;
  enableSslVerification: boolean;
  /** Whether it is a system hook. */
  isSystem: boolean;
  /** What is told in place of a URL; null for webhooks. */
  integration: ToldIntegration | null;
}

/** The integration that a hook delivers for, with its settings. */
export interface ToldIntegration {
  hookId: number;
  slug: string;
  properties: unknown;
  secretsEncrypted: Uint8Array | null;
}

export interface EventToSend {
  id: number;
  key: string;
  kind: EventKind;
  projectId: number | null;
}

/** The body of an event: built once, and stored so that all receivers and attempts get the same. Throws NotFound. */
export async function bodyOf(stores: Stores, event: EventToSend): Promise<string> {
  const [known] = await stores.db.$queryRaw<{ payload: string | null; facts: string | null }[]>`
    SELECT payload, CASE WHEN payload IS NULL THEN facts::text END AS facts FROM hook_events WHERE id = ${event.id}`;
  if (!known) throw new NotFound('Hook event');
  if (known.payload !== null) return known.payload;
  const facts: unknown = JSON.parse(known.facts ?? 'null');
  const body = await buildBody(event.kind, facts, await surroundings(stores, event.projectId));
  if (stores.isOnlyHere) return body;
  await stores.db.$executeRaw`UPDATE hook_events SET payload = ${body} WHERE id = ${event.id} AND payload IS NULL`;
  return body;
}

/** What payloads of events in a project need. */
export async function surroundings(
  { db, repositories, baseUrl, sshAddress }: Pick<Stores, 'db' | 'repositories' | 'baseUrl' | 'sshAddress'>,
  projectId: number | null,
): Promise<Surroundings> {
  const { avatarServiceEnabled: avatars } = await currentSettings(db);
  const select = { id: true, repositoryStorage: true };
  const place = projectId === null ? null : await db.project.findUnique({ where: { id: projectId }, select });
  return { baseUrl: await baseUrl(), ssh: sshAddress(), avatars, reader: place && (await repositories.open(place)) };
}

/** The request that delivers an event, and its headers without secrets. */
export function requestFor(
  {
    url,
    tokenEncrypted,
    customHeadersEncrypted,
    urlVariablesEncrypted,
    ...receiver
  }: Omit<Receiver, 'customWebhookTemplate' | 'integration'>,
  { key, kind }: Pick<EventToSend, 'key' | 'kind'>,
  { body, secret, now }: { body: string; secret: string; now: Date },
): { sending: Sending; shown: Record<string, string> } | null {
  const { enableSslVerification: verify, isSystem } = receiver;
  const to = parseHookUrl(filledUrl(url, urlVariables(urlVariablesEncrypted, secret)));
  if (to === null) return null;
  const token = tokenEncrypted && decrypt(tokenEncrypted, secret);
  const plain = {
    'content-type': 'application/json',
    'user-agent': 'Gantry-Webhooks',
    'x-gitlab-event': isSystem || !isProjectEvent(kind) ? 'System Hook' : HEADERS[kind],
    'x-gitlab-event-uuid': key,
  };
  const at = Math.floor(now.getTime() / 1000);
  const signed = signatureHeaders(token, { id: key, at, body });
  const secrets = { ...customHeaders(customHeadersEncrypted, secret), ...(token ? { 'x-gitlab-token': token } : {}) };
  const hidden = Object.fromEntries(Object.keys(secrets).map((name) => [name, REDACTED]));
  return {
    sending: { url: to, headers: { ...secrets, ...plain, ...signed }, body, verify },
    shown: { ...hidden, ...plain, ...signed },
  };
}

const REDACTED = '[REDACTED]';
