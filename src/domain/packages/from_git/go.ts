import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { compareVersions } from '#src/domain/packages/compare_versions.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type RawContent, readRawArchive } from '#src/domain/repository/raw.ts';
import type { Commit } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { NotFound } from '#src/platform/errors.ts';

/** A module of Go in the repository of a project. */
export interface GoModule {
  project: ProjectRow;
  repository: RepositoryReader;
  /** As `go.mod` says it. */
  path: string;
  /** The directory of the module in the repository; empty for the root. */
  directory: string;
  /** The major version that its path ends with; null for 0 and 1. */
  major: number | null;
}

/** A version of a module, and the commit that it is made of. */
export interface GoVersion {
  version: string;
  commit: Commit;
}

/** Bytes of the longest `go.mod`, entries that are looked through for modules within, and versions of a list. */
const MAX_GO_MOD_BYTES = 256 * 1024;
const MAX_ENTRIES = 50_000;
const MAX_LISTED = 1_000;

const SEMVER = /^v(\d{1,9})\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]+)?$/;
/** A version that names a commit by its time and the beginning of its hash. */
const PSEUDO = /^v(\d{1,9})\.\d{1,9}\.\d{1,9}-(?:[0-9A-Za-z.-]+\.)?(\d{14})-([0-9a-f]{12})$/;

/** The module with a path, which begins with the host and the path of the project. Throws NotFound, Forbidden, Unauthenticated. */
export async function findGoModule(
  context: Context,
  project: ProjectRow,
  { host, path }: { host: string; path: string },
): Promise<GoModule> {
  authorize(context.actor, 'read_package', project);
  authorize(context.actor, 'read_repository', project);
  const root = `${host}/${project.fullPath}`;
  const [, below = '', number] = /^(.*?)(?:\/v([1-9]\d{0,8}))?$/.exec(path.slice(root.length)) ?? [];
  const isWithin = path.toLowerCase().startsWith(root.toLowerCase()) && (below === '' || below.startsWith('/'));
  const repository = isWithin ? await context.repositories.open(project) : null;
  if (!repository || number === '1') throw new NotFound('PackageFile');
  const major = number === undefined ? null : Number(number);
  return { project, repository, path, directory: below.slice(1), major };
}

/** The released versions of a module, in rising order: tags that are versions, below the directory of the module. */
export async function listGoVersions({ repository, directory, major }: GoModule): Promise<string[]> {
  const prefix = directory === '' ? '' : `${directory}/`;
  const names = (await repository.tags()).map(({ name }) => name).filter((name) => name.startsWith(prefix));
  const versions = names.map((name) => name.slice(prefix.length)).filter((version) => isOfMajor(version, major));
  return versions.sort(compareVersions).slice(-MAX_LISTED);
}

/** The version of a module by a tag, a commit in a version, or any revision, whose version names the commit. Throws NotFound. */
export async function findGoVersion(module: GoModule, wanted: string): Promise<GoVersion> {
  const { repository, directory, major } = module;
  const [, number, time, hash] = PSEUDO.exec(wanted) ?? [];
  const isTag = number === undefined && SEMVER.test(wanted);
  if (isTag && !isOfMajor(wanted, major)) throw new NotFound('PackageFile');
  const tag = directory === '' ? wanted : `${directory}/${wanted}`;
  const oid = isTag ? (await repository.tag(tag))?.commit : await repository.resolve(hash ?? wanted);
  const commit = oid ? await repository.commit(oid) : null;
  if (!commit) throw new NotFound('PackageFile');
  if (isTag) return { version: wanted, commit };
  const own = pseudoVersion(commit, major);
  // What is asked for must name the commit wholly, as whoever has it compares it.
  if (number !== undefined && (time !== stamp(commit) || !isOfMajor(wanted, major))) throw new NotFound('PackageFile');
  return { version: number === undefined ? own : wanted, commit };
}

/** The newest release of a module, else the newest version of any kind; without any, the commit of the default branch. Throws NotFound. */
export async function latestGoVersion(module: GoModule): Promise<GoVersion> {
  const versions = await listGoVersions(module);
  const newest = versions.findLast((version) => !version.includes('-')) ?? versions.at(-1);
  return findGoVersion(module, newest ?? 'HEAD');
}

/** The `go.mod` of a version; one that only names the module where there is none. Throws NotFound for that of another module. */
export async function readGoMod({ repository, path, directory }: GoModule, { commit }: GoVersion): Promise<string> {
  const entry = await repository.entry(commit.oid, directory === '' ? 'go.mod' : `${directory}/go.mod`);
  if (entry?.type !== 'blob' && directory === '') return `module ${path}\n`;
  const content = entry?.type === 'blob' ? await repository.blob(entry.oid, MAX_GO_MOD_BYTES) : null;
  const text = content?.toString('utf8');
  const [, quoted, plain] = /^[ \t]*module[ \t]+(?:"([^"\n]+)"|([^\s"]+))/m.exec(text ?? '') ?? [];
  if (text === undefined || (quoted ?? plain) !== path) throw new NotFound('PackageFile');
  return text;
}

/**
 * The files of a version, each below `PATH@VERSION`, without other modules within and what is vendored. Throws NotFound, and as
 * readRawArchive.
 */
export async function readGoArchive(context: Context, module: GoModule, found: GoVersion): Promise<RawContent> {
  await readGoMod(module, found);
  const { project, repository, path, directory } = module;
  const { version, commit } = found;
  const excludePaths = await foreignPaths(repository, commit, directory);
  const archive = { sha: commit.oid, extension: 'zip', prefix: `${path}@${version}`, path: '', excludePaths } as const;
  const fileName = `${version}.zip`;
  return readRawArchive(context, { projectId: project.id, ...archive, root: directory, fileName });
}

/** Directories that are no part of a module: with a `go.mod` of their own, or named `vendor`. Relative to that of the module. */
async function foreignPaths(repository: RepositoryReader, { oid }: Commit, directory: string): Promise<string[]> {
  const page = await repository.treePage(oid, directory, { recursive: true, offset: 0, limit: MAX_ENTRIES });
  if (!page) throw new NotFound('PackageFile');
  const start = directory === '' ? 0 : directory.length + 1;
  const foreign = page.entries.flatMap(({ path, type, name }) => {
    const own = path.slice(start);
    if (type === 'tree' && name === 'vendor') return [own];
    return type === 'blob' && own.endsWith('/go.mod') ? [own.slice(0, -'/go.mod'.length)] : [];
  });
  const all = new Set(foreign);
  return foreign.filter(
    (path) => !path.split('/').some((_, at, parts) => at > 0 && all.has(parts.slice(0, at).join('/'))),
  );
}

function isOfMajor(version: string, major: number | null): boolean {
  const number = SEMVER.exec(version)?.[1];
  return number !== undefined && (major === null ? Number(number) < 2 : Number(number) === major);
}

function pseudoVersion(commit: Commit, major: number | null): string {
  return `v${major ?? 0}.0.0-${stamp(commit)}-${commit.oid.slice(0, 12)}`;
}

/** `20261129173000` of the time of a commit. */
function stamp({ committer }: Commit): string {
  return new Date(committer.seconds * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
}
