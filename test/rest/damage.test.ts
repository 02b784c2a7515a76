import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clone } from '../support/git-client.ts';
import { git, unpack } from '../support/git-program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
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

describe('In a repository with', () => {
  it.each(DAMAGES)('%s the lists answer, and so does all that has to do with other refs', async (what, damage) => {
    const own = await filled();
    damage(own);
    await world.repositories.forget(own.project);
    const { at } = own;
    const odd: string[] = [];
    const ask = async (address: string) => {
      const answer = await api.get(`${at}${address}`);
      if (answer.status >= 400) odd.push(`${answer.status} ${address} ${JSON.stringify(answer.body)}`);
      return answer;
    };
    const branches = await ask('/branches');
    const names = branches.status === 200 ? branches.body.map(({ name }: { name: string }) => name) : [];
    const tags = await ask('/tags');
    for (const a of [
      '/branches/main',
      '/branches/other',
      '/tags/v1',
      '/commits?ref_name=other',
      '/tree?ref=other',
      '/compare?from=main&to=other',
      '/files/third?ref=other',
      '/commits/other/diff',
      '/contributors',
    ])
      await ask(a);
    console.log(
      '@@',
      what,
      names.join(),
      tags.status === 200 ? tags.body.map((t: { name: string }) => t.name).join() : '',
      odd,
    );
    const w = await api.post(`${at}/files/new`, { branch: 'main', content: 'x', commit_message: 'x' });
    const b = await api.post(`${at}/branches`, { branch: 'newb', ref: 'main' });
    const said = [];
    for (const a of [
      '/branches/broken',
      '/commits?ref_name=broken',
      '/tree?ref=broken',
      '/tree?ref=broken&path=x',
      '/compare?from=main&to=broken',
      '/compare?from=broken&to=main',
      '/files/x%2Ftwo?ref=broken',
      '/commits/broken',
      '/tags/v2',
    ]) {
      const r = await api.get(`${at}${a}`);
      if (r.status !== 200) said.push(`${r.status} ${a} ${JSON.stringify(r.body).slice(0, 100)}`);
    }
    const g = await world.graphql(
      `{project(ref:"${own.project.id}"){repository{branches{nodes{name commit{sha}}} tags{nodes{name}}}}}`,
      {},
      owner,
    );
    const url = `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${own.project.fullPath}.git`;
    let c = 'cloned';
    try {
      await clone(url, '--branch', 'other', '--single-branch');
    } catch (e) {
      c = String(e).slice(0, 300);
    }
    console.log(
      '@@  write',
      w.status,
      b.status,
      w.status >= 400 ? w.body : '',
      'graphql',
      JSON.stringify(g.body).slice(0, 200),
      c,
    );
    for (const s of said) console.log('@@     ', s);
    void existsSync, readdirSync, mkdirSync;
  });
});
