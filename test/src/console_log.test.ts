import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createPrettyLogger } from '#src/platform/observability/console_log.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { LONG } from '../support/long.ts';
import { run } from '../support/server_process.ts';

/** What a logger for people writes. */
async function written(log: (logger: Awaited<ReturnType<typeof createPrettyLogger>>) => void): Promise<string> {
  const to = new PassThrough();
  const output = text(to);
  log(await createPrettyLogger('info', to));
  // The stream is written to in turns of its own.
  await new Promise((resolve) => setTimeout(resolve, 50));
  to.end();
  return output;
}

describe('The log on a terminal', () => {
  it('has a line for each request: when, what, with which status, and for how long', async () => {
    const request = { id: 'a', method: 'GET', route: '/api/v4/projects', path: '/api/v4/projects?page=2', bytes: 9 };
    const output = await written((log) => log.info({ ...request, status: 200, ms: 12.3, user: 7 }, 'request'));
    expect(output).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: GET \/api\/v4\/projects\?page=2 200 in 12\.3 ms user=7\n$/);
  });

  it('tells fields and stacks, and no secrets', async () => {
    const output = await written((log) => {
      log.warn({ ms: 1200, statement: 'SELECT 1' }, 'slow statement');
      log.error({ err: new Error('It broke'), password: 'correct horse' }, 'unexpected');
      log.debug('unseen');
    });
    expect(output).toContain('WARN: slow statement ms=1200 statement=SELECT 1\n');
    expect(output).toMatch(/ERROR: unexpected password=\[redacted\]\nError: It broke\n +at /);
    expect(output).not.toMatch(/correct horse|unseen/);
  });

  it('does not let clients steer the terminal', async () => {
    const output = await written((log) => log.info({ path: '\u{1b}[2J\u{7}a\u{9b}b\r' }, 'ssh'));
    expect(output).toContain('path=�[2J�a�b�\n');
  });

  it('is for terminals alone: elsewhere each line is JSON', LONG, async () => {
    const program = `
      const { createConsoleLogger } = await import(${JSON.stringify(packagePath('src/platform/observability/console_log.ts'))});
      (await createConsoleLogger('info')).info({ extra: 1 }, 'It started');
      setTimeout(() => {}, 50);`;
    const node = [process.execPath, '--input-type=module', '--eval', program];
    const env = { PATH: process.env.PATH, NO_COLOR: '1' };
    const [command = '', ...args] = node;
    const piped = await run(command, args, { env });
    expect(JSON.parse(piped.stdout)).toMatchObject({ level: 'info', msg: 'It started', extra: 1 });
    const quoted = node.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const terminal = await run('script', ['--quiet', '--return', '--command', quoted, '/dev/null'], { env });
    expect(terminal.stdout).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: It started extra=1\r?\n$/);
  });

  it('writes all lines in their order, however the process ends', LONG, async () => {
    for (const end of ['', 'process.exit(3);', 'throw new Error();']) {
      const program = `
        const { createConsoleLogger } = await import(${JSON.stringify(packagePath('src/platform/observability/console_log.ts'))});
        const log = await createConsoleLogger('info');
        for (const level of ['info', 'error', 'info', 'warn']) log[level](level);
        ${end}`;
      const args = ['--input-type=module', '--eval', program];
      const { stdout } = await run(process.execPath, args, { env: { PATH: process.env.PATH } });
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).level);
      expect([end, ...lines]).toEqual([end, 'info', 'error', 'info', 'warn']);
    }
  });
});
