import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { NotUpdated } from '#src/domain/project_archives/again.ts';
import { REPOSITORY, WIKI } from '#src/domain/project_archives/place.ts';
import { SourceRecords } from '#src/domain/project_archives/source_records.ts';
import { takeRepository } from '#src/domain/project_archives/take_repository.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { changeRefs, type RefChange } from '#src/domain/repository/change_refs.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { enqueueMaintenance } from '#src/domain/repository/maintain.ts';
import { keptRef, MERGE_REQUESTS } from '#src/domain/repository/merge_request_refs.ts';
import { branchRefusals } from '#src/domain/repository/protection.ts';
import { refKey } from '#src/domain/repository/record.ts';
import { recordSideSize } from '#src/domain/repository/side_size.ts';
import { repositorySize } from '#src/domain/repository/size.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { openRepository } from '#src/git/open.ts';
import { type Ref, RefReader } from '#src/git/refs/read.ts';
import { secureObjects } from '#src/git/remote/secure.ts';
import type { Transaction } from '#src/platform/database/db.ts';

const BRANCHES = 'refs/heads/';
/** Refs that are changed at once while others wait for the repository. */
const BATCH_SIZE = 500;

/** What became of the refs of a project. */
export interface UpdatedRepository {
  /** The branches whose tips moved or that are new, by their names. */
  moved: string[];
  /** The refs of the source that are remembered, by the kinds `refs` and `wiki_refs`. */
  taken: ReadonlyMap<string, readonly Ref[]>;
  notUpdated: NotUpdated[];
}

/**
 * Moves the branches and tags of a project, and of its wiki, to where they are at its source, as far as nobody has changed them here. They
 * are on disk and recorded when this returns. No commit that was made here is lost: what has gone on here stays, and is named. Throws
 * ArchiveInvalid, GitError, and the signal's reason.
 *
 * @param directory with the bundles of what was fetched
 */
export async function updateRepositories(
  context: Context,
  project: ProjectRow,
  directory: string,
  signal: AbortSignal,
): Promise<UpdatedRepository> {
  const taken = new Map<string, readonly Ref[]>();
  const result: UpdatedRepository = { moved: [], taken, notUpdated: [] };
  for (const isWiki of [false, true]) {
    const place = { ...project, wiki: isWiki };
    const fetched = await takeRepository(context, place, path.join(directory, isWiki ? WIKI : REPOSITORY), signal);
    if (fetched === null) continue;
    try {
      const update = new RefUpdate(context, project, isWiki, fetched.draft);
      const { moved, remembered, notUpdated } = await update.run(fetched.refs);
      taken.set(update.kind, remembered);
      result.notUpdated.push(...notUpdated);
      if (!isWiki) result.moved.push(...moved);
    } finally {
      await rm(fetched.draft, { recursive: true, force: true, maxRetries: 3 });
    }
  }
  return result;
}

/** Of one repository. */
class RefUpdate {
  readonly kind: 'refs' | 'wiki_refs';
  readonly #context: Context;
  readonly #project: ProjectRow;
  readonly #isWiki: boolean;
  readonly #draft: string;
  readonly #notUpdated: NotUpdated[] = [];

  constructor(context: Context, project: ProjectRow, isWiki: boolean, draft: string) {
    this.kind = isWiki ? 'wiki_refs' : 'refs';
    this.#context = context;
    this.#project = project;
    this.#isWiki = isWiki;
    this.#draft = draft;
  }

