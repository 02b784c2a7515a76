import path from 'node:path';
import { lockOwner } from '#src/domain/repository/lock.ts';
import type { RepositoryPlace, RepositoryStore } from '#src/domain/repository/store.ts';
import { compareNames, decodeName, encodeName } from '#src/git/base/names.ts';
import { RefReader } from '#src/git/refs/read.ts';
import type { Exclusion } from '#src/platform/database/exclude.ts';
import type { Snapshot } from '#src/platform/database/snapshot.ts';
import type { Archive } from './archive.ts';
import type { Known } from './known.ts';
import type { Missing } from './manifest.ts';
import { objectFiles } from './objects.ts';
import { isThere } from './present.ts';

/** What files are copied from, and what is recorded about them. */
export interface Sources {
  archive: Archive;
  snapshot: Snapshot;
  exclusion: Exclusion;
  /** Files in earlier backups. */
  known: Known;
  missing: Missing[];
  /** Called with what is being copied. */
  onStep(text: string): void;
}

interface Place extends RepositoryPlace {
  defaultBranch: string | null;
}

/** A snippet with a repository. */
interface SnippetPlace extends RepositoryPlace {
  /** What its branch leads to, in the snapshot; null where the rows are newer. */
  commit: string | null;
}

/** How many rows are read at a time. */
const BATCH_SIZE = 500;

/**
 * Archives the repositories of all projects and snippets: their objects, with the refs in the snapshot. Those are on the disk before they are
 * recorded, and nothing is removed meanwhile.
 */
export async function* archiveRepositories(sources: Sources, repositories: RepositoryStore): AsyncGenerator<Buffer> {
  const [{ count } = { count: 0 }] = await sources.snapshot.query<{ count: number }>(
    `SELECT ((SELECT count(*) FROM projects) + (SELECT count(*) FROM snippets WHERE repository_storage IS NOT NULL)
      + (SELECT count(*) FROM namespaces WHERE wiki_storage IS NOT NULL))::int AS count`,
  );
  let done = 0;
  for await (const place of projects(sources.snapshot)) {
    done += 1;
    sources.onStep(`repository ${done} of ${count}`);
    yield* archiveRepository(sources, repositories.directory(place), place);
    yield* archiveAsNow(sources, repositories, { ...place, wiki: true });
  }
  for await (const place of snippets(sources.snapshot)) {
    done += 1;
    sources.onStep(`repository ${done} of ${count}`);
    yield* archiveSnippet(sources, repositories, place);
  }
  const wikis = await sources.snapshot.query<RepositoryPlace>(
    `SELECT id, wiki_storage AS "repositoryStorage", true AS wiki, 'group' AS owner FROM namespaces
      WHERE wiki_storage IS NOT NULL ORDER BY id`,
  );
  for (const place of wikis) {
    done += 1;
    sources.onStep(`repository ${done} of ${count}`);
    yield* archiveAsNow(sources, repositories, place);
  }
}

async function* projects(snapshot: Snapshot): AsyncGenerator<Place> {
  for (let last = 0; ; ) {
    const rows = await snapshot.query<Place>(
      `SELECT id, repository_storage AS "repositoryStorage", default_branch AS "defaultBranch" FROM projects
        WHERE id > $1 ORDER BY id LIMIT ${BATCH_SIZE}`,
      [last],
    );
    yield* rows;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) return;
  }
}

async function* snippets(snapshot: Snapshot): AsyncGenerator<SnippetPlace> {
  for (let last = 0; ; ) {
    const rows = await snapshot.query<SnippetPlace>(
      `SELECT id, repository_storage AS "repositoryStorage", repository_commit AS commit, 'snippet' AS owner FROM snippets
        WHERE id > $1 AND repository_storage IS NOT NULL ORDER BY id LIMIT ${BATCH_SIZE}`,
      [last],
    );
    yield* rows;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) return;
  }
}

