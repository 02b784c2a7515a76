import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/permissions/actor.ts';
import { ensureRepository, type ImageRepository, openName } from '#src/domain/container_registry/access.ts';
import { findBlob, mountBlob } from '#src/domain/container_registry/blobs.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import { type Descriptor, type ParsedManifest, parseManifest } from '#src/domain/container_registry/manifest.ts';
import { findManifest, type ManifestRow, putManifest } from '#src/domain/container_registry/manifests.ts';
import { imagePath, referenceOf } from '#src/domain/container_registry/names.ts';
import { requireRoom } from '#src/domain/container_registry/size.ts';
import { beginUpload, finishUpload, removeUploads } from '#src/domain/container_registry/uploads.ts';
import { SourceRecords } from '#src/domain/project_archives/source_records.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { LeftOut, Page, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { isRepositoryName, OciSource } from '#src/domain/remote_imports/registry/oci_source.ts';
import { cutOff, type StagedImageTag, stagedList } from '#src/domain/remote_imports/registry/staged.ts';
import { NotWanted, type Room, type Transfer, transferSome } from '#src/domain/remote_imports/registry/transfer.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Repositories and tags of one import; manifests and blobs of one tag; how deep indexes list others. */
const MAX_REPOSITORIES = 1_000;
const MAX_TAGS = 20_000;
const MAX_MANIFESTS = 1_000;
const MAX_BLOBS = 5_000;
const MAX_DEPTH = 4;

/** A repository of images at its source, as it is staged. */
export type StagedImageRepository = Omit<StagedImageTag, 'tag'>;

const KIND = 'images';

/** The registries that an import asks, each with one client. */
class Registries {
  readonly #transfer: Transfer;
  readonly #sources = new Map<string, OciSource>();

  constructor(transfer: Transfer) {
    this.#transfer = transfer;
  }

  of(registry: string): OciSource {
    const { context, phases, token, signal } = this.#transfer;
    const { server, gitUser: user } = phases.project;
    const own =
      this.#sources.get(registry) ?? new OciSource({ registry, server, user, token, imports: context.imports, signal });
    this.#sources.set(registry, own);
    return own;
  }

  close(): void {
    for (const source of this.#sources.values()) source.close();
  }
}

/** The phases that bring images along: the tags of each staged repository, and then what each leads to. */
export function imagesPhases(transfer: Transfer): { phases: Phase[]; close(): void } {
  const registries = new Registries(transfer);
  const phases: Phase[] = [
    { name: 'container_tags', part: KIND, page: (context, cursor) => tagsPage(context, registries, cursor) },
    {
      name: KIND,
      part: KIND,
      async page(context, cursor): Promise<Page> {
        const keyOf = ({ repository, tag }: StagedImageTag) => `${repository}:${tag}`;
        const tags = await stagedList<StagedImageTag>(context, 'container_tags', MAX_TAGS, keyOf);
        return transferSome(transfer, tags, cursor, KIND, keyOf, (tag, room) =>
          new ImageTransfer(transfer, registries.of(tag.registry), tag, room).run(),
        );
      },
    },
  ];
  return { phases, close: () => registries.close() };
}

/** The tags of one repository after the other; the cursor counts repositories, and has what is asked for next. */
async function tagsPage(context: PhaseContext, registries: Registries, cursor: string | null): Promise<Page> {
  const repositories = await stagedList<StagedImageRepository>(
    context,
    'container_repositories',
    MAX_REPOSITORIES,
    ({ repository }) => repository,
  );
  const [at, query]: [number, string | null] = cursor === null ? [0, null] : JSON.parse(cursor);
  const own = repositories[at];
  const total = repositories.length;
  if (own === undefined) return { records: [], next: null, seen: 0, total };
  const after = at + 1 < total ? JSON.stringify([at + 1, null]) : null;
  const leftOut: LeftOut[] = after === null && query === null ? cutOff(repositories, KIND) : [];
  try {
    if (!isRepositoryName(own.repository)) throw new RemoteRefused('Its name is not that of a repository.');
    const { names, next } = await registries.of(own.registry).tags(own.repository, query);
    const records: StagedRecord[] = [];
    for (const tag of names) {
      if (/^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/.test(tag))
        records.push({ kind: 'container_tags', record: { ...own, tag } });
      else leftOut.push({ kind: KIND, name: `${own.repository}:${tag}`, message: 'Its name is not that of a tag.' });
    }
    const following = next === null ? after : JSON.stringify([at, next]);
    return { records, leftOut, next: following, seen: next === null ? 1 : 0, total };
  } catch (error) {
    if (!(error instanceof RemoteRefused)) throw error;
    leftOut.push({ kind: KIND, name: own.repository.slice(0, 300), message: error.message });
    return { records: [], leftOut, next: after, seen: 1, total };
  }
}

/** Gives the project an image: what it consists of first, by its digests, and the tag in the end. */
class ImageTransfer {
  readonly #transfer: Transfer;
  readonly #context: Context;
  readonly #source: OciSource;
  readonly #image: StagedImageTag;
  readonly #room: Room;
  #manifests = 0;
  #blobs = 0;

