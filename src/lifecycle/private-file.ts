import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/** Writes a file of mode 600, whole or not at all: it is on the disk when this returns. */
export function writePrivateFile(file: string, content: string): void {
  const growing = `${file}.new`;
  const descriptor = openSync(growing, 'w', 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(growing, file);
  syncDirectory(path.dirname(file));
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
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
