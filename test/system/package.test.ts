import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '#src/platform/package_root.ts';
import { followServer, printed, run, scratchDirectory } from '../support/server_process.ts';

test('the packed package, installed in another project, serves with npx', { timeout: 300_000 }, async () => {
  const { directory, remove } = scratchDirectory();
  try {
    const packed = await run('npm', ['pack', '--pack-destination', directory], { cwd: packageRoot });
    expect(packed.status, packed.stderr).toBe(0);
    const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? '';

    writeFileSync(path.join(directory, 'package.json'), '{"name": "other", "version": "1.0.0", "private": true}');
    const flags = ['--prefer-offline', '--no-audit', '--no-fund'];
    const installed = await run('npm', ['install', ...flags, `./${tarball}`], { cwd: directory });
    expect(installed.status, installed.stderr).toBe(0);
    const inside = readdirSync(path.join(directory, 'node_modules', 'gantry'));
    expect(inside).toContain('dist');
    expect(inside).not.toContain('src');

    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const server = await followServer(spawn('npx', ['gantry', 'serve', '--ephemeral'], { cwd: directory, env }));
    try {
      const headers = { 'private-token': printed(server.output(), 'Private token') ?? '' };
      const response = await fetch(`${server.url}/api/v4/version`, { headers });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ version: expect.any(String) });
      for (const page of ['/', '/-/docs', '/graphql']) {
        const html = await (await fetch(server.url + page, { headers: { accept: 'text/html' } })).text();
        const files = [...html.matchAll(/(?:src|href)="(\/-\/assets\/[^"]+)"/g)].map(([, path]) => path);
        expect(files.length).toBeGreaterThan(page === '/' ? 0 : 2);
        for (const file of files) expect((await fetch(server.url + file)).status).toBe(200);
      }
    } finally {
      // npx ends at once, and the server with its PostgreSQL after it, which closes the output.
      await server.end('SIGTERM');
    }
    await expect(fetch(server.url)).rejects.toThrow();
  } finally {
    remove();
  }
});
