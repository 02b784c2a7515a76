import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { clearHookCache } from '#src/domain/changes/wanted_hooks.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { type BranchFilterStrategy, isBranchFilter } from '#src/domain/webhooks/branch_filter.ts';
import { type CustomHeader, customHeaders, headerColumns, wrongHeaders } from '#src/domain/webhooks/custom_headers.ts';
import { administered, administeredGroup, findHook, type HookPlace, type HookRef } from '#src/domain/webhooks/list.ts';
import type { Switch } from '#src/domain/webhooks/payload/kinds.ts';
import { SWITCHES } from '#src/domain/webhooks/payload/kinds.ts';
import {
  filledUrl,
  type UrlVariable,
  urlVariables,
  variableColumns,
  wrongVariables,
} from '#src/domain/webhooks/url_variables.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { hooksLock } from '#src/platform/database/lock_names.ts';
import { BadRequest, LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { allowedHosts, isBlocked, parseHookUrl } from '#src/platform/outbound/hook_url.ts';
import { wrongTemplate } from '#src/platform/outbound/json_template.ts';
import { encrypt } from '#src/platform/secrets.ts';

/** Maximum number of hooks of a project, a group, or the server. */
export const MAX_HOOKS = 100;

export interface HookValues extends Partial<Record<Switch, boolean | null | undefined>> {
  url?: string | null | undefined;
  /** The secret that receivers check; null or blank removes it. */
  token?: string | null | undefined;
  enableSslVerification?: boolean | null | undefined;
  name?: string | null | undefined;
  description?: string | null | undefined;
  /** The branches of which pushes are sent; null or blank for all. */
  pushEventsBranchFilter?: string | null | undefined;
  branchFilterStrategy?: BranchFilterStrategy | null | undefined;
  confidentialNoteEvents?: boolean | null | undefined;
  /** All headers that requests carry in addition; null for none. */
  customHeaders?: readonly CustomHeader[] | null | undefined;
  /** What `{key}` in the URL stands for; null for nothing. */
  urlVariables?: readonly UrlVariable[] | null | undefined;
  /** What is sent in place of payloads; null or blank for those. */
  customWebhookTemplate?: string | null | undefined;
}

export type NewHook = HookValues & { url: string };

/** Identifies a saved hook. */
export interface SavedHook {
  id: number;
}

/** A hook that was deleted, with the project or group that it was of. */
export interface DeletedHook extends SavedHook {
  project: number | null;
  group: number | null;
}

/** Creates a project hook. Throws NotFound, Forbidden, BadRequest for its URL, ValidationFailed, LimitReached. */
export async function createProjectHook(context: Context, ref: IdOrPath, values: NewHook): Promise<SavedHook> {
  const { id } = await administered(context, ref);
  return create(context, { projectId: id }, values, `project ${id}`);
}

/** Creates a group hook, which receives the events of all projects in the group and subgroups. Throws as createProjectHook. */
export async function createGroupHook(context: Context, ref: IdOrPath, values: NewHook): Promise<SavedHook> {
  const { id } = await administeredGroup(context, ref);
  return create(context, { namespaceId: id }, values, `group ${id}`);
}

/** Creates a system hook, for administrators. Throws Forbidden, ValidationFailed, LimitReached. */
export async function createSystemHook(context: Context, values: NewHook): Promise<SavedHook> {
  requireAdmin(context);
  return create(context, {}, values, 'server');
}

/**
 * Updates a hook: unset means unchanged. A disabled one is enabled again. Another URL has no secrets of the one before: token, headers
 * and variables go unless they are given. Throws as createProjectHook.
 */
export async function updateHook(context: Context, ref: HookRef, values: HookValues): Promise<SavedHook> {
  const hook = await findHook(context, ref);
  const isSystem = hook.projectId === null && hook.namespaceId === null;
  await requireFilter(context, values, hook.id);
  await context.db.$transaction(async (tx) => {
    const now = await hold(tx, hook.id);
    const before = await rowBefore(tx, 'Hook', hook.id);
    const data = { ...(await columns(context, values, isSystem, now)), ...AWAKE, updatedAt: new Date() };
    await tx.hook.update({ where: { id: hook.id }, data });
    await auditChanges(tx, context, { action: 'webhook_updated', ...audited(hook) }, before);
    await context.jobs.enqueue(tx, 'hooks.deliver', {});
  });
  clearHookCache(context.db);
  return { id: hook.id };
}

/** What a hook has by keys, each with a value that is never told. */
export type Keyed = 'customHeaders' | 'urlVariables';

/** Sets the value of one key of a hook, or removes the key for null. Throws as createProjectHook, and NotFound for a key to remove. */
export async function setHookValue(
  context: Context,
  ref: HookRef,
  { of, key, value }: { of: Keyed; key: string; value: string | null },
): Promise<SavedHook> {
  const hook = await findHook(context, ref);
  const isSystem = hook.projectId === null && hook.namespaceId === null;
  await context.db.$transaction(async (tx) => {
    const now = await hold(tx, hook.id);
    const before = await rowBefore(tx, 'Hook', hook.id);
    const present = entriesOf(now, of, context.secret);
    const isKey = (name: string) => (of === 'customHeaders' ? name.toLowerCase() === key.toLowerCase() : name === key);
    if (value === null && !present.some((entry) => isKey(entry.key))) throw new NotFound('Key');
    const others = present.filter((entry) => !isKey(entry.key));
    const values = { [of]: value === null ? others : [...others, { key, value }] };
    const data = { ...(await columns(context, values, isSystem, now)), updatedAt: new Date() };
    await tx.hook.update({ where: { id: hook.id }, data });
    await auditChanges(tx, context, { action: 'webhook_updated', ...audited(hook) }, before);
  });
  return { id: hook.id };
}

/** A hook as it is while it is changed. */
interface Present {
  url: string;
  customHeaderNames: string[];
  customHeadersEncrypted: Uint8Array | null;
  urlVariablesEncrypted: Uint8Array | null;
}

/** Changes of one hook wait for each other. Throws NotFound. */
async function hold(tx: Transaction, id: number): Promise<Present> {
  await tx.$executeRaw`SELECT id FROM hooks WHERE id = ${id} FOR NO KEY UPDATE`;
  const found = await tx.hook.findUnique({
    where: { id },
    select: { url: true, customHeaderNames: true, customHeadersEncrypted: true, urlVariablesEncrypted: true },
  });
  if (!found) throw new NotFound('Hook');
  return found;
}

function entriesOf(present: Present, of: Keyed, secret: string): { key: string; value: string }[] {
  if (of === 'urlVariables') {
    const values = urlVariables(present.urlVariablesEncrypted, secret);
    return Object.entries(values).map(([key, value]) => ({ key, value }));
  }
  const values = customHeaders(present.customHeadersEncrypted, secret);
  return present.customHeaderNames.map((key) => ({ key, value: values[key.toLowerCase()] ?? '' }));
}

/** Enables a hook that was disabled, or waits for its next attempt. Throws NotFound, Forbidden. */
export async function enableHook(context: Context, ref: HookRef): Promise<SavedHook> {
  return updateHook(context, ref, {});
}

/** Deletes a hook with its deliveries. Returns its ID. Throws NotFound, Forbidden. */
export async function deleteHook(context: Context, ref: HookRef): Promise<DeletedHook> {
  requireActor(context);
  const hook = await findHook(context, ref);
  const { id } = hook;
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.hook.deleteMany({ where: { id } });
    if (count === 0) throw new NotFound(ref.isSystem ? 'System hook' : 'Hook');
    await audit(tx, context, { action: 'webhook_deleted', ...audited(hook) });
  });
  clearHookCache(context.db);
  return { id, project: hook.projectId, group: hook.namespaceId };
}

