// Runs programs for a test worker, which waits for each: a worker holds a gigabyte, and to fork one takes it 30 ms and more.
// Plain JavaScript, so that it stays small. test/support/run_sync.ts talks to it.
import { spawnSync } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';

const [, , requests, answers] = process.argv;
// The worker has both open already. When it is gone there is nothing left to read.
const from = openSync(requests, 'r');
const to = openSync(answers, 'w');

for (;;) {
  const size = read(4);
  if (size === null) break;
  const { command, args, input, options } = JSON.parse(read(size.readUInt32LE()).toString());
  const found = spawnSync(command, args, { ...options, input: Buffer.from(input, 'base64'), maxBuffer: 1024 ** 3 });
  const stdout = found.stdout ?? Buffer.alloc(0);
  const stderr = found.stderr ?? Buffer.alloc(0);
  const { status, signal, error } = found;
  write(JSON.stringify({ status, signal, error: error?.message, sizes: [stdout.length, stderr.length] }));
  for (const output of [stdout, stderr]) writeAll(output);
}

function read(length) {
  const buffer = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = readSync(from, buffer, at, length - at);
    if (count === 0) return null;
    at += count;
  }
  return buffer;
}

function write(text) {
  const bytes = Buffer.from(text);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  writeAll(Buffer.concat([size, bytes]));
}

function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(to, bytes, at);
}
