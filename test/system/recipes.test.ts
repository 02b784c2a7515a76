import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import { readDocument } from '../support/documentation.ts';
import { type Finished, run, scratchDirectory } from '../support/server_process.ts';

/*
 * The recipes of examples/testing for clients that are not of the project, as docs/testing-clients.md shows them: each is run as
 * it is, in a project that has Gantry's package, and must have passed both of its tests.
 */
const scratch = scratchDirectory();
const project = path.join(scratch.directory, 'project');
const programs = path.join(scratch.directory, 'programs');
const env = {
  PATH: `${programs}:${process.env.PATH}`,
  HOME: scratch.directory,
  XDG_CACHE_HOME: path.join(scratch.directory, 'cache'),
  NO_COLOR: '1',
};

beforeAll(() => {
  mkdirSync(path.join(project, 'node_modules/@gantry-server'), { recursive: true });
  mkdirSync(programs);
  writeFileSync(path.join(project, 'package.json'), '{"type": "module"}');
  symlinkSync(packageRoot, path.join(project, 'node_modules/@gantry-server/gantry'));
  symlinkSync(packagePath('node_modules/@gitbeaker'), path.join(project, 'node_modules/@gitbeaker'));
  // In the place of an installed package, which test/system/package.test.ts has.
  const npx = `#!/bin/sh\n[ "$1" = gantry ] || exit 64\nshift\nexec "${process.execPath}" "${packagePath('bin/gantry.js')}" "$@"\n`;
  writeFileSync(path.join(programs, 'npx'), npx, { mode: 0o755 });
});
afterAll(() => scratch.remove());

function recipe(name: string, change: (text: string) => string = (text) => text): void {
  const file = packagePath(path.join('examples/testing', name));
  writeFileSync(path.join(project, name), change(readFileSync(file, 'utf8')));
}

/** Skips the test, and says so, where the machine does not have the client. */
async function need(client: string, [command = '', ...args]: string[], { skip }: TestContext): Promise<void> {
  await promisify(execFile)(command, args, { cwd: project }).catch(() => skip(`${client} is not installed here`));
}

const passed = ({ status, stdout, stderr }: Finished, expected: RegExp) => {
  expect(status, stdout + stderr).toBe(0);
  expect(stdout + stderr).toMatch(expected);
};

describe('The recipe of examples/testing for', { timeout: 300_000 }, () => {
  it('@gitbeaker/rest passes', async () => {
    recipe('gitbeaker.test.js');
    passed(await run(process.execPath, ['--test', 'gitbeaker.test.js'], { cwd: project, env }), /pass 2\n.*fail 0\n/s);
  });

  it('python-gitlab passes', async (context) => {
    await need('python-gitlab', ['/usr/bin/python3', '-c', 'import gitlab'], context);
    recipe('python_gitlab_test.py');
    const tested = await run('/usr/bin/python3', ['-m', 'unittest', 'python_gitlab_test.py'], { cwd: project, env });
    passed(tested, /Ran 2 tests.*\nOK\n/s);
  });

  it('the gem gitlab passes', async (context) => {
    await need('The gem gitlab', ['/usr/bin/ruby', '-e', 'require "gitlab"; require "minitest"'], context);
    recipe('gitlab_gem_test.rb');
    const tested = await run('/usr/bin/ruby', ['gitlab_gem_test.rb'], { cwd: project, env });
    passed(tested, /2 runs, \d+ assertions, 0 failures, 0 errors, 0 skips/);
  });

  it("Go's client passes, with the release of it that Debian has", async (context) => {
    const debian = 'github.com/xanzy/go-gitlab';
    await need('go', ['go', 'version'], context);
    await need("Go's client", ['test', '-d', `/usr/share/gocode/src/${debian}`], context);
    // It is the same client under its earlier name, and before Ptr.
    recipe('go_client_test.go', (text) =>
      text.replace('gitlab.com/gitlab-org/api/client-go', debian).replace('gitlab.Ptr(', 'gitlab.String('),
    );
    const gopath = { GOPATH: '/usr/share/gocode', GO111MODULE: 'off', GOFLAGS: '' };
    passed(await run('go', ['test', '-v', 'go_client_test.go'], { cwd: project, env: { ...env, ...gopath } }), PASSED);
  });

  it('each of these clients is named in docs/testing-clients.md', () => {
    for (const name of ['gitbeaker.test.js', 'python_gitlab_test.py', 'gitlab_gem_test.rb', 'go_client_test.go'])
      expect(readDocument('docs/testing-clients.md')).toContain(`examples/testing/${name}`);
  });
});

const PASSED = /--- PASS: TestAnIssueCanBeClosed.*--- PASS: TestItIsOpenInTheNextTest/s;