/** The state of a hook without failures. */
const AWAKE = { failures: 0, failingSince: null, retryAt: null, disabledAt: null };

async function create(
  context: Context,
  place: { projectId?: number; namespaceId?: number },
  values: NewHook,
  where: string,
): Promise<SavedHook> {
  const isSystem = place.projectId === undefined && place.namespaceId === undefined;
  const { projectId = null, namespaceId = null } = place;
  await requireFilter(context, values, null);
  const data = { ...(await columns(context, values, isSystem, null)), url: values.url, projectId, namespaceId };
  const { id } = await context.db.$transaction(async (tx) => {
    await requireRoom(tx, { projectId, namespaceId }, where);
    const made = await tx.hook.create({ data, select: { id: true, projectId: true, namespaceId: true } });
    await audit(tx, context, { action: 'webhook_created', ...audited(made) });
    return made;
  });
  clearHookCache(context.db);
  return { id };
}

/** What the audit log has of a hook: not its URL, which may hold a password. */
function audited({ id, projectId, namespaceId }: HookPlace) {
  const group = namespaceId === null ? ('server' as const) : { groupId: namespaceId };
  return { place: projectId === null ? group : { projectId }, target: { type: 'Webhook' as const, id } };
}

/** Concurrent requests must not exceed the limit together. */
async function requireRoom(
  tx: Transaction,
  place: { projectId: number | null; namespaceId: number | null },
  where: string,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${hooksLock(where)}, 0))`;
  if ((await tx.hook.count({ where: { ...place, integrationId: null } })) >= MAX_HOOKS) {
    throw new LimitReached(`There are ${MAX_HOOKS} webhooks already, which is the maximum`);
  }
}

/** The longest secret, in characters. */
const MAX_TOKEN_LENGTH = 2_048;
const MAX_NAME_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 2_048;

async function columns(context: Context, given: HookValues, isSystem: boolean, now: Present | null) {
  const { secret } = context;
  const { url } = given;
  const isMoved = now !== null && url != null && url !== now.url;
  const values: HookValues = isMoved ? { token: null, customHeaders: null, urlVariables: null, ...given } : given;
  const { token, enableSslVerification } = values;
  const to = url ?? now?.url ?? '';
  const variables =
    values.urlVariables === undefined
      ? now === null
        ? []
        : entriesOf(now, 'urlVariables', secret)
      : (values.urlVariables ?? []);
  const wrongOfUrl = url != null || values.urlVariables !== undefined ? wrongVariables(variables, to) : [];
  if (wrongOfUrl.length > 0) throw new ValidationFailed({ url_variables: wrongOfUrl });
  if (url != null || values.urlVariables !== undefined) {
    const filled = filledUrl(to, Object.fromEntries(variables.map(({ key, value }) => [key, value])));
    checkUrl(filled, await allowedHosts(context), isSystem);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what sends headers refuses these
  const isSendable = token == null || /^[^\u0000-\u001f\u007f-\u009f\u0100-\uffff]*$/.test(token);
  const wrong = [
    ...(isSendable ? [] : ['must hold only characters that an HTTP header can hold']),
    ...(token != null && token.length > MAX_TOKEN_LENGTH
      ? [`is too long (maximum is ${MAX_TOKEN_LENGTH} characters)`]
      : []),
  ];
  const wrongNames = wrongHeaders(values.customHeaders ?? []);
  const tooLong = (text: string | null | undefined, most: number) =>
    (text?.length ?? 0) > most ? [`is too long (maximum is ${most} characters)`] : [];
  const problems = {
    token: wrong,
    custom_headers: wrongNames,
    name: tooLong(values.name, MAX_NAME_LENGTH),
    description: tooLong(values.description, MAX_DESCRIPTION_LENGTH),
    custom_webhook_template: values.customWebhookTemplate ? wrongTemplate(values.customWebhookTemplate) : [],
  };
  const found = Object.entries(problems).filter(([, texts]) => texts.length > 0);
  if (found.length > 0) throw new ValidationFailed(Object.fromEntries(found));
  const switches = SWITCHES.flatMap((name) => (values[name] == null ? [] : [[name, values[name]] as const]));
  return {
    ...Object.fromEntries(switches),
    ...(url == null ? {} : { url }),
    ...(enableSslVerification == null ? {} : { enableSslVerification }),
    ...(token === undefined ? {} : { tokenEncrypted: token ? encrypt(token, secret) : null }),
    ...(values.name === undefined ? {} : { name: values.name || null }),
    ...(values.description === undefined ? {} : { description: values.description || null }),
    ...(values.pushEventsBranchFilter === undefined
      ? {}
      : { pushEventsBranchFilter: values.pushEventsBranchFilter?.trim() || null }),
    ...(values.branchFilterStrategy == null ? {} : { branchFilterStrategy: values.branchFilterStrategy }),
    ...(values.confidentialNoteEvents == null ? {} : { confidentialNoteEvents: values.confidentialNoteEvents }),
    ...(values.customHeaders === undefined ? {} : headerColumns(values.customHeaders ?? [], secret)),
    ...(values.urlVariables === undefined ? {} : variableColumns(values.urlVariables ?? [], secret)),
    ...(values.customWebhookTemplate === undefined
      ? {}
      : { customWebhookTemplate: values.customWebhookTemplate?.trim() ? values.customWebhookTemplate : null }),
  };
}

/** Throws BadRequest if the hook would have a filter that matches nothing that can be understood. */
async function requireFilter({ db }: Context, values: HookValues, id: number | null): Promise<void> {
  const { pushEventsBranchFilter: given, branchFilterStrategy: chosen } = values;
  if (given === undefined && chosen == null) return;
  const select = { pushEventsBranchFilter: true, branchFilterStrategy: true };
  const now = id === null ? null : await db.hook.findUnique({ where: { id }, select });
  const filter = (given === undefined ? now?.pushEventsBranchFilter : given)?.trim() ?? '';
  const strategy = chosen ?? now?.branchFilterStrategy ?? 'wildcard';
  if (filter !== '' && !(await isBranchFilter(db, strategy, filter))) {
    throw new BadRequest(
      'The branch filter of a webhook must be a pattern of at most 255 characters, or a regular expression without references, lookaround and many repetitions',
      'pushEventsBranchFilter',
      'hookFilterInvalid',
    );
  }
}

const PRIVATE = 'must not lead to a private address, unless GANTRY_WEBHOOK_HOSTS allows its host';

/** Throws the error of behaviour.md 1.5 for each kind of hook, with the reason if the address is private. */
function checkUrl(text: string, hosts: readonly string[], isSystem: boolean): void {
  const url = parseHookUrl(text);
  if (url !== null && !isBlocked(url, hosts)) return;
  if (isSystem) throw new ValidationFailed({ url: [url === null ? 'must be a valid URL' : PRIVATE] });
  if (url === null) {
    throw new BadRequest(
      'The URL of a webhook must begin with http:// or https:// and name a host',
      'url',
      'hookUrlInvalid',
    );
  }
  throw new BadRequest(
    'The URL of a webhook leads to a private address; administrators allow hosts by the setting GANTRY_WEBHOOK_HOSTS',
    'url',
    'hookUrlPrivate',
  );
}
