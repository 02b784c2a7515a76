// Each test takes long: the long run has them all.
// @module-tag long
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { mayRemoveObjects, whileObjectsStay, withRepositoryLock } from '#src/domain/repository/lock.ts';
import { connect } from '#src/platform/database/db.ts';
import { Unavailable } from '#src/platform/errors.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { gitClient, workingCopy } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
const file = { branch: 'main', content: 'x', commit_message: 'First' };

/** As another process of this server has it. */
const elsewhere = connect(world.databaseUrl);
afterAll(() => elsewhere.$disconnect());

/** A project with a commit on `main` and another one on `topic`. */
async function filled(): Promise<{ project: ProjectRow; at: string; commit: string }> {
  const project = await world.project({ owner });
  const at = `/projects/${project.id}/repository`;
  expect((await api.post(`${at}/files/a`, file)).status).toBe(201);
  await api.post(`${at}/branches`, { branch: 'topic', ref: 'main' });
  await api.post(`${at}/files/b`, { ...file, branch: 'topic' });
  return { project, at, commit: (await api.get(`${at}/branches/topic`)).body.commit.id };
}

const actions = [{ action: 'create', file_path: 'c', content: 'x' }];
const WRITES = [
  ['a file', '/files/c', () => file],
  ['a commit', '/commits', () => ({ branch: 'main', commit_message: 'More', actions })],
  ['a cherry-pick', (commit: string) => `/commits/${commit}/cherry_pick`, () => ({ branch: 'main' })],
  ['a branch', '/branches', (commit: string) => ({ branch: 'new', ref: commit })],
  ['a tag', '/tags', (commit: string) => ({ tag_name: 'v1', ref: commit, message: 'One' })],
] as const;

describe('Writes over the API', () => {
  it.each(WRITES)('%s waits while another process removes objects to which no ref leads', async (_what, path, body) => {
    const { project, at, commit } = await filled();
    const refs = () => git(world.repositories.directory(project), ['for-each-ref']);
    const before = refs();
    const removal = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const removing = withRepositoryLock(elsewhere, project.id, () => {
      begun.resolve();
      return removal.promise;
    });
    await begun.promise;
    const address = `${at}${typeof path === 'string' ? path : path(commit)}`;
    let status: number | null = null;
    const written = api.post(address, body(commit)).then((answer) => {
      status = answer.status;
    });
    for (let n = 0; n < 20; n++) await api.get(`/projects/${project.id}`);
    expect([status, refs()]).toEqual([null, before]);
    removal.resolve();
    await removing;
    await written;
    expect(status).toBe(201);
    expect(refs()).not.toBe(before);
  });
});

describe('Objects to which no ref leads any more', () => {
  it('stay while a process reads them that copies the repository', async () => {
    const { project } = await filled();
    const copying = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const copies = [1, 2].map(() =>
      whileObjectsStay(elsewhere, project.id, () => {
        begun.resolve();
        return copying.promise;
      }),
    );
    await begun.promise;
    const may = () => withRepositoryLock(world.db, project.id, (tx) => mayRemoveObjects(tx, project.id));
    expect(await may()).toBe(false);
    copying.resolve();
    await Promise.all(copies);
    expect(await may()).toBe(true);
  });
});

describe('Whoever reads objects to which no ref leads any more', () => {
  it('is told to come back where another process removes such objects for too long', async () => {
    const { project } = await filled();
    await withRepositoryLock(elsewhere, project.id, async (tx) => {
      expect(await mayRemoveObjects(tx, project.id)).toBe(true);
      const reading = whileObjectsStay(world.db, project.id, async () => 'read', 200);
      await expect(reading).rejects.toBeInstanceOf(Unavailable);
    });
    expect(await whileObjectsStay(world.db, project.id, async () => 'read', 200)).toBe('read');
  });
});

describe('Both entrances', () => {
  async function settings(data: object): Promise<void> {
    await world.db.applicationSettings.update({ where: { id: 1 }, data });
    forgetSettings(world.db);
  }
  afterEach(() => settings({ enabledGitAccessProtocol: null }));
  const remote = ({ fullPath }: ProjectRow) =>
    `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${fullPath}.git`;

  it('refuse to write to an archived project, and let it be read', async () => {
    const { project, at, commit } = await filled();
    await api.post(`/projects/${project.id}/archive`);
    for (const [, path, body] of WRITES) {
      const address = `${at}${typeof path === 'string' ? path : path(commit)}`;
      expect((await api.post(address, body(commit))).status).toBe(403);
    }
    const work = await workingCopy();
    expect((await gitClient(work, 'fetch', remote(project), 'main:main2')).code).toBe(0);
    const pushed = await gitClient(work, 'push', remote(project), 'main2:more');
    expect([pushed.code === 0, pushed.said]).toEqual([false, expect.stringContaining('archived')]);
  });

  it('differ where git may only come over SSH: that is said to git, and the API stays open', async () => {
    const { project, at } = await filled();
    await settings({ enabledGitAccessProtocol: 'ssh' });
    const work = await workingCopy();
    for (const args of [
      ['fetch', remote(project), 'main'],
      ['ls-remote', remote(project)],
    ]) {
      const { code, said } = await gitClient(work, ...args);
      expect([code === 0, said]).toEqual([
        false,
        expect.stringContaining('Git access over HTTP is not allowed on this server'),
      ]);
    }
    expect((await api.post(`${at}/files/c`, file)).status).toBe(201);
    expect((await api.get(`${at}/tree`)).status).toBe(200);
    expect((await api.get(`${at}/archive`)).status).toBe(200);
  });
});
