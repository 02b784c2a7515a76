import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { GroupRow, IdOrPath } from '#src/domain/groups/find.ts';
import { inGroup, inProject, onServer, type Places } from '#src/domain/packages/places.ts';
import { requireUnprotected } from '#src/domain/packages/protection_rules.ts';
import { type PublishedBefore, publisherOf, recordFile, timeOf } from '#src/domain/packages/publish.ts';
import { publishableProject, requireRoom, StoredContent } from '#src/domain/packages/receive.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { Prisma, violates } from '#src/platform/database/db.ts';
import { BadRequest, Forbidden, NotFound } from '#src/platform/errors.ts';
import { currentBudget } from '#src/platform/limits/budget.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { packageVersion } from '#src/platform/package_root.ts';
import type { Columns } from '#src/platform/records/model.ts';

const { sql } = Prisma;

type Json = Record<string, unknown>;

/** What `npm publish` sends: one version with its archive. */
export interface NpmPublication {
  name: string;
  /** Manifests by version. */
  versions: Json;
  /** Versions by tag. */
  distTags: Json;
  /** Archives by file name, each with its `data` in base64. */
  attachments: Json;
}

/** Characters of the longest name, version, tag and manifest. */
const MAX_LENGTHS = { name: 214, version: 128, tag: 128, manifest: 256 * 1024 };

/**
 * Maximum number of versions that a document lists, and of bytes of their manifests; the newest ones. Archives of older versions
 * are still downloaded by their addresses.
 */
const MAX_LISTED_VERSIONS = 1_000;
const MAX_LISTED_BYTES = 4 * 1024 * 1024;
const MAX_TAGS = 100;

/** Documents that are built at a time, each of which is in memory several times over. */
const DOCUMENTS = {
  concurrency: 4,
  perCaller: 1,
  anonymous: 2,
  waitingPerCaller: 50,
  waiting: 500,
  patience: 60_000,
};
export const documentTurns = new CallerSemaphore(DOCUMENTS);

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const VERSION = /^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const TAG = /^(?!v?\d)[\w.-]+$/;

/**
 * Publishes a version of an npm package with its archive, and has tags lead to it. A version is published once.
 *
 * @throws NotFound, BadRequest, Forbidden also for a version that exists
 */
export async function publishNpmPackage(
  context: Context,
  ref: IdOrPath,
  publication: NpmPublication,
): Promise<{ name: string; version: string }> {
  const by = await publishableProject(context, ref);
  const { name, version, manifest, data, tags } = read(publication);
  const received = { name: npmFileName({ name, version }), size: data.length, content: chunksOf([data]) };
  await requireRoom(context, by.project.id, data.length);
  await using stored = await StoredContent.receive(context, by.project.id, received);
  await stored.recordedBy(() => recordNpmVersion(context, by, { name, version, manifest, tags }, stored));
  return { name, version };
}

