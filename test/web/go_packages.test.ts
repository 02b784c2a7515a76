// One protocol of several in depth, which the long run has.
// @module-tag long
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { scratch } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { registryWorld } from '../support/registry.ts';

const { world, owner, reporter, guest, stranger, made, send } = await registryWorld();

/** A project with modules in its root and a directory, and with what belongs to neither. */
async function modules() {
  const project = await made({ path: world.unique('Mod') });
  const name = `127.0.0.1/${project.fullPath}`;
  const files = {
    'go.mod': `module ${name}\n\ngo 1.22\n`,
    'main.go': 'package main\n',
    'vendor/other/other.go': 'package other\n',
    'sub/go.mod': `module ${name}/sub\n`,
    'sub/deep/sub.go': 'package deep\n',
  };
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
  const api = world.api(owner);
  const commit = { branch: 'master', commit_message: 'Begin', actions };
  const { body } = await api.post(`/projects/${project.id}/repository/commits`, commit);
  for (const tag_name of ['v1.0.0', 'v1.10.0', 'v1.9.0', 'v1.11.0-rc.1', 'v2.0.0', 'sub/v0.1.0', 'latest', 'v1.2'])
    await api.post(`/projects/${project.id}/repository/tags`, { tag_name, ref: 'master' });
  // As Go writes it in addresses.
  const module = name.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
  const at = `/projects/${project.id}/packages/go/${module}`;
  const get = (rest: string, who: typeof owner | null = reporter) => send(who, 'GET', `${at}${rest}`);
  return { project, name, get, commit: body as Json };
}

async function namesIn(answer: Response): Promise<string[]> {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const file = path.join(scratch(), 'a.zip');
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  const { stdout } = await promisify(execFile)('unzip', ['-Z1', file]);
  return stdout
    .trim()
    .split('\n')
    .filter((line) => !line.endsWith('/'))
    .sort();
}

describe('The proxy of Go modules', () => {
  it('lists the tags that are versions, and has their files without other modules', async () => {
    const { get, name, commit } = await modules();
    expect(await (await get('/@v/list')).text()).toBe('v1.0.0\nv1.9.0\nv1.10.0\nv1.11.0-rc.1\n');
    const Time = new Date(commit.committed_date).toISOString().replace(/\.\d+/, '');
    expect(await (await get('/@latest')).json()).toEqual({ Version: 'v1.10.0', Time });
    expect(await (await get('/@v/v1.9.0.info')).json()).toEqual({ Version: 'v1.9.0', Time });
    expect(await (await get('/@v/v1.9.0.mod')).text()).toBe(`module ${name}\n\ngo 1.22\n`);
    expect(await namesIn(await get('/@v/v1.9.0.zip'))).toEqual([`${name}@v1.9.0/go.mod`, `${name}@v1.9.0/main.go`]);
    expect((await get('/@v/v3.0.0.info')).status).toBe(404);
    // Its go.mod is that of another module.
    expect((await get('/v2/@v/v2.0.0.mod')).status).toBe(404);
  });

  it('has modules in directories, and versions that name a commit', async () => {
    const { get, name, commit } = await modules();
    expect(await (await get('/sub/@v/list')).text()).toBe('v0.1.0\n');
    const files = await namesIn(await get('/sub/@v/v0.1.0.zip'));
    expect(files).toEqual([`${name}/sub@v0.1.0/deep/sub.go`, `${name}/sub@v0.1.0/go.mod`]);
    const { Version: version } = (await (await get('/@v/master.info')).json()) as Json;
    expect(version).toMatch(new RegExp(`^v0\\.0\\.0-\\d{14}-${commit.id.slice(0, 12)}$`));
    expect(await (await get(`/@v/${version}.info`)).json()).toMatchObject({ Version: version });
    expect((await get(`/@v/${version.replace(/-\d{14}/, '-20200101000000')}.info`)).status).toBe(404);
  });

  it('is for those who may read the code, and for the modules of the project alone', async () => {
    const { get, project } = await modules();
    expect((await get('/@v/list', guest)).status).toBe(403);
    expect((await get('/@v/list', stranger)).status).toBe(404);
    expect((await get('/@v/list', null)).status).toBe(401);
    for (const module of [`example.com/${project.fullPath}`, `127.0.0.1/${project.fullPath}x`, '127.0.0.1'])
      expect((await send(reporter, 'GET', `/projects/${project.id}/packages/go/${module}/@v/list`)).status).toBe(404);
    expect((await get('/none/@v/v1.0.0.zip')).status).toBe(404);
  });
});
