import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { formatBytes } from '#src/base/text.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { openUploads } from '#src/domain/uploads/open.ts';
import type { UploadLocation, UploadStore } from '#src/domain/uploads/store.ts';
import { isAbsent } from '#src/git/base/existence.ts';
import type { Config } from '#src/platform/config/config.ts';
import type { S3Settings } from '#src/platform/config/uploads.ts';
import { hasTable, look } from '#src/platform/database/look.ts';
import { checkDisk } from '#src/platform/lifecycle/checks.ts';
import { isNeeded, noGantry } from '#src/platform/lifecycle/require_gantry.ts';
import { type Finding, fail, ok, type Status, warn } from './check.ts';

const MIB = 1024 * 1024;
/** Free space that triggers a warning, well before readiness fails: in bytes, and as a part of the disk. */
const SPACE = { warn: 1024 * MIB, part: 0.05 };
/** How many of the latest uploads are checked. */
const SAMPLE = 50;

/** Checks whether the data directory is writable, has free space, and exists if the database belongs to a server. */
export async function checkData(config: Config, url: string | null): Promise<Finding> {
  const { dataDir } = config;
  if (url !== null && isNeeded(config) && (await lookAt(dataDir)) === null && (await isInUse(url))) {
    return fail(noGantry(dataDir), 'Correct GANTRY_DATA, or mount the volume on which it lies.');
  }
  return checkDirectory(dataDir, config);
}

async function isInUse(url: string): Promise<boolean> {
  return look(url, async (query) => {
    if (!(await hasTable(query, 'users'))) return false;
    return (await query('SELECT 1 FROM users LIMIT 1')).length > 0;
  });
}

type Limits = Pick<Config, 'minFreeBytes'>;