async function* archiveRepository(sources: Sources, directory: string, place: Place): AsyncGenerator<Buffer> {
  const { archive, exclusion, missing } = sources;
  const root = repositoryPath(place);
  const refs = await recordedRefs(sources.snapshot, place.id);
  const found = await isThere(path.join(directory, 'HEAD'));
  if (found) {
    const head =
      place.defaultBranch === null ? await new RefReader(directory).head() : `refs/heads/${place.defaultBranch}`;
    yield* archive.addBytes(
      `${root}/HEAD`,
      Buffer.concat([Buffer.from('ref: '), encodeName(head ?? 'refs/heads/master'), Buffer.from('\n')]),
    );
    yield* archive.addBytes(`${root}/packed-refs`, packedRefs(refs));
    yield* exclusion.whileUntouched(place.id, archiveObjects(sources, directory, root));
  }
  // A repository is only removed after its project was marked as deleted.
  const gone = !(await exclusion.isAlive(place.id));
  if (gone || (!found && refs.length > 0)) missing.push({ kind: 'repository', projectId: place.id, path: root, gone });
}

/** Archives the repository of a snippet, with its branch as the rows of the snapshot have it. */
async function* archiveSnippet(
  sources: Sources,
  repositories: RepositoryStore,
  place: SnippetPlace,
): AsyncGenerator<Buffer> {
  const found = await isThere(path.join(repositories.directory(place), 'HEAD'));
  if (found) yield* archiveAsNow(sources, repositories, place, place.commit);
  // The texts are in the database: only the history is missing. What was deleted after the snapshot is removed from the disk at once.
  if (!found && (await sources.exclusion.finds('SELECT 1 FROM snippets WHERE id = $1', [place.id])))
    sources.missing.push({ kind: 'repository', projectId: 0, path: repositoryPath(place), gone: false });
}

/**
 * Archives a repository as it is now, if it is there: its refs are not recorded elsewhere. They are read before the objects, which are never
 * removed meanwhile, so that all that they lead to is there.
 *
 * @param commit what the only branch led to, if that is known
 */
async function* archiveAsNow(
  sources: Sources,
  repositories: RepositoryStore,
  place: RepositoryPlace,
  commit: string | null = null,
): AsyncGenerator<Buffer> {
  const directory = repositories.directory(place);
  if (!(await isThere(path.join(directory, 'HEAD')))) return;
  const { archive, exclusion } = sources;
  const root = repositoryPath(place);
  const refs = new RefReader(directory);
  const head = (await refs.head()) ?? 'refs/heads/master';
  const listed = (await refs.list('refs/')).map(({ name, target }) => ({ name, oid: target }));
  if (commit !== null) listed.splice(0, listed.length, { name: head, oid: commit });
  yield* archive.addBytes(`${root}/HEAD`, Buffer.concat([Buffer.from('ref: '), encodeName(head), Buffer.from('\n')]));
  const sorted = listed.sort((left, right) => compareNames(left.name, right.name));
  yield* archive.addBytes(`${root}/packed-refs`, packedRefs(sorted));
  yield* exclusion.whileUntouched(lockOwner(place), archiveObjects(sources, directory, root));
}

async function* archiveObjects({ archive, known }: Sources, directory: string, root: string): AsyncGenerator<Buffer> {
  for await (const { name, size, tag, content } of objectFiles(directory)) {
    const file = `${root}/objects/${name}`;
    if (tag !== undefined && known.take(file, size, tag)) continue;
    yield* archive.add(file, size, content(), tag);
  }
}

/** The directory of a repository in a backup. */
function repositoryPath({ id, repositoryStorage, wiki, owner }: RepositoryPlace): string {
  return `repositories/${repositoryStorage}/${owner ? `${owner}-` : ''}${id}${wiki ? '.wiki' : ''}.git`;
}

async function recordedRefs(snapshot: Snapshot, projectId: number): Promise<{ name: string; oid: string }[]> {
  const rows = await snapshot.query<{ name: string; oid: string }>(
    'SELECT name, oid FROM recorded_refs WHERE project_id = $1',
    [projectId],
  );
  return rows
    .map(({ name, oid }) => ({ name: refName(name), oid }))
    .sort((left, right) => compareNames(left.name, right.name));
}

/** Inverse of refKey (src/domain/repository/record.ts). */
function refName(key: string): string {
  const bytes = /^bytes:([0-9a-f]+)$/.exec(key)?.[1];
  return bytes === undefined ? key : decodeName(Buffer.from(bytes, 'hex'));
}

function packedRefs(refs: readonly { name: string; oid: string }[]): Buffer {
  const lines = refs.map(({ name, oid }) =>
    Buffer.concat([Buffer.from(`${oid} `), encodeName(name), Buffer.from('\n')]),
  );
  return Buffer.concat([Buffer.from('# pack-refs with: sorted \n'), ...lines]);
}
