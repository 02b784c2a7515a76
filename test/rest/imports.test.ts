// One part in depth, which the long run has.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decrypt } from '#src/platform/secrets.ts';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { startImportingWorld } from '../support/imports.ts';
import { LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';

const { world, owner, api, here, listen, handOn, source, tokenUrl, directoryOf, refsOf, create, ended, fails } =
  await startImportingWorld();
const outsider = await world.user();
const admin = await world.user({ admin: true });

describe('POST /projects with import_url', () => {
  it('refuses what pushes could not bring either, and more than the quota', LONG, async () => {
    const { url } = await source();
    const { limits } = world.repositories;
    const before = { ...limits };
    try {
      limits.objectBytes = 1;
      await fails(url, /^The source is too large: the blob \w+ has \d+ bytes, more than 1 /);
      Object.assign(limits, { ...before, quotaBytes: 100 });
      const failed = await ended(await create(url));
      expect(failed.import_error).toMatch(/GANTRY_REPOSITORY_QUOTA_BYTES/);
    } finally {
      Object.assign(limits, before);
    }
  });

  it('brings branches, tags and the default branch, and records them without events of pushes', LONG, async () => {
    const { project, url } = await source();
    const created = await create(url);
    const body = await ended(created);
    expect(body).toMatchObject({ import_status: 'finished', default_branch: 'main' });
    expect(body.import_error).toBeUndefined();
    expect(refsOf(created)).toEqual(refsOf(project));
    const directory = directoryOf(created);
    expect(git(directory, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/main');
    expect(gitLines(directory, ['fsck', '--strict'])).toEqual([]);
    expect(gitLines(directory, ['config', '--list']).join()).not.toMatch(/remote|http|127/);
    expect(readdirSync(path.dirname(directory)).filter((name) => name.includes('import'))).toEqual([]);
    const { body: branches } = await api.get(`/projects/${created.id}/repository/branches`);
    expect(branches.map((branch: Json) => [branch.name, branch.protected])).toEqual([
      ['main', true],
      ['topic/größe', false],
    ]);
    expect(await world.db.projectCounters.findUnique({ where: { projectId: created.id } })).toMatchObject({
      commits: 3,
    });
    expect(await world.db.recordedRef.count({ where: { projectId: created.id } })).toBe(3);
    const { body: events } = await api.get(`/projects/${created.id}/events`);
    expect(events.map(({ action_name }: Json) => action_name)).toEqual(['imported', 'created']);
    expect(await world.db.projectImport.count({ where: { projectId: created.id } })).toBe(0);
    const work = await clone(tokenUrl({ fullPath: created.path_with_namespace }));
    await commitFile(work, 'own.txt', 'own\n');
    await run(work, 'push', '--quiet', 'origin', 'main');
    expect(gitLines(directory, ['fsck', '--strict'])).toEqual([]);
  });

  it('fails with that reason where the history of the source is cut off', LONG, async () => {
    const { project, url } = await source();
    const oldest = git(directoryOf(project), ['rev-parse', 'main~1']);
    writeFileSync(path.join(directoryOf(project), 'shallow'), oldest);
    await fails(url, /^The source is a shallow repository: /);
  });

  it('fails with that reason where the source names its objects by SHA-256', LONG, async () => {
    const { project, url } = await source();
    const directory = directoryOf(project);
    rmSync(directory, { recursive: true });
    execFileSync('git', ['init', '--quiet', '--bare', '--object-format=sha256', directory]);
    const commit = 'commit refs/heads/main\ncommitter P <p@example.com> 1 +0000\ndata 0\n\n';
    git(directory, ['fast-import', '--quiet'], commit);
    await fails(url, /^The source names its objects by SHA-256, which is not supported/);
  });

  it.each(['refs/heads/HEAD', 'refs/heads/-x', 'refs/tags/-x'])(
    'fails where the source has a name that is not allowed: %s',
    LONG,
    async (name) => {
      const { project, url } = await source();
      git(directoryOf(project), ['update-ref', name, 'main']);
      await fails(url, `whose name is not allowed: ${name}`);
    },
  );

  it('brings odd histories whole', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    await fillRepository(world, project, oddHistory({ packed: true }));
    const created = await create(`${world.url}/${project.fullPath}.git`);
    expect((await ended(created)).import_status).toBe('finished');
    const wanted = gitLines(directoryOf(project), ['for-each-ref', 'refs/heads', 'refs/tags']);
    expect(refsOf(created)).toEqual(wanted);
  });

  it('keeps a default branch that was asked for and is there, else takes that of the source', LONG, async () => {
    const { url } = await source();
    const wanted = await create(url, { default_branch: 'topic/größe' });
    const other = await create(url, { default_branch: 'nowhere' });
    expect((await ended(wanted)).default_branch).toBe('topic/größe');
    expect((await ended(other)).default_branch).toBe('main');
  });

  it('ends well with an empty source', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const created = await create(`${world.url}/${project.fullPath}.git`);
    expect(await ended(created)).toMatchObject({ import_status: 'finished', default_branch: null });
    const file = { branch: 'trunk', content: 'x', commit_message: 'First' };
    expect((await api.post(`/projects/${created.id}/repository/files/a`, file)).status).toBe(201);
  });

  it('sends user name and password to the source, and keeps them no longer than it needs them', LONG, async () => {
    const { url } = await source({ visibility: 'private' });
    const secret = `oauth2:${owner.token}`;
    const gate = Promise.withResolvers<void>();
    const slow = await listen((asked, response) => void gate.promise.then(() => handOn(asked, response)));
    world.imports.hosts = [slow.host];
    const created = await create(url.replace(`http://${here}`, `http://${secret}@${slow.host}`));
    expect(JSON.stringify(created)).not.toContain(owner.token);
    await world.until(async () => slow.requests.length > 0);
    const row = await world.db.projectImport.findUniqueOrThrow({ where: { projectId: created.id } });
    expect(Buffer.from(row.source).toString('latin1')).not.toContain(owner.token);
    expect(decrypt(row.source, world.as(owner).secret)).toContain(secret);
    const processes = execFileSync('ps', ['axeww'], { encoding: 'utf8' });
    expect(processes).toContain('git-remote-http');
    expect(processes).not.toContain(owner.token);
    gate.resolve();
    expect((await ended(created)).import_status).toBe('finished');
    expect(refsOf(created)).toHaveLength(3);
    expect(await world.db.projectImport.count({ where: { projectId: created.id } })).toBe(0);
  });

  it('is for administrators for other users too', LONG, async () => {
    const { url } = await source();
    const name = world.unique('For');
    const { status, body } = await world.api(admin).post(`/projects/user/${owner.id}`, { name, import_url: url });
    expect([status, body.import_status]).toEqual([201, expect.any(String)]);
    expect((await ended(body)).import_status).toBe('finished');
  });

  it.each(['', '  ', null])('imports nothing for %j', async (importUrl) => {
    const { status, body } = await api.post('/projects', { name: world.unique('Plain'), import_url: importUrl });
    expect([status, 'import_status' in body]).toEqual([201, false]);
  });

  it('is there in GraphQL', LONG, async () => {
    const { url } = await source();
    const mutation = `mutation ($input: CreateProjectInput!) {
      createProject(input: $input) { project { databaseId importStatus importError } } }`;
    const input = { name: world.unique('Graph'), importUrl: url };
    const { body } = await world.graphql(mutation, { input }, owner);
    const { project } = body.data.createProject;
    expect(project).toMatchObject({
      importStatus: expect.stringMatching(/^(SCHEDULED|STARTED|FINISHED)$/),
      importError: null,
    });
    expect((await ended({ id: project.databaseId })).import_status).toBe('finished');
    const blocked = await world.graphql(mutation, { input: { ...input, importUrl: 'http://127.0.0.1/x' } }, owner);
    expect(blocked.body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.importUrl': expect.anything() },
    });
  });
});