/** Checks whether a directory is writable and has free space. */
export async function checkDirectory(directory: string, limits: Limits): Promise<Finding> {
  const found = await lookAt(directory);
  if (typeof found === 'string') return fail(`${directory} cannot be reached: ${found}`, adviceFor(found));
  if (found === null) return checkAbsent(directory);
  if (!found.isDirectory()) return fail(`${directory} is not a directory`, 'Move it away, or name another one.');
  const probe = path.join(directory, `.doctor-${randomBytes(8).toString('hex')}`);
  try {
    await writeFile(probe, 'x', { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fail(`${directory} cannot be written to: ${code}`, adviceFor(code));
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
  return checkSpace(directory, limits);
}

/** Null if it does not exist; the error code if that is unknown. */
async function lookAt(directory: string): Promise<Stats | string | null> {
  return stat(directory).catch((error) => (isAbsent(error) ? null : String(error.code)));
}

async function checkAbsent(directory: string): Promise<Finding> {
  const parent = await lookAt(path.dirname(directory));
  if (parent !== null && typeof parent !== 'string' && parent.isDirectory())
    return ok(`${directory} is not there yet, and is made when it is needed`);
  return fail(
    `${directory} does not exist, nor does the directory above`,
    'Create it, or mount the volume on which it lies.',
  );
}

function adviceFor(code: string | undefined): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'Make room on the disk.';
  if (code === 'ELOOP') return 'Correct the symbolic link: it leads to itself.';
  if (code === 'EIO') return 'Check the disk for errors.';
  if (code === 'EROFS') return 'Mount it writable; a disk with errors is mounted read-only by the system.';
  return 'Give it to the account that the server runs as.';
}

async function checkSpace(directory: string, { minFreeBytes }: Limits): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(directory);
  const [free, all] = [bavail * bsize, blocks * bsize];
  const facts = `${directory} is writable, ${formatBytes(free)} of ${formatBytes(all)} free`;
  if ((await checkDisk({ dataDir: directory, storages: {}, minFreeBytes })) !== null)
    return fail(facts, 'Make room: the server is not ready with so little (GANTRY_MIN_FREE_BYTES).');
  if (free < SPACE.warn || free < all * SPACE.part) return warn(facts, 'Make room soon.');
  return ok(facts);
}

/** Checks whether every storage with repositories exists, is writable and has free space. */
export async function checkStorages(config: Config, url: string | null): Promise<Finding> {
  const { storages } = config;
  const used = url === null ? [] : await storagesInUse(url);
  const lost = used.filter(({ name }) => !Object.hasOwn(storages, name));
  if (lost.length > 0) {
    const list = lost.map(({ name, projects }) => `"${name}" (${projects} projects)`).join(', ');
    return fail(`repositories lie in ${list}, whose directory is not known`, 'Name it in GANTRY_STORAGES.');
  }
  const needed = new Set(used.filter(({ recorded }) => recorded).map(({ name }) => name));
  const findings: Finding[] = [];
  for (const [name, directory] of Object.entries(storages)) {
    const found = await checkDirectory(directory, config);
    const isLost = needed.has(name) && (await lookAt(directory)) === null;
    const finding = isLost
      ? fail(`${directory} does not exist, but repositories lie there`, 'Mount the volume on which it lies.')
      : found;
    findings.push({ ...finding, summary: `${name}: ${finding.summary}` });
  }
  return worst(findings);
}

async function storagesInUse(url: string): Promise<{ name: string; projects: number; recorded: boolean }[]> {
  return look(url, async (query) => {
    if (!(await hasTable(query, 'recorded_refs'))) return [];
    return query(`
      SELECT repository_storage AS name, count(*)::int AS projects,
        bool_or(EXISTS (SELECT 1 FROM recorded_refs r WHERE r.project_id = p.id)) AS recorded
      FROM projects p GROUP BY 1 ORDER BY 1`);
  });
}

function worst(findings: readonly Finding[]): Finding {
  const rank: Record<Status, number> = { FAIL: 0, WARN: 1, OK: 2 };
  const [first] = [...findings].sort((left, right) => rank[left.status] - rank[right.status]);
  if (!first) return ok('none');
  return { ...first, summary: findings.map(({ summary }) => summary).join('; ') };
}

/** Checks whether uploads can be written, and the latest ones exist. */
export async function checkUploads(config: Config, url: string | null): Promise<Finding> {
  const { uploads } = config;
  const place =
    'directory' in uploads ? await checkDirectory(uploads.directory, config) : await checkBucket(config, uploads);
  if (place.status === 'FAIL' || url === null) return place;
  const root = 'directory' in uploads ? uploads.directory : `the bucket ${uploads.bucket}`;
  const rows = await latestUploads(url);
  const store = await openUploads(config);
  const lost: string[] = [];
  for (const row of rows) if (!(await store.has(row))) lost.push(`${row.projectId}/${row.secret}/${row.fileName}`);
  const advice = 'Restore the uploads from a backup, or correct GANTRY_UPLOADS or GANTRY_DATA.';
  if (lost.length > 0)
    return fail(
      `${lost.length} of the latest ${rows.length} uploads are missing in ${root}, such as ${lost[0]}`,
      advice,
    );
  const artifacts = await latestArtifacts(url);
  const gone = await countAbsent(artifactsStore({ uploads: store }), artifacts);
  if (gone > 0)
    return fail(`${gone} of the latest ${artifacts.length} artifacts of jobs are missing in ${root}`, advice);
  const there = `the latest ${rows.length} uploads${artifacts.length > 0 ? ` and ${artifacts.length} artifacts` : ''} are there`;
  return { ...place, summary: `${place.summary}; ${there}` };
}

async function countAbsent(store: UploadStore, files: readonly UploadLocation[]): Promise<number> {
  let count = 0;
  for (const file of files) if (!(await store.has(file))) count++;
  return count;
}

async function checkBucket(config: Config, { bucket, endpoint = 'Amazon S3' }: S3Settings): Promise<Finding> {
  try {
    await (await openUploads(config)).check();
    return ok(`bucket ${bucket} at ${endpoint}`);
  } catch (error) {
    const advice = 'Correct GANTRY_UPLOADS and the AWS_… settings, or start the store.';
    return fail(`The bucket ${bucket} at ${endpoint} cannot be used: ${(error as Error).message}`, advice);
  }
}

async function latestUploads(url: string): Promise<{ projectId: number; secret: string; fileName: string }[]> {
  return look(url, async (query) => {
    if (!(await hasTable(query, 'uploads'))) return [];
    return query(`
      SELECT u.project_id AS "projectId", u.secret, u.file_name AS "fileName" FROM uploads u
      JOIN projects p ON p.id = u.project_id AND p.deleted_at IS NULL ORDER BY u.id DESC LIMIT ${SAMPLE}`);
  });
}

/** The latest artifacts that do not expire soon. */
async function latestArtifacts(url: string): Promise<UploadLocation[]> {
  return look(url, async (query) => {
    if (!(await hasTable(query, 'job_artifacts'))) return [];
    return query(`
      SELECT a.project_id AS "projectId", a.secret, a.file_name AS "fileName" FROM job_artifacts a
      JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL
      WHERE a.expire_at IS NULL OR a.expire_at > now() + interval '1 minute' ORDER BY a.job_id DESC LIMIT ${SAMPLE}`);
  });
}
