import { randomUUID } from 'node:crypto';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { UNDER_WAY } from '#src/domain/bulk_imports/end.ts';
import { type GroupAddress, readGroup } from '#src/domain/bulk_imports/group_source.ts';
import { requireSeldom } from '#src/domain/group_archives/rate.ts';
import { mayCreateGroups } from '#src/domain/groups/create.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { groupErrors } from '#src/domain/groups/values.ts';
import { findHome, projectAt } from '#src/domain/project_archives/import_request.ts';
import { textErrors } from '#src/domain/projects/values.ts';
import { SourceInvalid } from '#src/domain/remote_imports/base/source.ts';
import { GITLAB } from '#src/domain/remote_imports/gitlab/provider.ts';
import type { BulkImportEntityKind } from '#src/generated/prisma/client.ts';
import { DomainError, type FieldErrors, Forbidden, LimitReached, ValidationFailed } from '#src/platform/errors.ts';
import { RemoteRateLimited, RemoteRefused, RemoteUnavailable } from '#src/platform/outbound/remote_client.ts';
import { parseImportUrl } from '#src/platform/outbound/url.ts';
import { encrypt } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What is moved in, by the names of v4. */
export type SourceType = 'group_entity' | 'project_entity';

/** A group or a project that is to be moved in. */
export interface WantedEntity {
  sourceType: SourceType;
  /** Full path at the source. */
  sourceFullPath: string;
  /** What its path ends with here; one of both. */
  destinationSlug?: string | null | undefined;
  destinationName?: string | null | undefined;
  /** Full path of the group that it is to be in; empty for a group at the top. */
  destinationNamespace: string;
  /** True if it is left out. */
  migrateProjects?: boolean | null | undefined;
  migrateMemberships?: boolean | null | undefined;
}

export interface WantedBulkImport {
  configuration: {
    /** The web address of the server. */
    url: string;
    accessToken: string;
  };
  entities: readonly WantedEntity[];
}

/** Groups and projects that one import is asked for, and imports of a user that have not ended. */
const MAX_ENTITIES = 100;
const MAX_UNDER_WAY = 10;
/** Characters of the longest token, and of the longest path. */
const MAX_TOKEN_LENGTH = 1_000;
const MAX_PATH_LENGTH = 2_000;
/** Milliseconds that a request waits for the source, and questions that it asks at once. */
const TIMEOUT_MS = 15_000;
const QUESTIONS = 4;

/**
 * Begins to move groups and projects in from another GitLab, after that has told that they are there and the token may read them. Returns the
 * ID of the import. Throws Forbidden, RateLimited, LimitReached, ValidationFailed.
 */
export async function startBulkImport(context: Context, wanted: WantedBulkImport): Promise<number> {
  const actor = requireActor(context);
  const { importSources } = await currentSettings(context.db);
  if (!importSources.includes('gitlab')) throw new Forbidden('Groups cannot be imported from GitLab');
  const { url, token } = sourceOf(wanted);
  const entities = await checkedEntities(context, actor, wanted.entities);
  requireSeldom(context, actor.id);
  await requireThere(context, { url, token }, entities);
  return context.db.$transaction(async (tx) => {
    // One at a time for each user: the number is looked at and changed.
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${actor.id} FOR NO KEY UPDATE`;
    const underWay = await tx.bulkImport.count({ where: { userId: actor.id, status: { in: [...UNDER_WAY] } } });
    if (underWay >= MAX_UNDER_WAY) throw new LimitReached(`You have ${MAX_UNDER_WAY} imports that have not ended`);
    const { id } = await tx.bulkImport.create({
      data: { userId: actor.id, url, token: encrypt(token, context.secret) },
    });
    const correlationId = randomUUID();
    await tx.bulkImportEntity.createMany({
      data: entities.map((entity) => ({ ...entity, bulkImportId: id, userId: actor.id, correlationId })),
    });
    await context.jobs.enqueue(tx, 'bulk_imports.advance', { bulkImportId: id, userId: actor.id });
    return id;
  });
}

/** Throws ValidationFailed, which does not repeat the token. */
function sourceOf({ configuration }: WantedBulkImport): Omit<GroupAddress, 'path'> {
  const given = configuration.url.trim();
  const parsed = parseImportUrl(/^https?:\/\//i.test(given) ? given : `https://${given}`);
  const errors: FieldErrors = {};
  if (typeof parsed === 'string') errors['configuration[url]'] = [parsed];
  else if (parsed.credentials !== null) errors['configuration[url]'] = ['must not hold a user name or a password'];
  // It goes into a header.
  const token = configuration.accessToken.trim();
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > MAX_TOKEN_LENGTH)
    errors['configuration[access_token]'] = ['is not a token'];
  if (typeof parsed === 'string' || Object.keys(errors).length > 0) throw wrongValues(errors);
  return { url: parsed.url.href.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v4$/, ''), token };
}

