// Each test takes long: the long run has them all.
// @module-tag long
import { createHash } from 'node:crypto';

import { chmodSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { containersStore, placeOf as placeOfBlob } from '#src/domain/container_registry/place.ts';
import { packagesStore } from '#src/domain/packages/place.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { receiveLfsObject } from '#src/domain/uploads/lfs/objects.ts';
import { lfsStore, placeOf } from '#src/domain/uploads/lfs/place.ts';
import { check } from '#src/entrances/fsck/check.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';
import { forgetProgram } from '#src/git/program/detect.ts';
import { uploadPath } from '../support/beside.ts';
import { ContainerClient, imageOf } from '../support/container_client.ts';
import { git, unpack } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
const NOTHING = 'dead'.repeat(10);

async function filled() {
  const project = await world.project({ owner });
  const at = `/projects/${project.id}/repository`;
  const file = { branch: 'main', content: 'x', commit_message: 'x' };
  expect((await api.post(`${at}/files/first`, file)).status).toBe(201);
  expect((await api.post(`${at}/branches`, { branch: 'topic', ref: 'main' })).status).toBe(201);
  const directory = world.repositories.directory(project);
  unpack(directory);
  return { project, directory, oid: (revision: string) => git(directory, ['rev-parse', revision]).trim() };
}

/** Leaves nothing of the tests before, where the whole server is checked. */
async function forgetAll(): Promise<void> {
  for (const project of await world.db.project.findMany()) {
    rmSync(world.repositories.directory(project), { recursive: true, force: true });
  }
  await world.db.project.deleteMany();
}

async function findings(project?: ProjectRow, fix = false): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of check(world, { project: project?.fullPath, fix })) found.push(finding);
  return found;
}

function spoil(directory: string, oid: string): void {
  const file = path.join(directory, 'objects', oid.slice(0, 2), oid.slice(2));
  chmodSync(file, 0o644);
  writeFileSync(file, 'no object at all');
}

/** Of an empty file. */
async function* content(): AsyncGenerator<Uint8Array> {}

const old = (file: string) => utimesSync(file, Date.now() / 1000 - 5 * 3600, Date.now() / 1000 - 5 * 3600);

type Filled = Awaited<ReturnType<typeof filled>>;

const DAMAGES: [string, (filled: Filled) => unknown, RegExp[]][] = [
  ['nothing in a sound repository', () => undefined, []],
  [
    'a ref that leads to nothing',
    ({ directory }) => writeFileSync(path.join(directory, 'refs/heads/topic'), `${NOTHING}\n`),
    [/^refs\/heads\/topic leads to dead.* missing/, /^refs\/heads\/topic is at dead/],
  ],
  [
    'a ref whose file is empty',
    ({ directory }) => writeFileSync(path.join(directory, 'refs/heads/topic'), ''),
    [/^The file of refs\/heads\/topic is not a ref/, /^refs\/heads\/topic is not there; the database has [0-9a-f]{40}/],
  ],
  [
    'a damaged object',
    ({ directory, oid }) => spoil(directory, oid('main:first')),
    [/^Objects are missing or damaged/],
  ],
  [
    'a missing object',
    ({ directory, oid }) => rmSync(path.join(directory, 'objects', oid('main:').slice(0, 2), oid('main:').slice(2))),
    [/^Objects are missing or damaged: .*[0-9a-f]{40}/],
  ],
  [
    'a repository that is missing',
    ({ directory }) => rmSync(directory, { recursive: true }),
    [/^The repository is missing; the database knows of 2/],
  ],
  ['a directory without HEAD', ({ directory }) => rmSync(path.join(directory, 'HEAD')), [/HEAD is missing/]],
  [
    'a ref that the database does not know',
    ({ directory, oid }) => git(directory, ['update-ref', 'refs/heads/new', oid('main')]),
    [/^refs\/heads\/new is at [0-9a-f]{40}; the database has no such ref/],
  ],
  [
    'an uploaded file that is missing',
    ({ project }) =>
      world.db.upload.create({
        data: {
          projectId: project.id,
          secret: String(project.id).padStart(32, '0'),
          fileName: 'a.txt',
          userId: owner.id,
          size: 1,
        },
      }),
    [/^The uploaded file .*a\.txt is missing/],
  ],
];

