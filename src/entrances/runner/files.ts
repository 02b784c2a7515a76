import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FormBody, RunnerApi } from '#src/entrances/runner/api.ts';
import { writeArchive } from '#src/entrances/runner/archive.ts';
import { type Collected, collect, collectNamed } from '#src/entrances/runner/collect.ts';
import { expand, type Values } from '#src/entrances/runner/environment.ts';
import type { JobArtifacts, JobCache, JobDependency, JobPayload } from '#src/entrances/runner/payload.ts';
import { writeReport } from '#src/entrances/runner/reports.ts';
import { BadArchive, unpack } from '#src/entrances/runner/unpack.ts';

/** Where a job works, and how it logs. */
export interface Room {
  api: RunnerApi;
  job: JobPayload;
  /** The working copy. */
  project: string;
  /** For the runner's own files. */
  temporary: string;
  /** Directory of the caches of all jobs. */
  caches: string;
  variables: Values;
  say(line: string): void;
  /** Names of the files not tracked by git. */
  untracked(): Promise<string[]>;
}

/** Unpacks the artifacts of the jobs that this one depends on. Throws Error if they are not available. */
export async function fetchDependencies(room: Room): Promise<void> {
  for (const dependency of room.job.dependencies ?? []) {
    if (dependency.artifacts_file) await fetchOne(room, dependency);
  }
}

async function fetchOne({ api, project, temporary, say }: Room, { id, name, token }: JobDependency): Promise<void> {
  say(`Downloading artifacts of ${name} (${id})…`);
  const archive = path.join(temporary, 'dependency.zip');
  await pipeline(await api.downloadArtifacts(id, token), createWriteStream(archive));
  await unpack(archive, project, say);
  await rm(archive);
}

/** Uploads the artifacts of the job if they are wanted for this outcome. Throws JobGone, Refused. */
export async function sendArtifacts(room: Room, isSuccess: boolean): Promise<void> {
  for (const artifacts of room.job.artifacts ?? []) {
    const when = artifacts.when ?? 'on_success';
    if (when === 'always' || (when === 'on_failure') === !isSuccess) await sendOne(room, artifacts);
  }
}

async function sendOne(room: Room, wanted: JobArtifacts): Promise<void> {
  const { api, job, temporary, variables, say } = room;
  const files = (await filesOf(room, wanted)).filter(({ name }) => !isExcluded(room, wanted, name));
  const type = wanted.artifact_type ?? 'archive';
  const what = type === 'archive' ? 'artifacts' : `the ${type} report`;
  if (files.length === 0) return say(`No files to upload as ${what}.`);
  const archive = path.join(temporary, 'artifacts');
  const format = formatOf(wanted);
  const size =
    format === 'zip'
      ? await writeArchive(room.project, files, archive)
      : await writeReport(room.project, files, format, archive);
  say(`Uploading ${what}: ${files.length} ${files.length === 1 ? 'file' : 'files'}, ${size} bytes…`);
  const name = `${expand(wanted.name ?? '', variables).replace(/[^\w.+-]/g, '_') || 'artifacts'}${ENDINGS[format]}`;
  const query = {
    ...(wanted.expire_in == null ? {} : { expire_in: wanted.expire_in }),
    ...(type === 'archive' ? {} : { artifact_type: type, artifact_format: format }),
  };
  await api.uploadArtifacts(job, { size, query, form: () => formOf(archive, name) });
  await rm(archive);
}

const ENDINGS = { zip: '.zip', gzip: '.gz', raw: '' } as const;

function formatOf({ artifact_format: format }: JobArtifacts): keyof typeof ENDINGS {
  return format === 'gzip' || format === 'raw' ? format : 'zip';
}

function isExcluded({ variables }: Room, { exclude }: JobArtifacts, name: string): boolean {
  return (exclude ?? []).some((pattern) => path.posix.matchesGlob(name, expand(pattern, variables)));
}

/** A multipart body with one file, streamed. */
function formOf(archive: string, name: string): FormBody {
  const boundary = `gantry-${randomUUID()}`;
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
    );
    yield* createReadStream(archive);
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Readable.toWeb(Readable.from(body())) as FormBody['body'],
  };
}

/** Unpacks the caches that earlier jobs of the project saved under this job's keys. A missing cache is not an error. */
export async function restoreCache(room: Room): Promise<void> {
  for (const cache of room.job.cache ?? []) {
    if (policyOf(room, cache) === 'push') continue;
    const key = await findKey(room, cache);
    if (key === null) continue;
    const file = cacheFile(room, key);
    room.say(`Restoring the cache ${key}…`);
    try {
      await unpack(file, room.project, room.say);
    } catch (error) {
      if (!(error instanceof BadArchive)) throw error;
      room.say(`WARNING: The cache cannot be used: ${error.message}`);
      await rm(file, { force: true });
    }
  }
}

/** The first of a cache's keys under which there is something; null if there is none. */
async function findKey(room: Room, cache: JobCache): Promise<string | null> {
  const fallbacks = (cache.fallback_keys ?? []).map((key) => expand(key, room.variables));
  for (const key of [keyOf(room, cache), ...fallbacks]) {
    if (await stat(cacheFile(room, key)).catch(() => null)) return key;
  }
  return null;
}

/** Saves files for later jobs of the project. */
export async function saveCache(room: Room): Promise<void> {
  for (const cache of room.job.cache ?? []) {
    if (policyOf(room, cache) === 'pull') continue;
    const files = await filesOf(room, cache);
    if (files.length === 0) continue;
    room.say(`Saving the cache ${keyOf(room, cache)}: ${files.length} ${files.length === 1 ? 'file' : 'files'}…`);
    const archive = path.join(room.temporary, 'cache.zip');
    await writeArchive(room.project, files, archive);
    const file = cacheFile(room, keyOf(room, cache));
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    // Other jobs read the old file or the new one, each complete.
    const beside = `${file}.${room.job.id}`;
    await copyFile(archive, beside);
    await rename(beside, file);
    await rm(archive);
  }
}

function policyOf({ variables }: Room, { policy }: JobCache): string {
  return expand(policy ?? '', variables);
}

/** The path of a cache; keys can neither lead out of the directory nor to caches of other projects. */
function cacheFile(room: Room, key: string): string {
  const name = createHash('sha256').update(key).digest('hex');
  return path.join(room.caches, String(room.job.job_info.project_id), `${name}.zip`);
}

function keyOf({ variables }: Room, { key }: JobCache): string {
  return expand(key ?? '', variables) || 'default';
}

async function filesOf(
  room: Room,
  wanted: { paths?: string[] | null; untracked?: boolean | null },
): Promise<Collected[]> {
  const { project, variables, say } = room;
  const patterns = (wanted.paths ?? []).map((pattern) => expand(pattern, variables));
  const named = await collect(project, patterns, say);
  if (!wanted.untracked) return named;
  const names = new Set(named.map(({ name }) => name));
  const others = await collectNamed(project, await room.untracked());
  return [...named, ...others.filter(({ name }) => !names.has(name))];
}
