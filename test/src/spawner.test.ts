import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { killGroup, startChild } from '#src/git/program/child.ts';
import { type SpawnedProgram, type SpawnOptions, spawner, startSpawner } from '#src/git/program/spawner.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { isAlive } from '../support/server_process.ts';

const SCRIPT = packagePath('bin/spawner.js');
const env = { PATH: process.env.PATH };
/** The machine may be busy. */
const WAIT = { timeout: 20_000 };
let stop: () => Promise<void>;

beforeAll(async () => {
  stop = await startSpawner(SCRIPT);
});
afterAll(() => stop());

/** Starts a program by the spawner, once that has connections ready. */
async function start(command: string, args: string[], options: Partial<SpawnOptions> = {}): Promise<SpawnedProgram> {
  for (;;) {
    const program = spawner()?.start(command, args, { env, ...options });
    if (program) return program;
    await new Promise(setImmediate);
  }
}

describe.skipIf(process.platform === 'win32')('programs started by the spawner', () => {
  test('read their input and write their output, as long as it is', async () => {
    const program = await start('cat', []);
    const input = 'a line of some length\n'.repeat(100_000);
    program.stdin.end(input);
    const [output, [code, signal]] = await Promise.all([text(program.stdout), once(program, 'close')]);
    expect(output).toBe(input);
    expect([code, signal]).toEqual([0, null]);
  });

  test('run where and with what they are told, and say how they ended', async () => {
    const program = await start('sh', ['-c', 'pwd; echo "$SECRET" >&2; exit 3'], { cwd: '/' });
    const closed = once(program, 'close');
    // What nobody reads when a program ends is lost, as with child processes of Node.
    expect(await Promise.all([text(program.stdout), text(program.stderr)])).toEqual(['/\n', '\n']);
    expect(await closed).toEqual([3, null]);
    expect(program.exitCode).toBe(3);
  });

  test('many at once each have their own streams', async () => {
    const outputs = Array.from({ length: 40 }, async (_, index) => {
      const program = await start('echo', [`program ${index}`]);
      return text(program.stdout);
    });
    expect(await Promise.all(outputs)).toEqual(outputs.map((_, index) => `program ${index}\n`));
  });

  test('fail with an error where there is no such program', async () => {
    const program = await start('gantry-has-no-such-program', []);
    const [error] = await once(program, 'error').catch((error) => [error]);
    expect(String(error)).toContain('ENOENT');
  });

  test('are killed with all that they started', async () => {
    const program = await start('sh', ['-c', 'sleep 1000 & echo $!; wait'], { detached: true });
    const [line] = await once(program.stdout, 'data');
    const closed = once(program, 'close');
    killGroup(program);
    expect(await closed).toEqual([null, 'SIGKILL']);
    await vi.waitFor(() => expect(isAlive(Number(line))).toBe(false), WAIT);
  });

  test('a program that ends without reading its input closes nothing but that', async () => {
    const program = await start('sh', ['-c', 'exec <&-; echo done']);
    program.stdin.on('error', () => undefined);
    program.stdin.write(Buffer.alloc(1_000_000));
    expect(await text(program.stdout)).toBe('done\n');
  });
});

describe.skipIf(process.platform === 'win32')('the spawner', () => {
  test('ends all programs when the server is killed', async () => {
    const source = `
      const { startSpawner, spawner } = await import('${packagePath('src/git/program/spawner.ts')}');
      await startSpawner('${SCRIPT}');
      const start = () => {
        const program = spawner().start('sleep', ['1000'], { env: process.env });
        if (program === null) return setImmediate(start);
        program.once('spawn', () => process.send(program.pid));
      };
      start();`;
    const server: ChildProcess = fork('-e', [source], { execArgv: ['--input-type=module'], stdio: 'inherit' });
    const [pid] = await once(server, 'message');
    expect(isAlive(Number(pid))).toBe(true);
    server.kill('SIGKILL');
    await vi.waitFor(() => expect(isAlive(Number(pid))).toBe(false), WAIT);
  });

  test('is done without where it has ended', async () => {
    const program = await start('sleep', ['1000']);
    const failed = once(program, 'error').catch((error) => [error]);
    await stop();
    await failed;
    expect(spawner()).toBeNull();
    const next = startChild('echo', ['directly'], { env });
    expect(await text(next.stdout)).toBe('directly\n');
  });
});