  async run(refs: readonly Ref[]): Promise<{ moved: string[]; remembered: Ref[]; notUpdated: NotUpdated[] }> {
    const place = { ...this.#project, wiki: this.#isWiki };
    const { directory } = await ensureRepository(this.#context, place);
    const keepLock = new PackKeepLock(directory);
    const moved: string[] = [];
    try {
      // With all objects there, it can be told what follows what.
      const tips = refs.map(({ name, target }) => ({ name, from: null, to: target }));
      await secureObjects(keepLock, tips, { sources: [this.#draft], timeout: this.#context.imports.timeout });
      const { changes, remembered } = await this.#wanted(directory, refs);
      for (let at = 0; at < changes.length; at += BATCH_SIZE) {
        const outcomes = await changeRefs(
          this.#context,
          place,
          changes.slice(at, at + BATCH_SIZE),
          (tx, made) => this.#record(tx, directory, made),
          { keepLock },
        );
        for (const { change, error } of outcomes) {
          if (error !== null) this.#leave(change.name, 'It was changed here at the same time.');
          else if (change.name.startsWith(BRANCHES)) moved.push(change.name.slice(BRANCHES.length));
        }
      }
      return { moved: moved.filter((name) => name.isWellFormed()), remembered, notUpdated: this.#notUpdated };
    } finally {
      await keepLock.release();
    }
  }

  /** What is changed, and the refs whose values at the source are remembered from now on: not of those that have to stay. */
  async #wanted(directory: string, refs: readonly Ref[]): Promise<{ changes: RefChange[]; remembered: Ref[] }> {
    const own = new Map((await new RefReader(directory).list('refs/')).map(({ name, target }) => [name, target]));
    const last = new Map<string, string>();
    for await (const some of new SourceRecords(this.#context.db, this.#project.id).each(this.kind)) {
      for (const { key, fields } of some) last.set(key, fields.oid ?? '');
    }
    const forbidden = await branchRefusals(this.#context, requireActor(this.#context), this.#project);
    const reader = await openRepository(directory);
    const changes: RefChange[] = [];
    const remembered: Ref[] = [];
    try {
      for (const ref of refs) {
        const { name, target } = ref;
        const from = own.get(name) ?? null;
        const before = last.get(refKey(name)) ?? null;
        last.delete(refKey(name));
        if (from === null && before !== null) continue; // It was deleted here.
        if (before === null && from !== null && name.startsWith(MERGE_REQUESTS)) continue; // One that was made here.
        const isForward = from === null || from === target || (await reader.isAncestor(from, target));
        const isBranch = name.startsWith(BRANCHES);
        const isUntouched = from === before;
        const hasOnlyGoneOn = !isForward && (target === before || (await reader.isAncestor(target, from)));
        const mayForce =
          isUntouched &&
          (name.startsWith(MERGE_REQUESTS) || (isBranch && forbidden(name.slice(BRANCHES.length), 'force') === null));
        const isMovedTag = name.startsWith('refs/tags/') && from !== null && from !== target;
        if (isForward && (!isMovedTag || isUntouched)) {
          if (from !== target) changes.push({ name, from, to: target });
          remembered.push(ref);
        } else if (mayForce && from !== null) {
          changes.push({ name, from, to: target });
          // Versions of merge requests have the commits that it leaves.
          if (!own.has(keptRef(from))) changes.push({ name: keptRef(from), from: null, to: from });
          own.set(keptRef(from), from);
          remembered.push(ref);
        } else if (!hasOnlyGoneOn) {
          const message = isUntouched
            ? 'It was rewritten at the source, and stays here as it is.'
            : 'It was changed here and at the source, and stays as it is here.';
          this.#leave(name, message);
        }
      }
    } finally {
      await reader.close();
    }
    for (const name of last.keys()) {
      if (own.has(name) && !name.startsWith(MERGE_REQUESTS))
        this.#leave(name, 'It is gone at the source, and stays here.');
    }
    return { changes, remembered };
  }

  #leave(name: string, message: string): void {
    const short = name.replace(/^refs\/(?:heads|tags)\//, '').toWellFormed();
    this.#notUpdated.push({ kind: this.#isWiki ? 'wiki' : 'repository', name: short.slice(0, 255), message });
  }

  /** Records what was moved: as an import does, without events. */
  async #record(tx: Transaction, directory: string, made: readonly RefChange[]): Promise<void> {
    const project = this.#project;
    if (this.#isWiki) return recordSideSize(tx, this.#context, { ...project, wiki: true });
    const rows = JSON.stringify(made.map(({ name, to }) => ({ name: refKey(name), oid: to })));
    await tx.$executeRaw`
      INSERT INTO recorded_refs (project_id, name, oid)
      SELECT ${project.id}, name, oid FROM jsonb_to_recordset(${rows}::jsonb) AS r (name text, oid text)
      ON CONFLICT (project_id, name) DO UPDATE SET oid = EXCLUDED.oid`;
    const tip = made.find(({ name }) => name === `${BRANCHES}${project.defaultBranch}`)?.to;
    const reader = await this.#context.repositories.ensure(project, project.defaultBranch);
    const commits = tip == null ? null : await reader.count({ start: tip });
    const size = await repositorySize(directory);
    await tx.$executeRaw`
      UPDATE project_counters SET commits = COALESCE(${commits}::int, commits), repository_size = COALESCE(${size}::bigint, repository_size)
      WHERE project_id = ${project.id}`;
    await enqueueMaintenance(tx, this.#context, project);
  }
}
