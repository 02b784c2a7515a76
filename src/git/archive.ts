import { execFile } from 'node:child_process';
import { pipeline, type Readable } from 'node:stream';
import { type Replace, replaceFiles } from './archive/replace.ts';
import { GitError, ProgramFailed } from './base/errors.ts';
import type { Oid } from './base/model.ts';
import type { RepositoryReader, TreePart } from './base/reader.ts';
import { startChild } from './program/child.ts';
import { programEnvironment } from './program/environment.ts';
import { collectComplaint, lowerPriority } from './program/run.ts';

export const ARCHIVE_FORMATS = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const;

export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

/**
 * An archive of a commit, streamed: the stream must be read or destroyed, and fails when something is missing. `prefix` is
 * the directory that everything lies in, without a slash at its end; `replace` gives small files other contents.
 */
export async function archive(
  reader: RepositoryReader,
  commit: Oid,
  {
    format,
    prefix,
    part,
    replace,
  }: { format: ArchiveFormat; prefix: string; part?: TreePart | undefined; replace?: Replace | undefined },
): Promise<Readable> {
  // Before anything is sent, while the caller can still get an error.
  if ((await reader.commit(commit)) === null) throw new GitError(`There is no commit ${commit}`);
  const directory = `${prefix}/`;
  if (replace) {
    const source = await reader.archive(commit, 'tar', directory, part);
    if (format !== 'tar.bz2') return replaceFiles(source, replace, format);
    return bzip2(replaceFiles(source, replace, 'tar'));
  }
  if (format !== 'tar.bz2') return reader.archive(commit, format, directory, part);
  return bzip2(await reader.archive(commit, 'tar', directory, part));
}

let bzip2Found: Promise<boolean> | undefined;

/** Whether there is a bzip2 program, without which there is no `tar.bz2`. Looks once. */
export function hasBzip2(): Promise<boolean> {
  bzip2Found ??= new Promise((resolve) => {
    const child = execFile('bzip2', ['--help'], { env: programEnvironment(), timeout: 5_000 }, (error) =>
      resolve(error === null),
    );
    child.stdin?.end();
  });
  return bzip2Found;
}

function bzip2(source: Readable): Readable {
  const program = startChild('bzip2', ['-c'], { env: programEnvironment() });
  lowerPriority(program);
  const complaint = collectComplaint(program.stderr);
  const output = program.stdout;
  const fail = (error: Error) => output.destroy(error);
  program.on('error', (error) => fail(new ProgramFailed(`bzip2 cannot be run: ${error.message}`)));
  program.on('exit', (code) => {
    if (code !== 0) fail(new ProgramFailed(`bzip2 ended with ${code}: ${complaint()}`));
  });
  pipeline(source, program.stdin, (error) => {
    if (error !== undefined && error !== null) fail(error);
  });
  output.once('close', () => program.kill('SIGKILL'));
  return output;
}
