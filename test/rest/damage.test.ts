// Each test takes long: the long run has them all.
// @module-tag long
import { chmodSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clone, commitFile, gitClient } from '../support/git_client.ts';
import { git, unpack } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const reported: string[] = [];
const world = await startWorld({ report: (error) => reported.push(String(error)) });
const owner = await world.user();
const api = world.api(owner);
const NOTHING = 'dead'.repeat(10);

/** A project with the branches `main`, `other` and `broken`, the tag `v1`, and its objects as single files. */
async function filled() {
  const project = await world.project({ owner });
  const at = `/projects/${project.id}/repository`;
  const write = (branch: string, name: string) =>
    api.post(`${at}/files/${name}`, { branch, content: name, commit_message: name });
  await write('main', 'first');
  await api.post(`${at}/branches`, { branch: 'broken', ref: 'main' });
  await write('broken', 'x/one');
  const { body } = await api.get(`${at}/branches/broken`);
  await write('broken', 'x/two');
  await write('main', 'second');
  await api.post(`${at}/branches`, { branch: 'other', ref: 'main' });
  await write('other', 'third');
  await api.post(`${at}/tags`, { tag_name: 'v1', ref: 'main', message: 'One' });
  await api.post(`${at}/tags`, { tag_name: 'v2', ref: 'broken', message: 'Two' });
  const directory = world.repositories.directory(project);
  unpack(directory);
  await world.repositories.forget(project);
  const oid = (revision: string) => git(directory, ['rev-parse', revision]).trim();
  return { project, at, directory, oid, before: body.commit.id as string };
}

type Filled = Awaited<ReturnType<typeof filled>>;

function fileOf({ directory }: Filled, oid: string): string {
  return path.join(directory, 'objects', oid.slice(0, 2), oid.slice(2));
}

function spoil(file: string): void {
  chmodSync(file, 0o644);
  writeFileSync(file, 'no object at all');
}

function cut(file: string): void {
  chmodSync(file, 0o644);
  truncateSync(file, 0);
}

const DAMAGES: [string, (filled: Filled) => void][] = [
  [
    'a branch that leads to nothing',
    ({ directory }) => writeFileSync(path.join(directory, 'refs/heads/broken'), `${NOTHING}\n`),
  ],
  ['a branch whose file is empty', ({ directory }) => writeFileSync(path.join(directory, 'refs/heads/broken'), '')],
  [
    'a branch whose file is no ref',
    ({ directory }) => writeFileSync(path.join(directory, 'refs/heads/broken'), 'garbage\n'),
  ],
  [
    'a branch whose file is cut off',
    ({ directory, oid }) => writeFileSync(path.join(directory, 'refs/heads/broken'), oid('broken').slice(0, 20)),
  ],
  [
    'a branch that leads to itself',
    ({ directory }) => writeFileSync(path.join(directory, 'refs/heads/broken'), 'ref: refs/heads/broken\n'),
  ],
  [
    'a branch that leads to a blob',
    ({ directory, oid }) => writeFileSync(path.join(directory, 'refs/heads/broken'), `${oid('main:first')}\n`),
  ],
  ['a tip that is missing', (filled) => rmSync(fileOf(filled, filled.oid('broken')))],
  ['a tip that is damaged', (filled) => spoil(fileOf(filled, filled.oid('broken')))],
  ['a tip that is empty', (filled) => cut(fileOf(filled, filled.oid('broken')))],
  ['an older commit that is missing', (filled) => rmSync(fileOf(filled, filled.before))],
  ['an older commit that is damaged', (filled) => spoil(fileOf(filled, filled.before))],
  ['a tree that is missing', (filled) => rmSync(fileOf(filled, filled.oid('broken^{tree}')))],
  ['a tree that is damaged', (filled) => spoil(fileOf(filled, filled.oid('broken:x')))],
  ['a file that is damaged', (filled) => spoil(fileOf(filled, filled.oid('broken:x/two')))],
  ['an annotation that is missing', (filled) => rmSync(fileOf(filled, filled.oid('v2')))],
  ['an annotation that is damaged', (filled) => spoil(fileOf(filled, filled.oid('v2')))],
  ['a lock that was left', ({ directory }) => writeFileSync(path.join(directory, 'refs/heads/broken.lock'), '')],
  [
    'a pack that is damaged',
    ({ directory }) => {
      writeFileSync(path.join(directory, `objects/pack/pack-${'a'.repeat(40)}.pack`), 'PACK');
      writeFileSync(path.join(directory, `objects/pack/pack-${'a'.repeat(40)}.idx`), 'garbage');
    },
  ],
];

