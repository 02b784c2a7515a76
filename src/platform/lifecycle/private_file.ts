import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/** Writes a file of mode 600, whole or not at all: it is on the disk when this returns. */
export function writePrivateFile(file: string, content: string): void {
  renameSync(writeBeside(file, content), file);
  syncDirectory(path.dirname(file));
}

/** As writePrivateFile, unless there is such a file; the content that it has then, be it of another process. */
export function createPrivateFile(file: string, content: string): string {
  const written = writeBeside(file, content);
  try {
    claim(written, file, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(written);
  }
  syncDirectory(path.dirname(file));
  return readFileSync(file, 'utf8');
}

/** Gives a name to what was written, unless it is taken. Some file systems have no second names: there it is written again. */
function claim(written: string, file: string, content: string): void {
  try {
    linkSync(written, file);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(file, content, { flag: 'wx', mode: 0o600, flush: true });
  }
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Creates a file next to another one; on the disk when this returns. */
function writeBeside(file: string, content: string): string {
  const growing = `${file}.${randomUUID()}`;
  const descriptor = openSync(growing, 'wx', 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return growing;
}

/** The content, or undefined if there is no such file. */
export function readPrivateFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A new name is durable only once its directory is; Windows has no such call and needs none. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
