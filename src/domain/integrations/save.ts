import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { clearHookCache } from '#src/domain/changes/wanted_hooks.ts';
import { EVENT_NAMES, hookSwitches, type IntegrationEvent } from '#src/domain/integrations/base/events.ts';
import type { Settings } from '#src/domain/integrations/base/field.ts';
import type { Kind } from '#src/domain/integrations/base/kind.ts';
import {
  type IntegrationView,
  type Place,
  type PlaceRef,
  requirePlace,
  viewIntegration,
} from '#src/domain/integrations/find.ts';
import { kindOf } from '#src/domain/integrations/kinds.ts';
import {
  changedSettings,
  missingFields,
  settingsColumns,
  settingsOf,
  standardSettings,
} from '#src/domain/integrations/stored.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { integrationLock } from '#src/platform/database/lock_names.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { allowedHosts, isBlocked, parseHookUrl } from '#src/platform/outbound/hook_url.ts';

/** Changes to an integration; undefined and null leave what they are about as it is. */
export interface IntegrationValues {
  active?: boolean | null | undefined;
  /** Whether the place has none of its own any more, and uses that of the group around it or of the server. */
  useInheritedSettings?: boolean | null | undefined;
  events?: Partial<Record<IntegrationEvent, boolean | null | undefined>> | undefined;
  /** Values by the names of fields; null removes one. */
  properties?: unknown;
  /** Whether names of fields that the kind does not have are left out instead of refused. */
  ignoreUnknown?: boolean | null | undefined;
}

/** An integration that was changed, for reading it back. */
export interface ChangedIntegration {
  place: Place;
  slug: string;
}

/**
 * Sets an integration up, or changes it; one that was switched off as nothing could be delivered works again. Throws NotFound for an
 * unknown kind or place, Forbidden, ValidationFailed.
 */
export async function saveIntegration(
  context: Context,
  ref: PlaceRef,
  slug: string,
  values: IntegrationValues,
): Promise<ChangedIntegration> {
  const place = await requirePlace(context, ref);
  const kind = requireKind(slug);
  if (values.useInheritedSettings) await inherit(context, place, kind);
  else await change(context, place, kind, values);
  clearHookCache(context.db);
  return { place, slug: kind.slug };
}

/**
 * Removes the integration of a place. If another one would count there instead, the kind is switched off for the place. Throws NotFound
 * if there is none, Forbidden.
 */
export async function deleteIntegration(context: Context, ref: PlaceRef, slug: string): Promise<ChangedIntegration> {
  const place = await requirePlace(context, ref);
  const kind = requireKind(slug);
  await context.db.$transaction(async (tx) => {
    await hold(tx, place, kind);
    const row = await tx.integration.findFirst({ where: at(place, kind), select: { id: true } });
    if (row) await remove(tx, context, place, row.id);
    const rest = await viewIntegration({ db: tx }, place, kind.slug);
    if (!row && !rest?.row) throw new NotFound('Integration');
    if (rest?.row?.active) await tx.integration.create({ data: { ...at(place, kind), active: false, events: [] } });
  });
  clearHookCache(context.db);
  return { place, slug: kind.slug };
}

/** The kind with this slug. Throws NotFound. */
export function requireKind(slug: string): Kind {
  const kind = kindOf(slug);
  if (!kind) throw new NotFound('Integration');
  return kind;
}

/** Removes what the place has itself. */
async function inherit(context: Context, place: Place, kind: Kind): Promise<void> {
  await context.db.$transaction(async (tx) => {
    await hold(tx, place, kind);
    const row = await tx.integration.findFirst({ where: at(place, kind), select: { id: true } });
    if (row) await remove(tx, context, place, row.id);
    const { row: other } = (await viewIntegration({ db: tx }, place, kind.slug)) as IntegrationView;
    if (!other) {
      throw new ValidationFailed({
        use_inherited_settings: ['needs an integration of a group around it or of the server'],
      });
    }
  });
}

async function remove(tx: Transaction, context: Context, place: Place, id: number): Promise<void> {
  await tx.integration.delete({ where: { id } });
  await audit(tx, context, { action: 'integration_deleted', ...audited(place, id) });
}

async function change(context: Context, place: Place, kind: Kind, values: IntegrationValues): Promise<void> {
  const { secret } = context;
  const given = requireProperties(kind, values);
  await context.db.$transaction(async (tx) => {
    await hold(tx, place, kind);
    const now = await tx.integration.findFirst({ where: at(place, kind) });
    const before = now ? settingsOf(kind, now, secret) : standardSettings(kind);
    const active = values.active ?? true;
    const { settings, wrong } = changedSettings(kind, before, given);
    if (active) for (const name of missingFields(kind, settings)) wrong[name] ??= ['is missing'];
    Object.assign(wrong, await wrongAddresses(context, kind, settings, given));
    if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
    const events = eventsAfter(kind, now?.events, values.events ?? {});
    const data = { active, events, ...settingsColumns(kind, settings, secret), updatedAt: new Date() };
    const id = await write(tx, context, { place, kind, data, id: now?.id ?? null });
    // Who was connected by one chat is not by another.
    if (kind.says && settings.token !== before.token)
      await tx.chatConnection.deleteMany({ where: { integrationId: id } });
    if (kind.tell) await writeHook(tx, place, id, { events, url: originOf(kind, settings) });
    await context.jobs.enqueue(tx, 'hooks.deliver', {});
  });
}