/** Addresses that have to do with sound refs alone. */
const SOUND = [
  '/branches/main',
  '/branches/other',
  '/tags/v1',
  '/commits?ref_name=other',
  '/tree?ref=other',
  '/compare?from=main&to=other',
  '/files/third?ref=other',
  '/commits/other/diff',
  '/contributors',
];

/** Addresses that have to do with what is damaged. */
const TOUCHED = [
  '/branches/broken',
  '/commits?ref_name=broken',
  '/tree?ref=broken&path=x',
  '/compare?from=main&to=broken',
  '/compare?from=broken&to=main',
  '/files/x%2Ftwo?ref=broken',
  '/commits/broken',
  '/tags/v2',
];

describe('In a repository with', () => {
  it.each(DAMAGES)('%s the lists answer, and so does all that has to do with other refs', async (_what, damage) => {
    const own = await filled();
    damage(own);
    await world.repositories.forget(own.project);
    const { at, project, directory } = own;
    for (const list of ['/branches', '/tags']) {
      const { status, body } = await api.get(`${at}${list}`);
      const names = status === 200 ? body.map(({ name }: { name: string }) => name) : [];
      expect([list, status, names]).toEqual([
        list,
        200,
        expect.arrayContaining(list === '/tags' ? ['v1'] : ['main', 'other']),
      ]);
    }
    for (const address of SOUND) expect([address, (await api.get(`${at}${address}`)).status]).toEqual([address, 200]);
    const query = `{ project(ref: "${project.id}") { repository { branches { nodes { name } } tags { nodes { name } } } } }`;
    const { body } = await world.graphql(query, {}, owner);
    expect(body.errors).toBeUndefined();
    expect(body.data.project.repository.branches.nodes).toEqual(
      expect.arrayContaining([{ name: 'main' }, { name: 'other' }]),
    );
    // Nothing of it is an error of the server: what cannot be read is named.
    for (const address of TOUCHED) {
      const answer = await api.get(`${at}${address}`);
      expect([address, [200, 404].includes(answer.status), answer.status]).toEqual([address, true, answer.status]);
      if (answer.status === 404) expect(answer.body.message).toMatch(/Not Found|damaged/);
      expect(JSON.stringify(answer.body)).not.toContain(directory);
    }
    const file = { branch: 'main', content: 'x', commit_message: 'x' };
    expect((await api.post(`${at}/files/new`, file)).status).toBe(201);
    expect((await api.post(`${at}/branches`, { branch: 'more', ref: 'main' })).status).toBe(201);
    const url = `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${project.fullPath}.git`;
    const copy = await clone(url, '--branch', 'other', '--single-branch');
    await commitFile(copy, 'pushed', 'pushed');
    expect((await gitClient(copy, 'push', url, 'other:pushed')).code).toBe(0);
  });

  it('a fresh lock of another program changes of the ref are refused for now, and made once it is gone', async () => {
    const { at, directory, oid } = await filled();
    const before = oid('broken');
    const changes = [
      () => api.post(`${at}/files/new`, { branch: 'broken', content: 'x', commit_message: 'x' }),
      () => api.post(`${at}/branches`, { branch: 'more', ref: 'main' }),
      () => api.post(`${at}/tags`, { tag_name: 'v3', ref: 'main' }),
      () => api.delete(`${at}/branches/broken`),
    ];
    const locks = ['heads/broken', 'heads/more', 'tags/v3'].map((ref) => path.join(directory, 'refs', `${ref}.lock`));
    for (const lock of locks) writeFileSync(lock, '');
    for (const change of changes) {
      const answer = await change();
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '10']);
    }
    expect(oid('broken')).toBe(before);
    for (const lock of locks) rmSync(lock);
    for (const change of changes) expect((await change()).status).toBeLessThan(300);
  });

  it('a damage the log names the repository and the ref, once', async () => {
    const own = await filled();
    writeFileSync(path.join(own.directory, 'refs/heads/broken'), `${NOTHING}\n`);
    reported.length = 0;
    for (let n = 0; n < 3; n++) await api.get(`${own.at}/branches`);
    expect(reported).toEqual([
      expect.stringContaining(`refs/heads/broken cannot be read: ${own.directory} is damaged`),
    ]);
  });
});