/** The error about values that v4 names by their place, and GraphQL by their field. */
function wrongValues(errors: FieldErrors): ValidationFailed {
  const about: FieldErrors = {};
  for (const [place, messages] of Object.entries(errors)) {
    const name = /\[([a-z_]+)\]$/.exec(place)?.[1] ?? place;
    about[name] = [...(about[name] ?? []), ...messages];
  }
  return new ValidationFailed(errors, about);
}

interface CheckedEntity {
  kind: BulkImportEntityKind;
  sourceFullPath: string;
  destinationSlug: string;
  destinationNamespace: string;
  migrateProjects: boolean;
  migrateMemberships: boolean;
}

/** What may be imported, with all that is wrong with it named by place. Throws Forbidden, LimitReached, ValidationFailed. */
async function checkedEntities(
  context: Context,
  actor: Actor,
  wanted: readonly WantedEntity[],
): Promise<CheckedEntity[]> {
  if (wanted.length === 0) throw new ValidationFailed({ entities: ["can't be blank"] });
  if (wanted.length > MAX_ENTITIES)
    throw new ValidationFailed({ entities: [`are too many (maximum is ${MAX_ENTITIES})`] });
  const errors: FieldErrors = {};
  const places = new Set<string>();
  const checked: CheckedEntity[] = [];
  for (const [index, entity] of wanted.entries()) {
    const { values, wrong } = await checkedEntity(context, actor, entity);
    const place = `${values.destinationNamespace}/${values.destinationSlug}`.toLowerCase();
    if (places.has(place)) wrong.destination_slug ??= 'is that of another entity, too';
    places.add(place);
    for (const [name, message] of Object.entries(wrong)) errors[`entities[${index}][${name}]`] = [message];
    checked.push(values);
  }
  if (Object.keys(errors).length > 0) throw wrongValues(errors);
  return checked;
}

type Wrong = Partial<
  Record<'source_full_path' | 'destination_slug' | 'destination_name' | 'destination_namespace', string>
>;

async function checkedEntity(
  context: Context,
  actor: Actor,
  entity: WantedEntity,
): Promise<{ values: CheckedEntity; wrong: Wrong }> {
  const wrong: Wrong = {};
  const trimmed = (text: string) =>
    text
      .trim()
      .replace(/^\/+/, '')
      .replace(/(?<!\/)\/+$/, '');
  const kind = entity.sourceType === 'group_entity' ? 'group' : 'project';
  const sourceFullPath = trimmed(entity.sourceFullPath);
  const isPath = sourceFullPath.length <= MAX_PATH_LENGTH && /^[\w.-]+(?:\/[\w.-]+)*$/.test(sourceFullPath);
  const isUsable = isPath && !sourceFullPath.split('/').some((part) => /^\.+$/.test(part));
  if (!isUsable || (kind === 'project' && !sourceFullPath.includes('/')))
    wrong.source_full_path = `must be the full path of a ${kind} at the source, without its address`;
  const { destinationSlug: slug, destinationName: name } = entity;
  if (slug != null && name != null) wrong.destination_name = 'cannot be given together with destination_slug';
  const destinationSlug = (slug ?? name ?? '').trim();
  const destinationNamespace = trimmed(entity.destinationNamespace);
  const isTop = destinationNamespace === '';
  const slugErrors =
    kind === 'group' ? groupErrors({ path: destinationSlug }, !isTop).path : textErrors({ path: destinationSlug }).path;
  const [slugError] = destinationSlug === '' ? ["can't be blank"] : (slugErrors ?? []);
  if (slugError !== undefined) wrong.destination_slug = slugError;
  const placeError = await placeErrorOf(context, actor, kind, destinationNamespace);
  if (placeError !== null) wrong.destination_namespace = placeError;
  else if (await isTaken(context, kind, destinationNamespace, destinationSlug))
    wrong.destination_slug ??= 'has already been taken';
  const values: CheckedEntity = {
    ...{ kind, sourceFullPath, destinationSlug, destinationNamespace },
    migrateProjects: entity.migrateProjects ?? true,
    migrateMemberships: entity.migrateMemberships ?? true,
  };
  return { values, wrong };
}

