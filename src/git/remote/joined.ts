import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Oid } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import { initRepository } from '../init.ts';
import { openRepository } from '../open.ts';
import { programVersion } from '../program/detect.ts';
import { copyInProcess } from './copy_in_process.ts';

/** A repository, and the commit in it that is read. */
export interface JoinedPart {
  directory: string;
  commit: Oid;
}

/**
 * Reads two commits of different repositories in one place, which has the objects of both, only while the work goes on: neither
 * repository gets anything of the other. The place is a draft beside the first one, `<its name>.copy-…`.
 */
export async function withJoined<T>(
  parts: readonly [JoinedPart, JoinedPart],
  work: (reader: RepositoryReader) => Promise<T>,
): Promise<T> {
  const draft = `${parts[0].directory}.copy-${randomBytes(8).toString('hex')}`;
  let reader: RepositoryReader | undefined;
  try {
    await initRepository(draft, 'master');
    if ((await programVersion()) === null) {
      for (const { directory, commit } of parts) await copyInProcess(directory, draft, [commit]);
    } else {
      const lines = parts.map(({ directory }) => `${path.resolve(directory, 'objects')}\n`);
      await writeFile(path.join(draft, 'objects', 'info', 'alternates'), lines.join(''));
    }
    reader = await openRepository(draft, { borrows: true });
    return await work(reader);
  } finally {
    await reader?.close();
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}