interface Written {
  place: Place;
  kind: Kind;
  data: ReturnType<typeof settingsColumns> & { active: boolean; events: IntegrationEvent[]; updatedAt: Date };
  /** Of the row that is changed; null for a new one. */
  id: number | null;
}

async function write(tx: Transaction, context: Context, { place, kind, data, id }: Written): Promise<number> {
  if (id === null) {
    const made = await tx.integration.create({ data: { ...at(place, kind), ...data }, select: { id: true } });
    await audit(tx, context, { action: 'integration_created', ...audited(place, made.id) });
    return made.id;
  }
  const before = await rowBefore(tx, 'Integration', id);
  await tx.integration.update({ where: { id }, data });
  await auditChanges(tx, context, { action: 'integration_updated', ...audited(place, id) }, before);
  return id;
}

/** The hook by which an integration is told of its events, without failures. */
async function writeHook(
  tx: Transaction,
  { project, group }: Place,
  integrationId: number,
  { events, url }: { events: readonly string[]; url: string },
): Promise<void> {
  const awake = { failures: 0, failingSince: null, retryAt: null, disabledAt: null };
  const data = { ...hookSwitches(events), ...awake, url };
  const place = { projectId: project?.id ?? null, namespaceId: group?.id ?? null };
  await tx.hook.upsert({ where: { integrationId }, update: data, create: { ...data, ...place, integrationId } });
}

/** What the log of deliveries shows of the address, which may be a secret. */
function originOf({ fields }: Kind, settings: Settings): string {
  const { name = '' } = fields.find(({ reached }) => reached) ?? {};
  return URL.parse(String(settings[name] ?? ''))?.origin ?? '';
}

/** The events of an integration: those of a new one are all but the quiet ones, unless others are given. */
function eventsAfter(
  { events, quiet = [] }: Kind,
  before: readonly string[] | undefined,
  given: NonNullable<IntegrationValues['events']>,
): IntegrationEvent[] {
  const isOn = (name: IntegrationEvent) => given[name] ?? before?.includes(name) ?? !quiet.includes(name);
  return EVENT_NAMES.filter((name) => events.includes(name) && isOn(name));
}

/** The given values by the names of fields. Throws ValidationFailed. */
function requireProperties({ fields }: Kind, { properties = {}, ignoreUnknown }: IntegrationValues) {
  if (properties === null) return {};
  if (typeof properties !== 'object' || Array.isArray(properties)) {
    throw new ValidationFailed({ properties: ['must be an object'] });
  }
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(properties).filter((name) => !known.has(name));
  if (unknown.length > 0 && !ignoreUnknown) {
    const names = unknown.slice(0, 5).map((name) => name.toWellFormed().slice(0, 100));
    throw new ValidationFailed({ properties: [`has no ${names.join(', ')}; there are ${[...known].join(', ')}`] });
  }
  return properties as Record<string, unknown>;
}

const PRIVATE = 'must not lead to a private address, unless GANTRY_WEBHOOK_HOSTS allows its host';

/** What is wrong with the given addresses that requests go to. */
async function wrongAddresses(
  context: Context,
  { fields }: Kind,
  settings: Settings,
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, string[]>> {
  const hosts = await allowedHosts(context);
  const wrong: Record<string, string[]> = {};
  for (const { name, reached } of fields) {
    const value = settings[name];
    if (!reached || given[name] == null || typeof value !== 'string') continue;
    const url = parseHookUrl(value);
    if (url === null) wrong[name] = ['must be a URL with http or https'];
    else if (isBlocked(url, hosts)) wrong[name] = [PRIVATE];
  }
  return wrong;
}

/** The columns that name the integration of a kind that a place has itself. */
function at({ project, group }: Place, { slug }: Kind) {
  return { projectId: project?.id ?? null, groupId: group?.id ?? null, slug };
}

/** Changes of the integration of a kind in one place wait for each other. */
async function hold(tx: Transaction, place: Place, kind: Kind): Promise<void> {
  const { projectId, groupId, slug } = at(place, kind);
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${integrationLock(`${projectId} ${groupId} ${slug}`)}, 0))`;
}

/** What the audit log has of an integration. */
function audited({ project, group }: Place, id: number) {
  const other = group ? { groupId: group.id } : ('server' as const);
  return { place: project ? { projectId: project.id } : other, target: { type: 'Integration' as const, id } };
}