/** Why something cannot be put into a namespace; null if it can. What is not there is as what the actor may not use. */
async function placeErrorOf(
  context: Context,
  actor: Actor,
  kind: BulkImportEntityKind,
  namespace: string,
): Promise<string | null> {
  const refused = `is not a group in which you can create ${kind}s`;
  if (namespace === '') {
    if (kind === 'project') return "can't be blank";
    return mayCreateGroups(actor) ? null : 'cannot be left empty, as you cannot create groups at the top';
  }
  try {
    if (kind === 'project') await findHome(context, actor, namespace);
    else if (!mayCreateGroups(actor)) return refused;
    else authorize(actor, 'create_subgroup', await findGroup(context, namespace));
    return null;
  } catch (error) {
    if (error instanceof DomainError) return refused;
    throw error;
  }
}

/** Whether something has the path here, for somebody who may create it. */
async function isTaken(
  context: Context,
  kind: BulkImportEntityKind,
  namespace: string,
  slug: string,
): Promise<boolean> {
  const fullPath = namespace === '' ? slug : `${namespace}/${slug}`;
  const [found] = await context.db.$queryRaw<object[]>`
    SELECT id FROM namespaces WHERE lower(full_path) = lower(${fullPath}) AND deleted_at IS NULL`;
  if (found || kind === 'group') return found !== undefined;
  const [home] = await context.db.$queryRaw<{ id: number }[]>`
    SELECT id FROM namespaces WHERE lower(full_path) = lower(${namespace}) AND deleted_at IS NULL`;
  return home !== undefined && (await projectAt(context, home.id, slug)) !== null;
}

/** Asks the source for all of them. Throws ValidationFailed. */
async function requireThere(
  { imports }: Context,
  source: Omit<GroupAddress, 'path'>,
  entities: readonly CheckedEntity[],
): Promise<void> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const client = GITLAB.client({ ...source, path: '' }, imports, late);
  const waiting = entities.map(({ kind, sourceFullPath }, index) => ({ kind, path: sourceFullPath, index }));
  const errors: FieldErrors = {};
  const ask = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { kind, path, index } = next;
      try {
        await (kind === 'group' ? readGroup : GITLAB.project)(client, { ...source, path });
      } catch (error) {
        if (late.aborted) throw wrongValues({ 'configuration[url]': ['did not answer in time'] });
        const [name, message] = sourceError(error, kind);
        errors[name ?? `entities[${index}][source_full_path]`] = [message];
        // Nothing else comes of a token that is wrong, or a server that does not answer.
        if (name !== null) waiting.length = 0;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: QUESTIONS }, ask));
  } finally {
    client.close();
  }
  if (Object.keys(errors).length > 0) throw wrongValues(errors);
}

/** The parameter that an error of the source is about, null for the path, and what is wrong. Throws errors of this server. */
function sourceError(error: unknown, kind: BulkImportEntityKind): [string | null, string] {
  if (error instanceof RemoteRefused && [401, 403].includes(error.status ?? 0))
    return ['configuration[access_token]', `is wrong, or may not read the ${kind}`];
  if (error instanceof RemoteRefused && error.status === 404) return [null, `is of no ${kind} that the token may read`];
  const isOfSource = [RemoteRefused, RemoteUnavailable, RemoteRateLimited, SourceInvalid].some(
    (one) => error instanceof one,
  );
  if (isOfSource) return ['configuration[url]', (error as Error).message];
  throw error;
}
