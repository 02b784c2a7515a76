import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Actor } from '#src/access/permissions/actor.ts';
import { recordComposerVersion, refsOfComposerVersion } from '#src/domain/packages/from_git/composer.ts';
import { npmFileName } from '#src/domain/packages/npm.ts';
import { chartFileName } from '#src/domain/packages/publications/helm.ts';
import { nugetFileName } from '#src/domain/packages/publications/nuget.ts';
import { normalizedName } from '#src/domain/packages/publications/pypi.ts';
import { gemFileName } from '#src/domain/packages/publications/rubygems.ts';
import { moduleFileName } from '#src/domain/packages/publications/terraform_module.ts';
import type { PublishedBefore } from '#src/domain/packages/publish.ts';
import { publishableProject, requireFitting, requireRoom, StoredContent } from '#src/domain/packages/receive.ts';
import type { PackageType } from '#src/domain/packages/types.ts';
import { SourceRecords } from '#src/domain/project_archives/source_records.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Page, Phase } from '#src/domain/remote_imports/base/source.ts';
import { NpmDocuments } from '#src/domain/remote_imports/registry/npm_documents.ts';
import { publishStored } from '#src/domain/remote_imports/registry/publish_stored.ts';
import {
  MAX_PACKAGE_FILES,
  packageLabel,
  type StagedPackageFile,
  stagedList,
} from '#src/domain/remote_imports/registry/staged.ts';
import { NotWanted, type Room, type Transfer, transferSome } from '#src/domain/remote_imports/registry/transfer.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { DomainError } from '#src/platform/errors.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/**
 * Publishes the files of packages that were staged, one by one, as far as they are not there yet.
 *
 * @param repository the fetched one; null without one
 */
export function packagesPhase(transfer: Transfer, repository: RepositoryReader | null): Phase {
  let packages: Promise<PackageTransfer> | undefined;
  return {
    name: 'package_contents',
    part: 'packages',
    async page(context, cursor): Promise<Page> {
      const files = await stagedList<StagedPackageFile>(context, 'package_files', MAX_PACKAGE_FILES, ({ id }) => id);
      if (files.length === 0) return { records: [], next: null, seen: 0, total: 0 };
      const by = await publishableProject(transfer.context, transfer.projectId).catch((error) => {
        if (error instanceof DomainError) return error;
        throw error;
      });
      if (by instanceof Error) {
        const leftOut = [{ kind: 'packages', name: null, message: by.message }];
        return { records: [], leftOut, next: null, seen: 0, total: files.length };
      }
      packages ??= PackageTransfer.open(transfer, repository);
      const opened = await packages;
      const nameOf = (file: StagedPackageFile) => `${packageLabel(file)} ${file.file_name}`.trim();
      return transferSome(transfer, files, cursor, 'packages', nameOf, (file, room) => opened.take(by, file, room));
    },
  };
}

/** What a file is called here, and its version. */
interface Place {
  type: PackageType;
  name: string;
  version: string;
  fileName: string;
}

/** The names here of what is staged: some kinds have one way to write them alone. */
function placeOf({ type: given, name, version, file_name: fileName }: StagedPackageFile): Place {
  const type = given as PackageType;
  const own = { type, name, version, fileName };
  if (type === 'pypi') return { ...own, name: normalizedName(name) };
  if (type === 'npm') return { ...own, fileName: npmFileName(own) };
  if (type === 'helm') return { ...own, fileName: chartFileName(own) };
  if (type === 'nuget') return { ...own, fileName: nugetFileName(own) };
  if (type === 'rubygems') return { ...own, fileName: gemFileName(own) };
  return type === 'terraform_module' ? { ...own, fileName: moduleFileName(own) } : own;
}

const CONFLICT = 'A version like this was published here, which stays as it is.';

class PackageTransfer {
  readonly #transfer: Transfer;
  readonly #repository: RepositoryReader | null;
  readonly #documents: NpmDocuments;
  /** The packages and files that came, also those that are no longer here: what names them at the source, and their IDs here. */
  readonly #packages = { keys: new Set<string>(), ids: new Set<number>() };
  readonly #files = { keys: new Set<string>(), ids: new Set<number>() };

  private constructor(transfer: Transfer, repository: RepositoryReader | null) {
    this.#transfer = transfer;
    this.#repository = repository;
    this.#documents = new NpmDocuments(transfer.phases.client);
  }

