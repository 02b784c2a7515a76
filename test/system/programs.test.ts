import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

const scratch = scratchDirectory();
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer(settings(path.join(scratch.directory, 'data')), ['--ephemeral', '--seed']);
}, 120_000);

afterAll(async () => {
  await server.end('SIGTERM');
  scratch.remove();
});

/** Runs a program of the system in a directory of its own, which is its home, too. */
function program(name: string, args: string[], cwd: string) {
  return run(name, args, { cwd, env: { PATH: process.env.PATH, HOME: scratch.directory, LC_ALL: 'C.UTF-8' } });
}

describe('Programs that read addresses of pages', () => {
  it('uscan finds the newest tag on the page of tags, and downloads its archive', { timeout: 300_000 }, async () => {
    const source = path.join(scratch.directory, 'apples-1.0.0');
    mkdirSync(path.join(source, 'debian'), { recursive: true });
    const entry =
      'apples (1.0.0-1) unstable; urgency=low\n\n  * First.\n\n -- Ada <ada@example.com>  Mon, 01 Jan 2024 00:00:00 +0000\n';
    writeFileSync(path.join(source, 'debian/changelog'), entry);
    const pattern = '.*/archive/.*/@PACKAGE@-v?@ANY_VERSION@\\.tar\\.gz';
    writeFileSync(path.join(source, 'debian/watch'), `version=4\n${server.url}/orchard/apples/-/tags ${pattern}\n`);
    const { status, stdout } = await program('uscan', ['--download', '--destdir', scratch.directory], source);
    expect([status, stdout]).toEqual([0, expect.stringContaining('1.1.0')]);
    const archive = path.join(scratch.directory, 'apples-v1.1.0.tar.gz');
    const { stdout: files } = await program('tar', ['-tzf', archive], scratch.directory);
    expect(files.split('\n')[0]).toBe('apples-v1.1.0/');
  });

  it.each(['orchard/apples', 'orchard/apples.git'])('Breezy branches %s', { timeout: 300_000 }, async (place) => {
    const to = path.join(scratch.directory, place.replace('/', '-'));
    const { status, stderr } = await program(
      'brz',
      ['branch', '--quiet', `${server.url}/${place}`, to],
      scratch.directory,
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(readdirSync(to)).toContain('LICENSE');
    expect(readFileSync(path.join(to, 'README.md'), 'utf8')).toMatch(/^# Apples/);
  });

  it('linkchecker finds no broken link two steps from the list of projects', { timeout: 600_000 }, async () => {
    const args = ['--no-warnings', '--no-status', '--recursion-level=2', `${server.url}/explore`];
    const { status, stdout } = await program('linkchecker', args, scratch.directory);
    expect(stdout).toContain('0 errors found');
    expect(status).toBe(0);
    expect(Number(/(\d+) links in/.exec(stdout)?.[1])).toBeGreaterThan(80);
  });
});
