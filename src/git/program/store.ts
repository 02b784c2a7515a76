import { Readable } from 'node:stream';
import { MissingObject, ProgramFailed } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import type { GitObject, ObjectHeader, ObjectStore } from '../objects/store.ts';
import { LASTING } from './environment.ts';
import { catFiles } from './pool.ts';
import { collectComplaint, lowerPriority, runProgram, startProgram } from './run.ts';

/** Up to this size a blob comes at once from the long-lived program; larger ones have a program to themselves. In bytes. */
const SMALL = 512 * 1024;

/** Objects by the git program. */
export class ProgramStore implements ObjectStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async read(oid: Oid): Promise<GitObject | null> {
    const ask = () => catFiles.ask(this.#directory, (program) => program.read(oid));
    // Not found twice is not there: once may be a repack that was in the way.
    return (await ask()) ?? ask();
  }

  async header(oid: Oid): Promise<ObjectHeader | null> {
    const ask = () => catFiles.ask(this.#directory, (program) => program.header(oid));
    return (await ask()) ?? ask();
  }

  async stream(oid: Oid): Promise<Readable> {
    const header = await this.header(oid);
    if (header === null) throw new MissingObject(oid);
    if (header.size > SMALL) return streamProgram(this.#directory, ['cat-file', header.type, oid], LASTING);
    const object = await this.read(oid);
    if (object === null) throw new MissingObject(oid);
    return Readable.from(object.content.length === 0 ? [] : [object.content], { objectMode: false });
  }

  async matching(prefix: string): Promise<Oid[]> {
    const { output } = await runProgram(this.#directory, ['rev-parse', `--disambiguate=${prefix}`]);
    return output
      .toString('latin1')
      .split('\n')
      .filter((line) => line !== '');
  }

  async close(): Promise<void> {
    catFiles.release(this.#directory);
  }
}

/**
 * What a run of git says, as a stream with backpressure; it fails when git does, and destroying it ends git.
 *
 * @param settings come before the command
 */
export function streamProgram(
  directory: string,
  args: string[],
  settings: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Readable {
  const program = startProgram(directory, [...settings, ...args], {}, environment);
  lowerPriority(program);
  const complaint = collectComplaint(program.stderr);
  program.stdin.on('error', () => undefined).end();
  const ended = new Promise<number | null>((resolve, reject) => {
    program.on('error', reject);
    program.on('close', resolve);
  });
  ended.catch(() => undefined);
  async function* output(): AsyncGenerator<Buffer> {
    try {
      yield* program.stdout as AsyncIterable<Buffer>;
      const code = await ended;
      if (code !== 0) throw new ProgramFailed(`git ${args[0]} ended with ${code}: ${complaint()}`);
    } finally {
      program.kill('SIGKILL');
    }
  }
  const stream = Readable.from(output(), { objectMode: false });
  // A stream that is destroyed before it was read never enters the generator.
  stream.once('close', () => program.kill('SIGKILL'));
  return stream;
}