/** What the archive of a version is called. */
export function npmFileName({ name, version }: { name: string; version: string }): string {
  return `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
}

/** A version of an npm package. */
export interface NpmVersion {
  name: string;
  version: string;
  /** What its `package.json` says. */
  manifest: Json;
  /** The tags that lead to it from now on. */
  tags: readonly string[];
  status?: Columns['Package']['status'] | undefined;
  /** Why it is not to be used any more; null if it may be. */
  deprecated?: string | null;
}

/**
 * Records an archive in the store as a version of an npm package. A version is published once. Throws BadRequest, NotFound, and Forbidden
 * also for a version that exists.
 */
export async function recordNpmVersion(
  context: Pick<Context, 'db'>,
  { actor, project }: { actor: Actor; project: Pick<ProjectRow, 'id' | 'accessLevel'> },
  { name, version, manifest, tags, status, deprecated }: NpmVersion,
  stored: StoredContent,
  before?: PublishedBefore,
): Promise<void> {
  requireNpmVersion(name, version, manifest);
  const hash = createHash('sha512');
  for await (const chunk of stored.stream()) hash.update(chunk);
  const dist = { integrity: `sha512-${hash.digest('base64')}`, shasum: stored.checksums.sha1 };
  const document = { ...manifest, name, version, dist };
  const fileName = npmFileName({ name, version });
  try {
    await context.db.$transaction(async (tx) => {
      await requireUnprotected(tx, { actor, project }, 'push', { type: 'npm', name });
      const key = { projectId: project.id, type: 'npm', name, version } as const;
      const more = { ...(status && { status }), ...(deprecated && { deprecated }), ...timeOf(before?.versionAt) };
      const made = { ...key, ...publisherOf(actor), ...more, manifest: document as never };
      const { id: packageId } = await tx.package.create({ data: made, select: { id: true } });
      const fileId = await recordFile(tx, { project, packageId, fileName, before }, stored);
      for (const tag of tags) await point(tx, { projectId: project.id, packageName: name, name: tag }, packageId);
      await before?.andThen(tx, { packageId, fileId });
    });
  } catch (error) {
    throw violates(error, 'packages_project_id_type_name_version') || violates(error, 'version')
      ? new Forbidden('Package already exists.').asExisting({ type: 'Package', name: `${name}@${version}` })
      : error;
  }
}

/** Characters of the longest reason why a version is not to be used. */
const MAX_REASON_LENGTH = 2_048;

/**
 * Says of versions of an npm package that they are not to be used any more, and why; a blank reason takes that back. What `npm deprecate`
 * sends are all versions, of which those without a reason stay as they are.
 *
 * @throws NotFound also if there are no such versions; Forbidden, BadRequest
 */
export async function deprecateNpmVersions(
  context: Context,
  ref: IdOrPath,
  { name, versions }: Pick<NpmPublication, 'name' | 'versions'>,
): Promise<string[]> {
  const { project } = await publishableProject(context, ref);
  if (name.length > MAX_LENGTHS.name || !NAME.test(name)) throw invalid('name');
  if (!isRecord(versions) || Object.keys(versions).length > MAX_LISTED_VERSIONS) throw invalid('versions');
  const reasons = Object.entries(versions).flatMap(([version, manifest]) => {
    const reason = isRecord(manifest) ? manifest.deprecated : undefined;
    if (reason === undefined) return [];
    if (typeof reason !== 'string' || !isNpmReason(reason) || !VERSION.test(version)) throw invalid('versions');
    return [{ version, reason: reason === '' ? null : reason }];
  });
  const changed = await context.db.$queryRaw<{ version: string }[]>`
    UPDATE packages k SET deprecated = r.reason, updated_at = now()
    FROM unnest(${reasons.map(({ version }) => version)}::text[], ${reasons.map(({ reason }) => reason)}::text[]) r (version, reason)
    WHERE k.project_id = ${project.id} AND k.type = 'npm' AND k.name = ${name} AND k.version = r.version
    RETURNING k.version`;
  if (changed.length === 0) throw new NotFound('Package');
  return changed.map(({ version }) => version);
}

/** The document of an npm package, as clients of npm read it, before it is built: what it will hold. */
export interface NpmDocument {
  name: string;
  /** Changes with the content. */
  version: string;
  /** IDs of the newest versions, the newest first; those that are hidden are left out. */
  ids: readonly number[];
  /** Versions by tag. */
  distTags: Record<string, string>;
  /** Why versions are not to be used any more, by the IDs of those. */
  deprecated: Readonly<Record<string, string>>;
  registryOf: RegistryOf;
}

/** URL of the registry of a project by its ID, below which the archives are. */
export type RegistryOf = (projectId: number) => string;

/** The document of an npm package of a project. Throws NotFound, Forbidden, Unauthenticated. */
export function findNpmDocument(context: Context, project: ProjectRow, name: string, registryOf: RegistryOf) {
  return documentIn(context, inProject(context, project), name, registryOf);
}

/** As `findNpmDocument`, of all projects below a group; of a version that several have, the one that was published last. */
export function findNpmDocumentOfGroup(context: Context, group: GroupRow, name: string, registryOf: RegistryOf) {
  return documentIn(context, inGroup(context, group), name, registryOf);
}

/** As `findNpmDocument`, of all projects of the server; of a version that several have, the one that was published last. */
export function findNpmDocumentOfServer(context: Context, name: string, registryOf: RegistryOf) {
  return documentIn(context, onServer(context), name, registryOf);
}

/** Reads no manifests: clients that have the document ask often whether it has changed. */
async function documentIn(
  context: Context,
  { before, has }: Places,
  name: string,
  registryOf: RegistryOf,
): Promise<NpmDocument> {
  if (name.includes('\0')) throw new NotFound('Package');
  const [found] = await context.db.$queryRaw<
    { ids: number[] | null; tags: Record<string, string> | null; deprecated: Record<string, string> | null }[]
  >`
    WITH ${before} newest AS (SELECT id, deprecated FROM packages
        WHERE ${has(sql`project_id`)} AND type = 'npm' AND status = 'default' AND name = ${name}
        ORDER BY id DESC LIMIT ${MAX_LISTED_VERSIONS}),
      tags AS (${tagsIn(has, name)})
    SELECT (SELECT array_agg(id ORDER BY id DESC) FROM newest) AS ids, (SELECT json_object_agg(name, version ORDER BY name) FROM tags) AS tags,
      (SELECT json_object_agg(id, deprecated ORDER BY id) FROM newest WHERE deprecated IS NOT NULL) AS deprecated`;
  const { ids, tags, deprecated: notes } = found ?? { ids: null, tags: null, deprecated: null };
  if (ids === null) throw new NotFound('Package');
  const distTags = tags ?? {};
  const deprecated = notes ?? {};
  // Neither manifests nor the projects of versions ever change.
  const parts = [packageVersion(), name, registryOf(0), ids, distTags, deprecated];
  const version = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return { name, version, ids, distTags, deprecated, registryOf };
}

/** The content of a document: its versions and tags. */
export async function contentOfNpmDocument(context: Context, document: NpmDocument) {
  const { actor, clientAddress } = context;
  const release = await documentTurns.take(callerOf(actor, clientAddress), { isAnonymous: actor === null });
  try {
    return await buildContent(context, document);
  } finally {
    release();
  }
}

async function buildContent({ db }: Context, { name, ids, distTags, deprecated, registryOf }: NpmDocument) {
  const oldestFirst = (await newestOf(db, ids)).toReversed();
  const versions: [string, Json][] = [];
  for (const { id, version, manifest, projectId } of oldestFirst) {
    // Publishers choose what is parsed: other requests get their turns in between.
    await nextTurn();
    currentBudget()?.spendBytes(manifest.length);
    const { dist, ...rest } = JSON.parse(manifest) as Json & { dist: Json };
    const file = encodeURIComponent(`${name.slice(name.indexOf('/') + 1)}-${version}.tgz`);
    const note = deprecated[id];
    const more = note === undefined ? {} : { deprecated: note };
    versions.push([
      version,
      { ...rest, ...more, dist: { ...dist, tarball: `${registryOf(projectId)}/${name}/-/${file}` } },
    ]);
  }
  return {
    _id: name,
    name,
    'dist-tags': distTags,
    versions: Object.fromEntries(versions),
    time: Object.fromEntries(oldestFirst.map(({ version, createdAt }) => [version, createdAt.toISOString()])),
  };
}

/** The first of these versions, whose manifests have `MAX_LISTED_BYTES` together. They are read one by one, and the rest is not. */
function newestOf(db: Context['db'], ids: readonly number[]) {
  return db.$queryRaw<{ id: number; version: string; projectId: number; manifest: string; createdAt: Date }[]>`
    WITH RECURSIVE listed AS (
      SELECT 0 AS place, 0 AS bytes, NULL::int AS id, NULL::text AS manifest
      UNION ALL
      SELECT l.place + 1, l.bytes + COALESCE(octet_length(k.manifest), 0), k.id, k.manifest FROM listed l
      LEFT JOIN LATERAL (SELECT id, manifest::text FROM packages WHERE id = (${ids}::int[])[l.place + 1] LIMIT 1) k ON TRUE
      WHERE l.place < ${ids.length} AND l.bytes + COALESCE(octet_length(k.manifest), 0) <= ${MAX_LISTED_BYTES})
    SELECT k.id, k.version, k.project_id AS "projectId", l.manifest, k.created_at AS "createdAt"
    FROM listed l JOIN packages k ON k.id = l.id ORDER BY k.id DESC`;
}

/** The versions that the tags of an npm package of a project lead to. Throws NotFound, Forbidden, Unauthenticated. */
export function npmDistTags(context: Context, project: ProjectRow, name: string): Promise<Record<string, string>> {
  return distTagsOf(context, inProject(context, project), name);
}

/** As `npmDistTags`, of all projects below a group; of a tag that several have, that of the version that was published last. */
export function npmDistTagsOfGroup(context: Context, group: GroupRow, name: string): Promise<Record<string, string>> {
  return distTagsOf(context, inGroup(context, group), name);
}

/** As `npmDistTags`, of all projects of the server; of a tag that several have, that of the version that was published last. */
export function npmDistTagsOfServer(context: Context, name: string): Promise<Record<string, string>> {
  return distTagsOf(context, onServer(context), name);
}

async function distTagsOf(context: Context, places: Places, name: string): Promise<Record<string, string>> {
  const found = name.includes('\0') ? [] : await anyVersion(context, places, name);
  if (found.length === 0) throw new NotFound('Package');
  return tagsOf(context, places, name);
}

function anyVersion({ db }: Context, { before, has }: Places, name: string) {
  return db.$queryRaw<unknown[]>`
    WITH ${before} found AS (SELECT FROM packages WHERE ${has(sql`project_id`)} AND type = 'npm' AND name = ${name} LIMIT 1)
    SELECT FROM found`;
}

async function tagsOf({ db }: Context, { before, has }: Places, name: string): Promise<Record<string, string>> {
  const found = await db.$queryRaw<{ name: string; version: string }[]>`
    WITH ${before} tags AS (${tagsIn(has, name)}) SELECT name, version FROM tags ORDER BY name`;
  return Object.fromEntries(found.map((tag) => [tag.name, tag.version]));
}

/** The tags of a package, each with the version that it leads to. */
function tagsIn(has: Places['has'], name: string): Prisma.Sql {
  return sql`SELECT DISTINCT ON (t.name) t.name, k.version FROM package_tags t JOIN packages k ON k.id = t.package_id
    WHERE ${has(sql`t.project_id`)} AND t.package_name = ${name} AND k.status = 'default'
    ORDER BY t.name, k.id DESC LIMIT ${MAX_TAGS}`;
}

/** Identifies a tag of an npm package. */
export interface NpmTag {
  packageName: string;
  tag: string;
}

/** Has a tag lead to a version. Throws NotFound, Forbidden, BadRequest. */
export async function setNpmDistTag(
  context: Context,
  ref: IdOrPath,
  { packageName, tag, version }: NpmTag & { version: string },
): Promise<void> {
  const { project } = await publishableProject(context, ref);
  if (tag.length > MAX_LENGTHS.tag || !TAG.test(tag)) throw invalid('tag');
  const where = { projectId: project.id, type: 'npm', name: packageName, version } as const;
  const isNul = [packageName, version].some((text) => text.includes('\0'));
  const found = isNul ? null : await context.db.package.findFirst({ where, select: { id: true } });
  if (!found) throw new NotFound('Package');
  const key = { projectId: project.id, packageName, name: tag };
  await context.db.$transaction((tx) => point(tx, key, found.id));
}

/** Removes a tag; the version stays. Throws NotFound, Forbidden. */
export async function deleteNpmDistTag(context: Context, ref: IdOrPath, { packageName, tag }: NpmTag): Promise<void> {
  const { project } = await publishableProject(context, ref);
  const where = { projectId: project.id, packageName, name: tag };
  const isNul = [packageName, tag].some((text) => text.includes('\0'));
  const { count } = isNul ? { count: 0 } : await context.db.packageTag.deleteMany({ where });
  if (count === 0) throw new NotFound('PackageTag');
}

type Tags = Pick<Context['db'], 'packageTag'>;

/** Throws BadRequest for too many tags. */
async function point(
  tx: Tags,
  key: { projectId: number; packageName: string; name: string },
  packageId: number,
): Promise<void> {
  const { projectId, packageName, name } = key;
  const others = await tx.packageTag.count({ where: { projectId, packageName, NOT: { name } } });
  if (others >= MAX_TAGS) throw new BadRequest(`a package has at most ${MAX_TAGS} tags`, 'tag').as('limitReached');
  await tx.packageTag.upsert({
    where: { projectId_packageName_name: key },
    create: { ...key, packageId },
    update: { packageId },
  });
}

/** What is published, checked. Throws BadRequest. */
function read({ name, versions, distTags, attachments }: NpmPublication) {
  const [[version, manifest] = ['', null], ...more] = Object.entries(versions);
  if (!isRecord(manifest) || more.length > 0) throw new BadRequest('versions must hold one version', 'versions');
  requireNpmVersion(name, version, manifest);
  const [attachment, ...others] = Object.values(attachments);
  const encoded = isRecord(attachment) ? attachment.data : undefined;
  if (typeof encoded !== 'string' || others.length > 0)
    throw new BadRequest('_attachments must hold one file', 'attachments');
  const data = Buffer.from(encoded, 'base64');
  const length = isRecord(attachment) ? attachment.length : undefined;
  if (data.length === 0 || (length !== undefined && length !== data.length)) throw invalid('_attachments');
  const tags = Object.keys(distTags).filter((tag) => distTags[tag] === version);
  if (tags.some((tag) => tag.length > MAX_LENGTHS.tag || !TAG.test(tag))) throw invalid('dist-tags');
  return { name, version, manifest, data, tags };
}

/** Throws BadRequest for a name, a version or a manifest that no package can have. */
function requireNpmVersion(name: string, version: string, manifest: Json): void {
  if (name.length > MAX_LENGTHS.name || !NAME.test(name)) throw invalid('name');
  if (version.length > MAX_LENGTHS.version || !VERSION.test(version)) throw invalid('version');
  if (manifest.name !== name || manifest.version !== version) throw invalid('versions');
  const text = JSON.stringify(manifest);
  if (text.length > MAX_LENGTHS.manifest) throw new BadRequest('versions is too large', 'versions');
  if (text.includes('\\u0000')) throw invalid('versions');
}

/** Whether a text can be a tag of a package, or the reason why a version is not to be used. */
export const isNpmTag = (text: string) => text.length <= MAX_LENGTHS.tag && TAG.test(text);
export const isNpmReason = (text: string) => text.length <= MAX_REASON_LENGTH && !text.includes('\0');

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(parameter: string): BadRequest {
  return new BadRequest(`${parameter} is invalid`, parameter, 'valueInvalid');
}

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
