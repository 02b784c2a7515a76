import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import { run, scratchDirectory } from '../support/server_process.ts';

test('a checkout whose sources have changed generates its code again at the next command, once for all that start', {
  timeout: 300_000,
}, async () => {
  const { directory, remove } = scratchDirectory();
  try {
    const checkout = path.join(directory, 'checkout');
    const cloned = await run('git', ['clone', '--quiet', '--no-hardlinks', '--', packageRoot, checkout], {});
    expect(cloned.status, cloned.stderr).toBe(0);
    symlinkSync(packagePath('node_modules'), path.join(checkout, 'node_modules'));
    const commands = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => run(process.execPath, ['bin/gantry.js', '--version'], { cwd: checkout })),
      );

    const first = await commands(2);
    for (const { status, stdout, stderr } of first) {
      expect(status, stderr).toBe(0);
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      expect(stderr).toMatch(/^The sources have changed: generating code.*\n$/);
    }
    const models = () => readFileSync(path.join(checkout, 'src/generated/models.ts'), 'utf8');
    expect(models()).not.toContain('Novelty');
    expect(await commands(1)).toEqual([expect.objectContaining({ status: 0, stderr: '' })]);

    // As `git pull` brings it.
    appendFileSync(path.join(checkout, 'prisma/schema/projects.prisma'), '\nmodel Novelty {\n  id Int @id\n}\n');
    const [again] = await commands(1);
    expect(again).toMatchObject({ status: 0, stderr: expect.stringContaining('generating code') });
    expect(models()).toContain('Novelty');

    const lockFile = path.join(checkout, 'package-lock.json');
    const [before, after] = [
      '"node_modules/pg": {\n      "version": "',
      '"node_modules/pg": {\n      "version": "999.',
    ];
    writeFileSync(lockFile, readFileSync(lockFile, 'utf8').replace(before, after));
    const [stale] = await commands(1);
    expect(stale).toMatchObject({ status: 1, stdout: '' });
    expect(stale?.stderr).toMatch(/^gantry: The installed packages do not match .*\(pg 999\..* Run `npm ci`\.\n$/);
  } finally {
    remove();
  }
});