describe('While the repository is imported', () => {
  it('nobody writes to it, forks it, or sees half of it', LONG, async () => {
    const { project } = await source();
    const gate = Promise.withResolvers<void>();
    const slow = await listen((asked, response) => void gate.promise.then(() => handOn(asked, response)));
    world.imports.hosts = [slow.host];
    const created = await create(`http://${slow.host}/${project.fullPath}.git`);
    const at = `/projects/${created.id}`;
    await world.until(async () => slow.requests.length > 0);
    expect((await api.get(at)).body.import_status).toBe('started');
    const refused = { message: 'The repository is being imported: it can be written to when that is finished.' };
    const file = { branch: 'main', content: 'x', commit_message: 'First' };
    expect(await api.post(`${at}/repository/files/a`, file)).toMatchObject({ status: 400, body: refused });
    const actions = [{ action: 'create', file_path: 'a', content: 'x' }];
    const commit = { branch: 'main', commit_message: 'First', actions };
    expect(await api.post(`${at}/repository/commits`, commit)).toMatchObject({ status: 400, body: refused });
    expect(await api.post(`${at}/repository/branches`, { branch: 'b', ref: 'main' })).toMatchObject({
      status: 400,
      body: refused,
    });
    expect((await api.post(`${at}/repository/tags`, { tag_name: 'b', ref: 'main' })).body).toEqual(refused);
    expect(await api.post(`${at}/fork`)).toMatchObject({ status: 409 });
    const work = await workingCopy();
    await commitFile(work, 'a', 'a');
    const pushed = await gitClient(work, 'push', tokenUrl({ fullPath: created.path_with_namespace }), 'main');
    expect([pushed.code === 0, pushed.said]).toEqual([false, expect.stringContaining('being imported')]);
    expect((await clone(tokenUrl({ fullPath: created.path_with_namespace }))).length).toBeGreaterThan(0);
    expect((await api.get(`${at}/repository/branches`)).body).toEqual([]);
    gate.resolve();
    expect((await ended(created)).import_status).toBe('finished');
    expect(refsOf(created)).toEqual(refsOf(project));
    expect((await api.post(`${at}/repository/files/a`, file)).status).toBe(201);
  });

  it('it can be deleted, and nothing of it stays', LONG, async () => {
    const { project } = await source();
    const gate = Promise.withResolvers<void>();
    const slow = await listen((asked, response) => void gate.promise.then(() => handOn(asked, response)));
    world.imports.hosts = [slow.host];
    const created = await create(`http://${slow.host}/${project.fullPath}.git`);
    await world.until(async () => slow.requests.length > 0);
    expect((await api.delete(`/projects/${created.id}`)).status).toBe(202);
    gate.resolve();
    await world.idle();
    const directory = directoryOf(created);
    expect(readdirSync(path.dirname(directory)).filter((name) => name.startsWith(path.basename(directory)))).toEqual(
      [],
    );
    expect(await world.db.project.count({ where: { id: created.id } })).toBe(0);
  });

  it('why it failed is for those who administer the project', async () => {
    world.imports.hosts = ['127.0.0.1'];
    const created = await create('http://127.0.0.1:1/a.git', { visibility: 'public' });
    await ended(created);
    const { body } = await world.api(outsider).get(`/projects/${created.id}`);
    expect([body.import_status, 'import_error' in body]).toEqual(['failed', false]);
  });
});
