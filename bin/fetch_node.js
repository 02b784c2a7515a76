#!/usr/bin/env node
// Runs when npm installs Gantry. Where this Node is too old, npm gets the one of bin/node/package-lock.json, on which Gantry then
// runs; elsewhere nothing happens.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode, isOld, nodeDirectory } from './node.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

if (isOld) {
  if (findNode() === null) fetchNode();
  if (existsSync(path.join(root, 'src'))) linkNode();
}

function fetchNode() {
  const { npm_execpath: npm = '' } = process.env;
  const [command, ...before] = npm.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  // What npm was told about Gantry is not meant for this: it hands its options down in the environment.
  const options = ['--no-global', '--location=project', '--no-dry-run', '--include=optional', '--workspaces=false'];
  const { status, error } = spawnSync(command, [...before, 'ci', '--no-audit', '--no-fund', ...options], {
    cwd: nodeDirectory,
    env: { ...process.env, npm_config_prefix: '', npm_config_local_prefix: '' },
    stdio: 'inherit',
    shell: command === 'npm' && process.platform === 'win32',
  });
  if (status === 0) return;
  process.stderr.write(`gantry: npm could not get a newer Node${error ? `: ${error.message}` : ''}\n`);
  process.exit(1);
}

/** In a checkout the scripts of npm, among them the tests, run on it too. */
function linkNode() {
  const file = findNode();
  if (file === null || process.platform === 'win32') return;
  const link = path.join(root, 'node_modules', '.bin', 'node');
  mkdirSync(path.dirname(link), { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link);
  symlinkSync(path.relative(path.dirname(link), file), link);
}