  static async open(transfer: Transfer, repository: RepositoryReader | null): Promise<PackageTransfer> {
    const opened = new PackageTransfer(transfer, repository);
    const source = new SourceRecords(transfer.context.db, transfer.projectId);
    for await (const some of source.each('packages'))
      for (const { key, recordId } of some) noted(opened.#packages, key, recordId);
    for await (const some of source.each('package_files'))
      for (const { key, recordId } of some) noted(opened.#files, key, recordId);
    return opened;
  }

  /** Publishes a file, unless it came before. Returns why it stays behind, null if it does not. */
  async take(by: { actor: Actor; project: ProjectRow }, file: StagedPackageFile, room: Room): Promise<string | null> {
    if (this.#files.keys.has(file.id)) return null;
    const found = await this.#here(file);
    if (found !== 'absent') return found === 'conflict' ? CONFLICT : null;
    const { context, projectId, staging } = this.#transfer;
    if (file.type === 'composer') return this.#takeFromGit(by, file);
    if (file.url === null || !URL.canParse(file.url)) return 'Its address is not valid.';
    const { packageFileBytes } = context.repositories.limits;
    const most = Math.min(file.size ?? packageFileBytes, packageFileBytes, room.left);
    requireFitting(context, file.size ?? 0);
    room.require(file.size ?? 0);
    await requireRoom(context, projectId, file.size ?? 0);
    const draft = path.join(staging.directory, 'package.new');
    await mkdir(staging.directory, { recursive: true });
    try {
      const size = await this.#transfer.phases.client.file(new URL(file.url), draft, most, { accept: '*/*' });
      room.fetched += size;
      if (file.size !== null && size !== file.size) return `It has ${size} bytes, and not ${file.size}.`;
      const received = { name: path.posix.basename(file.file_name), size, content: createReadStream(draft) };
      await using stored = await StoredContent.receive(context, projectId, received);
      requireChecksums(file, stored);
      await stored.recordedBy(() =>
        this.#recorded(file, (before) => publishStored(context, by, file, stored, this.#documents, before)),
      );
      return null;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** A version that is made of a tag or branch, whose commit came with the repository. */
  async #takeFromGit(
    by: { actor: Actor; project: ProjectRow },
    { version, name, ...file }: StagedPackageFile,
  ): Promise<string | null> {
    const repository = this.#repository;
    for (const ref of repository ? refsOfComposerVersion(version) : []) {
      const found = 'tag' in ref ? await repository?.tag(ref.tag) : await repository?.branch(ref.branch);
      if (!found?.commit || !repository) continue;
      const made = { repository, sha: found.commit, version, expected: name };
      await this.#recorded({ ...file, name, version }, (before) =>
        recordComposerVersion(this.#transfer.context, by, made, before),
      );
      return null;
    }
    return 'The repository has no tag or branch that it is made of.';
  }

  /**
   * Whether the version, or the file, is here: `known` for what came from there or is the same, also for what was deleted here; `conflict`
   * for what was published here.
   */
  async #here(file: StagedPackageFile): Promise<'absent' | 'known' | 'conflict'> {
    const { context, projectId } = this.#transfer;
    const { type, name, version, fileName } = placeOf(file);
    const own = await context.db.package.findFirst({ where: { projectId, type, name, version }, select: { id: true } });
    // A package that was deleted here is not made again.
    if (own === null) return this.#packages.keys.has(file.package_id) ? 'known' : 'absent';
    const newest = await context.db.packageFile.findFirst({
      where: { packageId: own.id, fileName },
      select: { id: true, sha256: true },
      orderBy: { id: 'desc' },
    });
    const isOfSource = this.#packages.ids.has(own.id);
    if (newest !== null && newest.sha256 === file.sha256) {
      await this.#remember(file, { packageId: own.id, fileId: newest.id });
      return 'known';
    }
    if (!isOfSource) return 'conflict';
    return newest !== null && !this.#files.ids.has(newest.id) ? 'conflict' : 'absent';
  }

  #remember(file: StagedPackageFile, ids: { packageId: number; fileId: number | null }): Promise<void> {
    return this.#recorded(file, ({ andThen }) => this.#transfer.context.db.$transaction((tx) => andThen(tx, ids)));
  }

  /** Records a file with what names it at the source, in one transaction: none comes twice. */
  async #recorded(file: StagedPackageFile, record: (before: PublishedBefore) => Promise<unknown>): Promise<void> {
    const { projectId, hold } = this.#transfer;
    const { package_id: packageKey, user_id: user } = file;
    let ids: { packageId: number; fileId: number | null } | undefined;
    await record({
      versionAt: timeFrom(file.created_at),
      fileAt: timeFrom(file.file_created_at),
      andThen: async (tx, { packageId, fileId }) => {
        if (!(await hold(tx))) throw new NotWanted();
        const source = new SourceRecords(tx, projectId);
        const fields: Record<string, string> = user === null ? {} : { user: String(user) };
        await source.remember('packages', [{ key: packageKey, recordId: packageId, otherId: null, fields }]);
        await source.remember('package_files', [{ key: file.id, recordId: fileId, otherId: null, fields: {} }]);
        ids = { packageId, fileId };
      },
    });
    noted(this.#packages, packageKey, ids?.packageId ?? null);
    noted(this.#files, file.id, ids?.fileId ?? null);
  }
}

const timeFrom = (text: string | null) => (text === null ? null : new Date(text));

function noted(known: { keys: Set<string>; ids: Set<number> }, key: string, id: number | null): void {
  known.keys.add(key);
  if (id !== null) known.ids.add(id);
}

/** Throws RemoteRefused for a content that is not what the source says of it. */
function requireChecksums(file: StagedPackageFile, { checksums }: StoredContent): void {
  for (const digest of ['sha256', 'sha1', 'md5'] as const) {
    const said = file[digest];
    if (said !== null && said !== checksums[digest]) throw new RemoteRefused('It is not what its checksum says.');
  }
}
