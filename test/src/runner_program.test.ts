import { readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runnerCommands } from '#src/entrances/cli/runner.ts';
import { environmentOf, expand } from '#src/entrances/runner/environment.ts';
import { Masker, Masking } from '#src/entrances/runner/masker.ts';
import type { JobPayload } from '#src/entrances/runner/payload.ts';
import { run, scriptOf } from '#src/entrances/runner/shell.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';

const variable = (key: string, value: string, more: object = {}) => ({
  key,
  value,
  public: true,
  file: false,
  ...more,
});
const withVariables = (...variables: ReturnType<typeof variable>[]) => ({ variables }) as unknown as JobPayload;

async function shell(script: string, { timeout = 60_000, signal = new AbortController().signal, program = 'sh' } = {}) {
  const chunks: Buffer[] = [];
  const ending = await run({
    program,
    args: ['-c', script],
    directory: tmpdir(),
    environment: { PATH: process.env.PATH },
    timeout,
    signal,
    onOutput: (chunk) => chunks.push(chunk),
  });
  return { ending, output: Buffer.concat(chunks).toString() };
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function untilDead(pid: number): Promise<void> {
  const patience = performance.now() + 60_000;
  while (isAlive(pid)) {
    if (performance.now() > patience) throw new Error(`${pid} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('Scripts', () => {
  it('print each command before they run it, and end with the first that fails', async () => {
    for (const name of ['sh', 'bash'] as const) {
      const script = scriptOf(["echo 'it''s'", 'printf "%s\\n" a b', 'false', 'echo never'], name);
      expect(await shell(script, { program: name })).toEqual({
        ending: { kind: 'exit', code: 1 },
        output: "$ echo 'it''s'\nits\n$ printf \"%s\\n\" a b\na\nb\n$ false\n",
      });
    }
    const long = scriptOf(['if true\nthen echo yes\nfi', 'echo "$(echo %s)"'], 'sh');
    expect((await shell(long)).output).toBe('$ if true …\nyes\n$ echo "$(echo %s)"\n%s\n');
  });

  it('end with their exit code, and leave no process behind', async () => {
    const { ending, output } = await shell('sleep 1000 & echo $!; exit 42');
    expect(ending).toEqual({ kind: 'exit', code: 42 });
    await untilDead(Number(output));
    expect((await shell('kill -9 $$')).ending).toEqual({ kind: 'exit', code: 137 });
  });

  it('that take too long are ended with all that they started, even if it does not listen', LONG, async () => {
    const { ending, output } = await shell(
      "trap '' TERM; echo $$; sh -c \"trap '' TERM; while true; do sleep 0.1; done\"",
      { timeout: 500 },
    );
    expect(ending).toEqual({ kind: 'timeout' });
    await untilDead(Number(output));
  });

  it('are ended when they are canceled, and do not begin when they are before', LONG, async () => {
    const controller = new AbortController();
    const running = shell('sleep 1000', { signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    expect((await running).ending).toEqual({ kind: 'canceled' });
    expect(await shell('echo never', { signal: controller.signal })).toEqual({
      ending: { kind: 'canceled' },
      output: '',
    });
  });

  it('cannot run without a program, which is an error', async () => {
    const missing = { program: 'no-such-program', args: [], directory: tmpdir(), environment: {}, timeout: 1_000 };
    await expect(run({ ...missing, signal: new AbortController().signal, onOutput: () => undefined })).rejects.toThrow(
      /ENOENT/,
    );
  });
});

describe('The environment of a job', () => {
  it('has the variables of the job, later ones before earlier ones, and nothing of the runner’s own', async () => {
    process.env.RUNNER_SECRET = 'must stay here';
    const files = scratch();
    const own = { A: 'of the runner', OWN: 'yes' };
    const places = { project: '/builds/1/project', builds: '/builds/1', files, own };
    const job = withVariables(
      variable('A', 'first'),
      variable('A', 'second'),
      variable('B', ['is $', '{A}, $UNKNOWN and $$'].join('')),
      variable('SECRET', 'pa$A', { public: false }),
      variable('RAW', 'pa$A', { raw: true }),
      variable('WHERE', '$CI_PROJECT_DIR/$FILE'),
      variable('FILE', 'content', { file: true, public: false }),
      variable('BAD-NAME', 'x'),
      variable('NUL', 'a\0b'),
      variable('PATH', '/own/path'),
    );
    const environment = await environmentOf(job, places);
    expect(environment).toMatchObject({
      A: 'second',
      B: 'is second,  and $',
      SECRET: 'pasecond',
      RAW: 'pa$A',
      WHERE: `/builds/1/project/${environment.FILE}`,
      PATH: '/own/path',
      OWN: 'yes',
      CI_PROJECT_DIR: '/builds/1/project',
    });
    for (const name of ['BAD-NAME', 'NUL', 'RUNNER_SECRET']) expect(environment).not.toHaveProperty(name);
    expect(readFileSync(environment.FILE ?? '', 'utf8')).toBe('content');
    expect(statSync(environment.FILE ?? '').mode & 0o777).toBe(0o600);
    expect(path.dirname(environment.FILE ?? '')).toBe(files);
    delete process.env.RUNNER_SECRET;
  });

  it('has the values of variables in texts, as the runner of today puts them there', () => {
    const text = ['$A-$', '{B}-$C-$', '{}-$'];
    expect(expand(text.join(''), { A: '1', B: '$A' })).toBe('1-$A---$');
    expect(expand('$constructor $toString $1 $? $$ $/ $', {})).toBe('    $ $/ $');
  });
});

describe('A runner that was created on a page', () => {
  it.each([['--description', 'mine'], ['--tag', 'mine'], ['--run-untagged']])(
    'keeps its name and its tags, which are changed there: %s',
    async (...given) => {
      const args = ['--url', 'http://localhost', '--registration-token', 'glrt-token', ...given];
      await expect(runnerCommands['runner register']?.(args)).rejects.toThrow('are changed there');
    },
  );
});

describe('The token of a job', () => {
  it('is hidden in its log, wherever the output is cut', () => {
    const token = 'gjt-secret-token';
    const text = `a ${token}${token} b gjt-secret-tok c gjt-gjt-secret-token`;
    const shown = 'a [MASKED][MASKED] b gjt-secret-tok c gjt-[MASKED]';
    for (let length = 1; length <= text.length; length++) {
      const masker = new Masker(token);
      let out = '';
      for (let at = 0; at < text.length; at += length) out += masker.mask(Buffer.from(text.slice(at, at + length)));
      expect(out + masker.rest()).toBe(shown);
    }
  });

  it('is hidden like the values of masked variables, also where one is part of another', () => {
    const text = 'one-secret, one-secret-more, token; more-secret';
    for (let length = 1; length <= text.length; length++) {
      const masking = new Masking(['token', 'one-secret', 'one-secret-more', '']);
      let out = '';
      for (let at = 0; at < text.length; at += length) out += masking.mask(Buffer.from(text.slice(at, at + length)));
      expect(out + masking.rest()).toBe('[MASKED], [MASKED], [MASKED]; more-secret');
    }
  });

  it('holds back no more than may be its beginning', () => {
    const masker = new Masker('gjt-secret');
    expect(masker.mask(Buffer.from('text gjt')).toString()).toBe('text ');
    expect(masker.mask(Buffer.from('-other')).toString()).toBe('gjt-other');
  });
});
