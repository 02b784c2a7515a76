import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath } from '#src/platform/package_root.ts';

/** What the layer does: nothing, keep all programs waiting, or note what they do. */
const STATES = { off: 0, wait: 1, note: 2 } as const;

/** Whether this machine can compile the layer, and load it. */
export const CAN_RECORD =
  process.platform === 'linux' && spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0;

/** Compiles the layer and its control file, and records what programs do to the files below one directory. */
export class Recorder {
  /** The directory in which the programs work. */
  readonly root: string;
  /** What was in it when the recording began. */
  readonly copy: string;
  readonly #directory: string;
  readonly #journal: string;
  readonly #control: string;
  readonly #layer: string;

  constructor() {
    this.#directory = mkdtempSync(path.join(tmpdir(), 'gantry-power-'));
    // PostgreSQL may run as another user.
    chmodSync(this.#directory, 0o755);
    const inside = (name: string) => path.join(this.#directory, name);
    this.root = inside('root');
    this.copy = inside('copy');
    this.#journal = inside('journal');
    this.#control = inside('control');
    this.#layer = inside('layer.so');
    mkdirSync(this.root);
    const source = (name: string) => packagePath(`test/campaign/power/${name}`);
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', this.#layer, source('layer.c'), '-ldl', '-pthread']);
    execFileSync('cc', ['-O2', '-o', inside('prepare'), source('prepare.c'), '-pthread']);
    execFileSync(inside('prepare'), [this.#control]);
    writeFileSync(this.#journal, '');
    chmodSync(this.#journal, 0o666);
    this.#wrapGit();
  }

  /** Variables for a program under the layer. `PATH` has a git that runs under it too, as servers clear the environment of theirs. */
  get variables(): Record<string, string> {
    return { ...this.#variables, PATH: `${path.join(this.#directory, 'bin')}:${process.env.PATH}` };
  }

  /** Variables for a program, without its git, for which each change of the disk takes so many milliseconds longer. */
  slowed(milliseconds: number): Record<string, string> {
    return { ...this.#variables, POWER_DELAY_US: String(milliseconds * 1000) };
  }

  get #variables(): Record<string, string> {
    return {
      LD_PRELOAD: this.#layer,
      POWER_ROOT: this.root,
      POWER_JOURNAL: this.#journal,
      POWER_CONTROL: this.#control,
      UV_USE_IO_URING: '0',
    };
  }

  #wrapGit(): void {
    const bin = path.join(this.#directory, 'bin');
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const given = Object.entries(this.#variables).map(([name, value]) => `${name}='${value}'`);
    writeFileSync(path.join(bin, 'git'), `#!/bin/sh\n${given.join(' ')} exec '${real}' "$@"\n`, { mode: 0o755 });
  }

  #set(state: keyof typeof STATES): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(STATES[state]);
    this.#write(bytes, 0);
  }

  /** Sets the clock of all programs under the layer so many seconds ahead. */
  setClock(seconds: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    this.#write(bytes, 8);
  }

  #write(bytes: Buffer, position: number): void {
    const file = openSync(this.#control, 'r+');
    writeSync(file, bytes, 0, bytes.length, position);
    closeSync(file);
  }

  /** Copies the directory while all programs wait, and records from then on. */
  async begin(): Promise<void> {
    this.#set('wait');
    await sleep(200);
    cpSync(this.root, this.copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    this.#set('note');
  }

  /** How long the journal is: whatever was done before now is within. */
  position(): number {
    return statSync(this.#journal).size;
  }

  /** Ends the recording; the journal. */
  end(): Buffer {
    this.#set('off');
    return readFileSync(this.#journal);
  }

  /** A place for what a disk holds after a cut; it does not exist yet. */
  place(name: string): string {
    return path.join(this.#directory, name);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A command of git that ends with an error says why. */
export function gitFsck(directory: string): string {
  const env = { PATH: process.env.PATH, HOME: devNull, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const args = ['-c', 'safe.directory=*', `--git-dir=${directory}`, 'fsck', '--strict', '--no-dangling', '--full'];
  const { status, stdout, stderr } = spawnSync('git', args, { env, encoding: 'utf8' });
  return status === 0 && !/^(error|missing|broken)/m.test(stderr + stdout)
    ? ''
    : `${stdout}${stderr}`.trim() || `exit ${status}`;
}
