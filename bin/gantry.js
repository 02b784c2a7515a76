#!/usr/bin/env node
// Plain JavaScript that an old Node can read too: it only finds a Node that is new enough, and the program.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { heapOptions, heapSettings } from './heap.cjs';
import { findNode, isOld, nodeDirectory, OLDEST_NODE } from './node.js';
import { resolveQuickly } from './resolve.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const marker = 'GANTRY_LAUNCHER';

if (process.env.npm_execpath !== undefined) followShell();
if (isOld) respawn();
else if (isServer() && !hasHeapOptions()) replace();
else await run();

function isServer() {
  return process.argv[2] === 'serve';
}

/** Whether the size of the heap is set already, by this program or by the user, or cannot be set. */
function hasHeapOptions() {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').replaceAll('_', '-');
  const fixed = process.channel !== undefined || process.execve === undefined || process.platform === 'win32';
  return fixed || options.includes('--max-semi-space-size');
}

/** Replaces this Node with one that has these options; it stays the same process. */
function replace() {
  const file = fileURLToPath(import.meta.url);
  const args = [process.execPath, ...process.execArgv, ...heapOptions, file, ...process.argv.slice(2)];
  process.execve(process.execPath, args, { ...heapSettings, ...process.env });
}

async function run() {
  if (process.env[marker] !== undefined) followLauncher();
  // Keeps compiled code (and stripped types) between starts; without a writable directory it does nothing.
  nodeModule.enableCompileCache?.(path.join(root, 'node_modules', '.cache', 'gantry'));
  // A package has no sources, and in a checkout what was built for packing may be out of date.
  const source = path.join(root, 'src', 'entrances', 'cli', 'cli.ts');
  const isCheckout = existsSync(source);
  // Deployments without the scripts contain the generated code.
  const generator = path.join(root, 'scripts', 'ensure_generated.ts');
  if (isCheckout && existsSync(generator)) await generateAgain(generator);
  const file = isCheckout ? source : path.join(root, 'dist', 'src', 'entrances', 'cli', 'cli.js');
  resolveQuickly(path.join(root, isCheckout ? '' : 'dist'), isCheckout ? 'ts' : 'js');
  const { main } = await import(pathToFileURL(file).href);
  process.exitCode = await main(process.argv.slice(2));
}

/** What is generated follows its sources, which `git pull` may have changed. */
async function generateAgain(generator) {
  const { ensureGenerated } = await import(pathToFileURL(generator).href);
  try {
    ensureGenerated();
  } catch (error) {
    fail(error.message);
  }
}

/** Runs this file again under the Node that npm installed with Gantry; passes signals in and the exit status out. */
function respawn() {
  const options = isServer() ? heapOptions : [];
  const child = spawn(
    findNode() ?? missingNode(),
    [...options, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...heapSettings, ...process.env, [marker]: String(process.pid) },
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${child.spawnfile} cannot be run: ${error.message}`));
  child.on('exit', (status, signal) => process.exit(status ?? 128 + (os.constants.signals[signal] ?? 0)));
}

/** If the launcher is killed, the channel to it closes, and the server stops as well. */
function followLauncher() {
  delete process.env[marker];
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}

/** npm (start, npx) passes signals to its shell only, which ends without passing them on: its end is the signal then. */
function followShell() {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}

function missingNode() {
  fail(
    `Gantry needs Node ${OLDEST_NODE} or later, and this is Node ${process.versions.node}. ` +
      `Install a newer Node, or one for Gantry alone, on Linux or Windows x64: npm ci --prefix "${nodeDirectory}"`,
  );
}

function fail(message) {
  process.stderr.write(`gantry: ${message}\n`);
  process.exit(1);
}
