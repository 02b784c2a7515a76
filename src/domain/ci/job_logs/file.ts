import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { RepositoryPlace, RepositoryStore } from '#src/domain/repository/store.ts';
import { makeDurableDirectories } from '#src/git/write/make_directories.ts';

/** Identifies the file of a job's log. */
export interface TraceFile {
  project: RepositoryPlace;
  jobId: number;
  version: number;
}

/** How many jobs share a directory. */
const JOBS_PER_DIRECTORY = 1_000;

/** Returns `<job logs of the project>/<thousands of the job's ID>/<ID>.<version>.log`. */
export function traceFile(repositories: RepositoryStore, { project, jobId, version }: TraceFile): string {
  const folder = String(Math.floor(jobId / JOBS_PER_DIRECTORY));
  return path.join(repositories.traces(project), folder, `${jobId}.${version}.log`);
}

/** Writes bytes to a file at a position, durably, creating the file if it is missing. */
export async function writeAt(file: string, position: number, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'r+').catch(orNew(file));
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
      done += bytesWritten;
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Reads at most so many bytes of a file. A missing file counts as empty: fsck reports it, rather than every list of jobs. */
export async function readAt(file: string, position: number, length: number): Promise<Buffer> {
  const opened = await open(file, 'r').catch((error) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (opened === null) return Buffer.alloc(0);
  await using handle = opened;
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** Removes a file if it exists. */
export async function removeTraceFile(repositories: RepositoryStore, file: TraceFile): Promise<void> {
  await rm(traceFile(repositories, file), { force: true });
}

/** For `catch`: creates a missing file durably. */
function orNew(file: string) {
  return async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    const directory = path.dirname(file);
    await makeDurableDirectories(directory, 0o700);
    const handle = await open(file, 'a+', 0o600).then(async (made) => {
      await made.close();
      return open(file, 'r+');
    });
    await syncDirectory(directory);
    return handle;
  };
}

/** A new name is durable only after its directory is synced; Windows has no such call and needs none. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(directory, 'r');
  await handle.sync();
}