  constructor(transfer: Transfer, source: OciSource, image: StagedImageTag, room: Room) {
    this.#transfer = transfer;
    this.#context = transfer.context;
    this.#source = source;
    this.#image = image;
    this.#room = room;
  }

  /** Returns why the tag stays behind; null if it does not. Throws RemoteRefused, RemoteUnavailable, RegistryError, DomainError. */
  async run(): Promise<string | null> {
    const { context, projectId, hold } = this.#transfer;
    if (!(await context.db.$transaction((tx) => hold(tx)))) throw new NotWanted();
    const { repository: there, name, tag } = this.#image;
    const project = await findProject(context, projectId);
    const repository = await ensureRepository(
      context,
      await openName(context, imagePath(project.fullPath, name), 'push'),
    );
    const source = new SourceRecords(context.db, projectId);
    const key = `${there}:${tag}`;
    const last = (await source.find('container_tags', [key])).get(key)?.fields.digest;
    const here = await manifestHere(context, repository, tag);
    // It was deleted here.
    if (here === null && last !== undefined) return null;
    const { content, type } = await this.#read(tag);
    const manifest = parseManifest(content, type);
    if (here !== null && here.digest !== manifest.digest && here.digest !== last) {
      return last === manifest.digest ? null : 'The tag was set here, and stays as it is.';
    }
    if (here?.digest !== manifest.digest) {
      await this.#takeParts(repository, manifest, 1);
      await putManifest(context, repository, referenceOf(tag), { content, type });
    }
    const fields = { digest: manifest.digest };
    await source.remember('container_tags', [{ key, recordId: null, otherId: null, fields }]);
    return null;
  }

  /** A manifest; each counts. */
  #read(reference: string): Promise<{ content: Buffer; type: string }> {
    this.#manifests += 1;
    if (this.#manifests > MAX_MANIFESTS) throw new RemoteRefused(`It has more than ${MAX_MANIFESTS} manifests.`);
    return this.#source.manifest(this.#image.repository, reference);
  }

  /** Takes what a manifest lists, as far as the repository does not have it. */
  async #takeParts(repository: ImageRepository, { blobs, manifests }: ParsedManifest, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw new RemoteRefused(`Its indexes list others more than ${MAX_DEPTH} levels deep.`);
    for (const { digest } of manifests) {
      if ((await manifestHere(this.#context, repository, digest)) !== null) continue;
      const { content, type } = await this.#read(digest);
      const manifest = parseManifest(content, type);
      if (manifest.digest !== digest) throw new RemoteRefused('A manifest is not what its digest says.');
      await this.#takeParts(repository, manifest, depth + 1);
      await putManifest(this.#context, repository, { digest }, { content, type });
    }
    for (const blob of blobs) await this.#takeBlob(repository, blob);
  }

  async #takeBlob(repository: ImageRepository, { digest, size }: Descriptor): Promise<void> {
    const { context, projectId, staging } = this.#transfer;
    this.#blobs += 1;
    if (this.#blobs > MAX_BLOBS) throw new RemoteRefused(`It has more than ${MAX_BLOBS} layers.`);
    if (await isHere(context, repository, digest)) return;
    await requireRoom(context, projectId, { bytes: size, more: size });
    this.#room.require(size);
    const draft = path.join(staging.directory, 'blob.new');
    try {
      await this.#source.blob(this.#image.repository, { digest, size }, draft);
      this.#room.fetched += size;
      const { id } = await beginUpload(context, repository);
      const part = { content: createReadStream(draft), length: size, start: 0 };
      try {
        await finishUpload(context, repository, id, { digest, part });
      } catch (error) {
        await removeUploads(context, [id]);
        throw error;
      }
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** The manifest that a tag or a digest leads to here; null if there is none. */
async function manifestHere(
  context: Pick<Context, 'db'>,
  repository: ImageRepository,
  reference: string,
): Promise<ManifestRow | null> {
  return findManifest(context, repository, referenceOf(reference)).catch(nullWhereUnknown);
}

/** Whether a repository has a blob: it gets one that another repository of the project has. */
async function isHere(context: Context, repository: ImageRepository, digest: string): Promise<boolean> {
  if ((await findBlob(context, repository, digest).catch(nullWhereUnknown)) !== null) return true;
  const [other] = await context.db.$queryRaw<{ id: number; name: string }[]>`
    SELECT r.id, r.name FROM container_repositories r
      JOIN container_repository_blobs l ON l.repository_id = r.id JOIN container_blobs b ON b.id = l.blob_id
    WHERE r.project_id = ${repository.project.id} AND b.digest = ${digest} LIMIT 1`;
  if (!other) return false;
  await mountBlob(context, repository, { ...repository, ...other }, digest);
  return true;
}

function nullWhereUnknown(error: unknown): null {
  const isUnknown = error instanceof RegistryError && ['MANIFEST_UNKNOWN', 'BLOB_UNKNOWN'].includes(error.code);
  if (isUnknown) return null;
  throw error;
}
