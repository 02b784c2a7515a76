import type { EventKind } from '#src/domain/webhooks/payload/kinds.ts';
import type { EventToSend, Receiver } from '#src/domain/webhooks/request.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Seconds after its last heartbeat for which a delivering process is considered alive. */
export const LEASE = 20;

/** A hook's next delivery, and its receiver. */
export interface NextDelivery {
  id: number;
  hookId: number;
  receiver: Receiver;
  event: EventToSend;
}

/** Hooks with due deliveries that no living process works on; `isFailing` if the last attempt failed. */
export function dueHooks(db: Db): Promise<{ hookId: number; isFailing: boolean }[]> {
  const due = sql`
    SELECT h.id AS "hookId", h.failures > 0 AS "isFailing" FROM hooks h
    WHERE ${isDue} AND h.id IN (SELECT hook_id FROM hook_deliveries WHERE state = 'waiting') ORDER BY h.id`;
  return queryRows(db, due);
}

const isDue = sql`h.disabled_at IS NULL AND (h.retry_at IS NULL OR h.retry_at <= now())
  AND (h.leased_until IS NULL OR h.leased_until < now())`;

/** How many deliveries of a hook are read per statement. */
export const BATCH = 10;

/**
 * Leases a hook, so that no other process delivers for it, and reads its pending deliveries, at most BATCH, in order. None if
 * there is nothing to do, or another process holds the lease.
 */
export async function takeHook(
  db: Db,
  hookId: number,
  worker: string,
  isFailing: boolean,
): Promise<[NextDelivery, ...NextDelivery[]] | null> {
  const rows = await db.$queryRaw<Row[]>`
    WITH h AS (
      UPDATE hooks h SET leased_by = ${worker}::uuid, leased_until = now() + make_interval(secs => ${LEASE})
      WHERE h.id = ${hookId} AND ${isDue} AND (h.failures > 0) = ${isFailing}
        AND EXISTS (SELECT 1 FROM hook_deliveries d WHERE d.hook_id = h.id AND d.state = 'waiting') RETURNING h.*)
    SELECT d.id, ${receiverColumns}, ${eventColumns}
    FROM h JOIN hook_deliveries d ON d.hook_id = h.id AND d.state = 'waiting' JOIN hook_events e ON e.id = d.event_id
      LEFT JOIN integrations i ON i.id = h.integration_id
    ORDER BY d.id LIMIT ${BATCH}`;
  const [first, ...others] = rows.map((row) => ({ ...deliveryOf(row), id: row.id, hookId }));
  return first ? [first, ...others] : null;
}

/** Renews the leases of these hooks. */
export async function keepHooks(db: Db, hookIds: readonly number[], worker: string): Promise<void> {
  await db.$executeRaw`
    UPDATE hooks SET leased_until = now() + make_interval(secs => ${LEASE})
    WHERE id = ANY(${[...hookIds]}::int[]) AND leased_by = ${worker}::uuid`;
}

export async function releaseHook(db: Db, hookId: number, worker: string): Promise<void> {
  await db.$executeRaw`
    UPDATE hooks SET leased_by = NULL, leased_until = NULL WHERE id = ${hookId} AND leased_by = ${worker}::uuid`;
}

interface Row {
  id: number;
  hookId: number;
  url: string;
  tokenEncrypted: Uint8Array | null;
  customHeadersEncrypted: Uint8Array | null;
  urlVariablesEncrypted: Uint8Array | null;
  customWebhookTemplate: string | null;
  enableSslVerification: boolean;
  isSystem: boolean;
  slug: string | null;
  properties: unknown;
  secretsEncrypted: Uint8Array | null;
  eventId: number;
  key: string;
  kind: EventKind;
  projectId: number | null;
}

/** One delivery by ID, whatever its state. */
export async function findDelivery(db: Db, hookId: number, id: number): Promise<NextDelivery | null> {
  const [row] = await db.$queryRaw<Row[]>`
    SELECT d.id, ${receiverColumns}, ${eventColumns}
    FROM hooks h JOIN hook_deliveries d ON d.hook_id = h.id JOIN hook_events e ON e.id = d.event_id
      LEFT JOIN integrations i ON i.id = h.integration_id
    WHERE h.id = ${hookId} AND d.id = ${id}`;
  return row ? { ...deliveryOf(row), id: row.id, hookId } : null;
}

const receiverColumns = sql`h.id AS "hookId", h.url, h.token_encrypted AS "tokenEncrypted",
  h.custom_headers_encrypted AS "customHeadersEncrypted", h.url_variables_encrypted AS "urlVariablesEncrypted",
  h.custom_webhook_template AS "customWebhookTemplate", h.enable_ssl_verification AS "enableSslVerification",
  h.project_id IS NULL AND h.namespace_id IS NULL AS "isSystem", i.slug, i.properties, i.secrets_encrypted AS "secretsEncrypted"`;
/** Without the facts of the event, which may be large, and are read when needed. */
const eventColumns = sql`e.id AS "eventId", e.key::text AS key, e.kind, e.project_id AS "projectId"`;

function deliveryOf(row: Omit<Row, 'id'>): Pick<NextDelivery, 'receiver' | 'event'> {
  const { hookId, eventId: id, key, kind, projectId, slug, properties, secretsEncrypted, ...receiver } = row;
  const integration = slug === null ? null : { hookId, slug, properties, secretsEncrypted };
  return { receiver: { ...receiver, integration }, event: { id, key, kind, projectId } };
}
