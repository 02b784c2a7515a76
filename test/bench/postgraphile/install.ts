import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** Milliseconds that the installation may take. */
const PATIENCE = 5 * 60_000;

/**
 * Installs PostGraphile as the lock file beside this file has it, unless it is there. It stays apart from the project: it needs
 * graphql 16 where the project has 17, and 80 packages are too many for everybody who never runs the bench.
 *
 * @returns why it cannot be had here; null when it is there
 */
export async function installPostGraphile(): Promise<string | null> {
  const directory = import.meta.dirname;
  const read = (file: string): { version?: string; dependencies?: Record<string, string> } =>
    JSON.parse(readFileSync(path.join(directory, file), 'utf8'));
  const installed = 'node_modules/postgraphile/package.json';
  const wanted = read('package.json').dependencies?.postgraphile;
  if (existsSync(path.join(directory, installed)) && read(installed).version === wanted) return null;
  const { npm_execpath: npm } = process.env;
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  try {
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)(command, [...args, ...options], { cwd: directory, timeout: PATIENCE });
    return null;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const lines = (stderr || message).split('\n').filter((line) => line.startsWith('npm error'));
    return `npm could not install PostGraphile ${wanted}: ${lines.slice(0, 3).join(' ') || message}`;
  }
}
