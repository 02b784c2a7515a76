import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a program ended with. */
export interface RanSync {
  status: number | null;
  stdout: Buffer;
  stderr: Buffer;
}

interface Helper {
  requests: number;
  answers: number;
}

/** Of this worker; null where named pipes are missing. Kept beyond the module, which a worker may load more than once. */
const kept = globalThis as { syncHelper?: Helper | null };

/** Runs a program and waits for it, without a fork of this large process. Throws Error where the program cannot be started. */
export function runSync(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string | Buffer = '',
): RanSync {
  kept.syncHelper ??= process.platform === 'win32' ? null : startHelper();
  return kept.syncHelper === null
    ? runHere(command, args, env, input)
    : ask(kept.syncHelper, { command, args, input: Buffer.from(input).toString('base64'), options: { env } });
}

function runHere(command: string, args: readonly string[], env: NodeJS.ProcessEnv, input: string | Buffer): RanSync {
  const { status, stdout, stderr, error } = spawnSync(command, args, { env, input, maxBuffer: 1024 ** 3 });
  if (error) throw error;
  return { status, stdout, stderr };
}

function startHelper(): Helper {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-sync-'));
  const [requests = '', answers = ''] = ['requests', 'answers'].map((name) => path.join(directory, name));
  spawnSync('mkfifo', ['--', requests, answers]);
  // Opened for both ways, so that neither end waits for the other here.
  const helper = { requests: openSync(requests, 'r+'), answers: openSync(answers, 'r+') };
  const script = path.join(import.meta.dirname, 'sync_helper.js');
  spawn(process.execPath, ['--max-semi-space-size=1', script, requests, answers], { stdio: 'ignore' }).unref();
  // Nobody else opens them: they can go once the helper has answered.
  ask(helper, { command: process.execPath, args: ['--version'], input: '', options: {} });
  rmSync(directory, { recursive: true, force: true });
  return helper;
}

function ask({ requests, answers }: Helper, request: object): RanSync {
  const bytes = Buffer.from(JSON.stringify(request));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  const all = Buffer.concat([size, bytes]);
  for (let at = 0; at < all.length; ) at += writeSync(requests, all, at);
  const { status, error, sizes } = JSON.parse(read(answers, read(answers, 4).readUInt32LE()).toString());
  const [stdout = Buffer.alloc(0), stderr = Buffer.alloc(0)] = sizes.map((length: number) => read(answers, length));
  if (error !== undefined) throw new Error(error);
  return { status, stdout, stderr };
}

function read(from: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let at = 0; at < length; ) at += readSync(from, buffer, at, length - at, null);
  return buffer;
}
