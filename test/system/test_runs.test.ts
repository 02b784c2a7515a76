import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { scratchDirectory } from '../support/server_process.ts';
import { runTests } from '../support/test_runs.ts';

const CONFIG = `
import { defineConfig } from 'vitest/config';
const experimental = { viteModuleRunner: false, nodeLoader: false };
export default defineConfig({ test: { include: ['*.test.ts'], maxWorkers: 1, experimental } });
`;

const once = (what: string) => `
  const seen = import.meta.filename + '.seen';
  if (!fs.existsSync(seen)) { fs.writeFileSync(seen, ''); ${what} }
`;

/** What the one test of a file does. */
const BODIES = {
  passes: '',
  fails: "throw new Error('is broken\\nfor good');",
  fails_once: once("throw new Error('came early');"),
  crashes_once: once("process.kill(process.pid, 'SIGKILL');"),
  throws_once: once("setTimeout(() => { throw new Error('came late'); }); await sleep(100);"),
  hangs_once: once('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'),
};

describe('A run of the long and system tests', () => {
  let scratch: ReturnType<typeof scratchDirectory>;
  beforeEach(() => {
    scratch = scratchDirectory();
    symlinkSync(packagePath('node_modules'), path.join(scratch.directory, 'node_modules'));
    write('package.json', '{"type": "module"}');
    write('vitest.config.ts', CONFIG);
  });
  afterEach(() => scratch.remove());

  const write = (file: string, text: string) => writeFileSync(path.join(scratch.directory, file), text);
  const runFiles = (files: Record<string, keyof typeof BODIES>, share?: string) => {
    for (const [name, body] of Object.entries(files)) {
      const imports = "import fs from 'node:fs'; import { setTimeout as sleep } from 'node:timers/promises';";
      write(`${name}.test.ts`, `${imports} import { it } from 'vitest'; it('works', async () => { ${BODIES[body]} });`);
    }
    const options = { cwd: scratch.directory, output: 'ignore', stuckSeconds: 10 } as const;
    return runTests([{ config: 'vitest.config.ts', share }], options);
  };

  it('passes when a file that failed, ended its worker or threw too late passes alone, and names it', async () => {
    const verdict = await runFiles({ a: 'fails_once', b: 'crashes_once', c: 'throws_once', d: 'passes' });
    expect(verdict.passed).toBe(true);
    expect(verdict.lines.toSorted()).toEqual([
      'Test files: 4 passed (3 flaky), 0 failed',
      'flaky: a.test.ts: works: came early',
      expect.stringMatching(/^flaky: b.test.ts: Worker exited unexpectedly/),
      'flaky: c.test.ts: came late',
    ]);
  });

  it('has each file in one of two shares, also where it runs once more', async () => {
    const files = { a: 'fails_once', b: 'passes', c: 'passes', d: 'passes' } as const;
    const shares = [await runFiles(files, '1/2'), await runFiles(files, '2/2')];
    expect(shares.map(({ passed }) => passed)).toEqual([true, true]);
    expect(shares.flatMap(({ lines }) => lines).toSorted()).toEqual([
      'Test files: 2 passed (0 flaky), 0 failed',
      'Test files: 2 passed (1 flaky), 0 failed',
      'flaky: a.test.ts: works: came early',
    ]);
  });

  it('ends a file that hangs, and runs those that had not begun', async () => {
    const verdict = await runFiles({ a: 'hangs_once', b: 'passes', c: 'fails_once' });
    expect(verdict.lines.toSorted()).toEqual([
      'Test files: 3 passed (2 flaky), 0 failed',
      'flaky: a.test.ts: did not end',
      'flaky: c.test.ts: works: came early',
    ]);
  });

  it('fails for a file that fails alone, too', async () => {
    const verdict = await runFiles({ a: 'fails', b: 'passes' });
    expect(verdict).toEqual({
      passed: false,
      lines: ['failed: a.test.ts: works: is broken', 'Test files: 1 passed (0 flaky), 1 failed'],
    });
  });

  it('fails when more than three files fail', async () => {
    const verdict = await runFiles({ a: 'fails_once', b: 'fails_once', c: 'fails_once', d: 'fails_once' });
    expect(verdict).toMatchObject({ passed: false, lines: { 4: 'Test files: 0 passed (0 flaky), 4 failed' } });
  });

  it('fails when what all files share does not start, and when there are none', async () => {
    expect(await runFiles({})).toMatchObject({ passed: false });
    write('vitest.config.ts', "throw new Error('no configuration');");
    expect(await runFiles({ a: 'passes' })).toMatchObject({
      passed: false,
      lines: { 0: 'broken: Vitest ended with 1' },
    });
  });
});
