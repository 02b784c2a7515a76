import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { layOut } from './docs_pages.ts';

/*
 * Builds the site of the documents in docs/.site/dist, which any server of files can serve; below another path than / with DOCS_BASE.
 * VitePress has packages of its own in docs/.site/, so that a checkout does not install them otherwise.
 */
const root = path.dirname(import.meta.dirname);
const site = path.join(root, 'docs/.site');

layOut(root, path.join(site, 'pages'));
const vitepress = path.join(site, 'node_modules/vitepress/bin/vitepress.js');
if (!existsSync(vitepress)) run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
run(process.execPath, vitepress, 'build');
process.stdout.write(`The pages are in ${path.join(site, 'dist')}\n`);

function run(command: string, ...args: string[]): void {
  const shell = command === 'npm' && process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { cwd: site, stdio: 'inherit', shell });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