describe('gantry fsck finds', () => {
  it.each(DAMAGES)('%s', async (_what, damage, expected) => {
    const own = await filled();
    await damage(own);
    await world.repositories.forget(own.project);
    const found = await findings(own.project);
    expect(found.map(({ what }) => what)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    for (const { project, advice, isFixed } of found) {
      expect([project, isFixed ?? false]).toEqual([own.project.fullPath, false]);
      expect(advice).toMatch(/\w{4}/);
    }
  });

  it('damage among very many broken refs, of which it tells the first ones', async () => {
    const own = await filled();
    for (let at = 0; at < 25; at++) writeFileSync(path.join(own.directory, `refs/heads/broken-${at}`), `${NOTHING}\n`);
    spoil(own.directory, own.oid('main:first'));
    const whats = (await findings(own.project)).map(({ what }) => what);
    expect(whats).toContainEqual(expect.stringMatching(/^Objects are missing or damaged: .*[0-9a-f]{38}/));
    expect(whats).toContain('There are 5 more broken refs.');
    expect(whats).toContain('There are 5 more refs that differ from the database.');
  });

  it('a branch that is not a commit beside a broken one whose name it begins with', async () => {
    const own = await filled();
    writeFileSync(path.join(own.directory, 'refs/heads/top'), `${NOTHING}\n`);
    writeFileSync(path.join(own.directory, 'refs/heads/topic'), `${own.oid('main:first')}\n`);
    const whats = (await findings(own.project)).map(({ what }) => what);
    expect(whats).toContainEqual(
      expect.stringMatching(/^Objects are missing or damaged: .*refs\/heads\/topic: not a commit/),
    );
  });

  it('that a damaged object does no harm where no ref leads to it', async () => {
    const own = await filled();
    const unused = git(own.directory, ['hash-object', '-w', '--stdin'], 'cut off').trim();
    const file = path.join(own.directory, 'objects', unused.slice(0, 2), unused.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, '');
    const [finding, ...others] = await findings(own.project);
    expect(finding).toMatchObject({ what: expect.stringContaining('Nothing was lost'), isHarmless: true });
    expect(others).toEqual([]);
    // With one that a branch needs it is another matter.
    spoil(own.directory, own.oid('main:first'));
    const both = await findings(own.project);
    expect(both.map(({ what, isHarmless = false }) => [what, isHarmless])).toEqual([
      [expect.stringMatching(/^Objects are missing or damaged/), false],
    ]);
  });

  it('missing and damaged objects without the git program as well', async () => {
    const own = await filled();
    const missing = own.oid('main^{tree}');
    spoil(own.directory, missing);
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    forgetProgram();
    try {
      const found = await findings(own.project);
      expect(found.map(({ what }) => what)).toEqual([expect.stringContaining(missing)]);
    } finally {
      process.env.PATH = PATH;
      forgetProgram();
    }
  });

  it('leftovers, which it removes when it is told to, and nothing else', async () => {
    const { project, directory } = await filled();
    const lock = path.join(directory, 'refs/heads/gone.lock');
    const young = path.join(directory, 'refs/heads/now.lock');
    const incoming = path.join(directory, 'objects/incoming-1');
    for (const file of [lock, young]) writeFileSync(file, '');
    mkdirSync(incoming);
    for (const file of [lock, incoming]) old(file);
    writeFileSync(path.join(directory, 'refs/heads/broken'), `${NOTHING}\n`);
    const all = [
      expect.stringContaining('refs/heads/broken leads'),
      expect.stringContaining('refs/heads/broken is at'),
    ];
    const leftovers = [expect.stringContaining('objects/incoming-1'), expect.stringContaining('gone.lock')];
    expect((await findings(project)).map(({ what }) => what)).toEqual([...all, ...leftovers]);
    const harmless = (await findings(project)).map(({ isHarmless = false }) => isHarmless);
    expect(harmless).toEqual([false, false, true, true]);
    const fixed = await findings(project, true);
    expect(fixed.map(({ isFixed }) => isFixed ?? false)).toEqual([false, false, true, true]);
    expect((await findings(project)).map(({ what }) => what)).toEqual(all);
    expect([lock, young, incoming].map((file) => existsSync(file))).toEqual([false, true, false]);
  });

  it('what belongs to no project, and files that were never recorded; it removes only what was broken off', async () => {
    await forgetAll();
    const { directory } = await filled();
    const stray = path.join(path.dirname(directory), '99999999.git');
    const draft = `${stray}.copy-0123456789abcdef`;
    for (const folder of [stray, draft]) mkdirSync(folder);
    old(draft);
    const place = { projectId: 99_999_999, secret: 'e'.repeat(32), fileName: 'a.txt' };
    await world.uploads.write(place, content(), 0);
    old(uploadPath(world, place.projectId, place.secret, place.fileName));
    const about = async (fix: boolean) =>
      (await findings(undefined, fix)).filter((finding) => /9{8}/.test(finding.place)).map(({ what }) => what);
    const whats = [/No project/, /copy or an import was interrupted/, /upload was interrupted/].map((pattern) =>
      expect.stringMatching(pattern),
    );
    expect((await about(false)).sort()).toEqual(expect.arrayContaining(whats));
    await about(true);
    expect(await about(false)).toEqual([expect.stringMatching(/No project/)]);
    expect(existsSync(stray)).toBe(true);
    rmSync(stray, { recursive: true });
  });

  it('files of packages that are missing, and those that were never recorded', async () => {
    await forgetAll();
    const { project } = await filled();
    const address = (name: string) => `/api/v4/projects/${project.id}/packages/generic/app/1/${name}`;
    const headers = { 'PRIVATE-TOKEN': owner.token };
    for (const name of ['kept', 'lost']) await world.send('PUT', address(name), { headers, body: 'x' });
    expect(await findings(project)).toEqual([]);
    const lost = await world.db.packageFile.findFirstOrThrow({ where: { projectId: project.id, fileName: 'lost' } });
    const store = packagesStore(world);
    await store.remove(lost);
    expect(await findings(project)).toMatchObject([{ what: 'The file lost of package app 1 is missing.' }]);
    const place = { projectId: project.id, secret: 'f'.repeat(32), fileName: 'a.txt' };
    await store.write(place, content(), 0);
    old(uploadPath(world, 'packages', project.id, place.secret, place.fileName));
    const broken = async (fix: boolean) =>
      (await findings(undefined, fix)).filter(({ place: at }) => at.includes('ffff'));
    expect(await broken(true)).toMatchObject([{ isHarmless: true, isFixed: true }]);
    expect(await broken(false)).toEqual([]);
    expect(await store.has(place)).toBe(false);
  });

  it('damage of the repositories of snippets, and those that are missing', async () => {
    const { project } = await filled();
    const at = `/projects/${project.id}/snippets`;
    const { body } = await api.post(at, { title: 'One', file_name: 'one', code: 'x', visibility: 'private' });
    expect((await api.put(`${at}/${body.id}`, { code: 'y' })).status).toBe(200);
    expect(await findings(project)).toEqual([]);
    const directory = world.repositories.directory({ id: body.id, repositoryStorage: 'default', owner: 'snippet' });
    unpack(directory);
    spoil(directory, git(directory, ['rev-parse', 'main~1:one']).trim());
    const name = `snippets/${body.id}`;
    expect(await findings(project)).toMatchObject([
      { project: name, place: directory, what: expect.stringMatching(/^Objects are missing or damaged/) },
    ]);
    rmSync(directory, { recursive: true });
    expect(await findings(project)).toMatchObject([
      { project: name, what: 'The repository is missing; its files are in the database.' },
    ]);
    // It is made anew of them.
    expect((await api.put(`${at}/${body.id}`, { code: 'z' })).status).toBe(200);
    expect(await findings(project)).toEqual([]);
  });

  it('damage of wikis, whose branches are not in the database', async () => {
    const { project } = await filled();
    const page = { title: 'home', content: 'x' };
    expect((await api.post(`/projects/${project.id}/wikis`, page)).status).toBe(201);
    expect(await findings(project)).toEqual([]);
    const directory = world.repositories.directory({ ...project, wiki: true });
    unpack(directory);
    spoil(directory, git(directory, ['rev-parse', 'HEAD:home.md']).trim());
    writeFileSync(path.join(directory, 'refs/heads/topic'), `${NOTHING}\n`);
    const found = await findings(project);
    expect(found.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^refs\/heads\/topic leads to dead/),
      expect.stringMatching(/^Objects are missing or damaged/),
    ]);
    expect(found.map(({ project: path, place }) => [path, place])).toEqual(
      Array(2).fill([project.fullPath, directory]),
    );
  });

  it('objects of Git LFS that are missing, too short or changed, each once, and files that were never recorded', async () => {
    await forgetAll();
    const [one, other] = [await filled(), await filled()];
    const store = lfsStore(world);
    const give = async (text: string, projects = [one.project]) => {
      const oid = createHash('sha256').update(text).digest('hex');
      for (const project of projects) {
        const bytes = async function* () {
          yield Buffer.from(text);
        };
        await receiveLfsObject(world.as(owner), project, { oid, size: text.length }, bytes());
      }
      const { secret } = await world.db.lfsObject.findUniqueOrThrow({ where: { oid } });
      const place = placeOf({ oid, secret });
      return { oid, place, file: uploadPath(world, 'lfs', place.projectId, secret, oid) };
    };
    const sound = await give('sound');
    const [gone, short, changed] = [
      await give('gone', [one.project, other.project]),
      await give('short'),
      await give('changed'),
    ];
    expect(await findings(one.project)).toEqual([]);
    await store.remove(gone.place);
    writeFileSync(short.file, 'shor');
    writeFileSync(changed.file, 'CHANGED');
    const told = async (project?: ProjectRow) =>
      (await findings(project)).filter(({ place }) => place.startsWith('lfs/')).map(({ what }) => what);
    const faults = [
      `The Git LFS object ${gone.oid} is missing.`,
      `The Git LFS object ${short.oid} has 4 bytes in place of 5.`,
      `The Git LFS object ${changed.oid} is damaged: its content has another hash.`,
    ];
    expect(await told(one.project)).toEqual(faults);
    expect(await told(other.project)).toEqual(faults.slice(0, 1));
    expect(await told()).toEqual(faults);
    const stray = { ...sound.place, secret: 'e'.repeat(32) };
    await store.write(stray, content(), 0);
    old(uploadPath(world, 'lfs', stray.projectId, stray.secret, stray.fileName));
    const fixed = (await findings(undefined, true)).filter(({ place }) => place.includes('eeee'));
    expect(fixed).toMatchObject([{ isHarmless: true, isFixed: true }]);
    expect([await store.has(stray), await store.has(sound.place)]).toEqual([false, true]);
  });

  it('blobs of images that are missing, and those that were never recorded', async () => {
    await forgetAll();
    const { project } = await filled();
    const images = new ContainerClient(world.url, owner);
    const [kept, lost] = [imageOf(), imageOf()];
    for (const image of [kept, lost]) await images.pushImage(project.fullPath.toLowerCase(), image.digest, image);
    expect(await findings(project)).toEqual([]);
    const { digest } = lost.config;
    const store = containersStore(world);
    await store.remove(placeOfBlob(await world.db.containerBlob.findUniqueOrThrow({ where: { digest } })));
    expect(await findings(project)).toMatchObject([{ what: `The blob ${digest} of images is missing.` }]);
    const place = placeOfBlob({ secret: 'f'.repeat(32) });
    await store.write(place, content(), 0);
    old(uploadPath(world, 'containers', place.projectId, place.secret, place.fileName));
    const broken = async (fix: boolean) =>
      (await findings(undefined, fix)).filter(({ place: at }) => at.includes('ffff'));
    expect(await broken(true)).toMatchObject([{ isHarmless: true, isFixed: true }]);
    expect(await broken(false)).toEqual([]);
    expect(await store.has(place)).toBe(false);
  });

  it('no project of a name that there is not', async () => {
    await expect(findings({ fullPath: 'no/where' } as ProjectRow)).rejects.toThrow('There is no project "no/where"');
  });
});
