import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { callerOf } from '#src/access/permissions/caller.ts';
import { documentTurns } from '#src/domain/packages/npm.ts';
import { scratch } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const api = world.api(developer);

async function made(settings: Json = {}) {
  const project = await world.project({ owner, visibility: 'private', ...settings });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  return { project, at: `/projects/${project.id}/packages/npm` };
}

/** What `npm publish` sends of a version. */
function publication(name: string, version: string, more: Json = {}): Json {
  const data = Buffer.from(`archive of ${name} ${version}`);
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, description: 'Does it', dependencies: { left: '^1.0.0' } } },
    _attachments: {
      [`${name}-${version}.tgz`]: {
        content_type: 'application/octet-stream',
        data: data.toString('base64'),
        length: data.length,
      },
    },
    ...more,
  };
}

describe('The npm registry of a group', () => {
  it('has what its projects published, and what the caller may read of it alone', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const inside = await world.group({ owner, parentId: group.id, visibility: 'public' });
    const made = (more: { namespaceId?: number }) => world.project({ owner, visibility: 'private', ...more });
    const [first, second, hidden, elsewhere] = await Promise.all([
      made({ namespaceId: group.id }),
      made({ namespaceId: inside.id }),
      made({ namespaceId: group.id }),
      made({}),
    ]);
    const as = world.api(owner);
    const publish = (project: { id: number }, version: string, name = '@team/app') =>
      as.put(`/projects/${project.id}/packages/npm/${encodeURIComponent(name)}`, publication(name, version));
    await publish(first, '1.0.0');
    await publish(second, '2.0.0');
    await publish(hidden, '3.0.0');
    await publish(elsewhere, '4.0.0');
    await publish(hidden, '1.0.0', 'secret');
    for (const project of [first, second]) await world.member(project, reporter, 'reporter');
    await world.member(hidden, reporter, 'guest');
    const at = `/groups/${group.id}/-/packages/npm`;
    const seen = await world.api(reporter).get(`${at}/@team%2Fapp`);
    expect(seen.status).toBe(200);
    expect(seen.body).toMatchObject({ 'dist-tags': { latest: '2.0.0' } });
    const tarballs = Object.values<Json>(seen.body.versions).map(({ version, dist }) => [version, dist.tarball]);
    expect(tarballs).toEqual([
      ['1.0.0', `${world.url}/api/v4/projects/${first.id}/packages/npm/@team/app/-/app-1.0.0.tgz`],
      ['2.0.0', `${world.url}/api/v4/projects/${second.id}/packages/npm/@team/app/-/app-2.0.0.tgz`],
    ]);
    const tags = `${at}/-/package/@team%2Fapp/dist-tags`;
    expect((await world.api(reporter).get(tags)).body).toEqual({ latest: '2.0.0' });
    expect((await as.get(tags)).body).toEqual({ latest: '3.0.0' });
    // Of a version that several have, the last one counts.
    await publish(second, '1.0.0');
    const { body } = await as.get(`${at}/@team%2Fapp`);
    expect(Object.keys(body.versions)).toEqual(['1.0.0', '2.0.0', '3.0.0']);
    expect(body.versions['1.0.0'].dist.tarball).toContain(`/projects/${second.id}/`);
    for (const missing of ['secret', 'none']) {
      const { status, body: answer } = await world.api(reporter).get(`${at}/${missing}`);
      expect([status, answer]).toEqual([404, { message: '404 Package Not Found' }]);
      expect((await world.api(reporter).get(`${at}/-/package/${missing}/dist-tags`)).status).toBe(404);
    }
  });
});

describe('The npm registry of a project', () => {
  it('publishes versions, and gives back their document, tags and archives', async () => {
    const { project, at } = await made();
    for (const version of ['1.0.0', '1.1.0-beta.1']) {
      expect((await api.put(`${at}/@team%2Fapp`, publication('@team/app', version))).status).toBe(200);
    }
    await api.put(`${at}/other`, publication('other', '2.0.0'));
    const { status, body } = await world.api(reporter).get(`${at}/@team%2Fapp`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: '@team/app', 'dist-tags': { latest: '1.1.0-beta.1' } });
    expect(Object.keys(body.versions)).toEqual(['1.0.0', '1.1.0-beta.1']);
    expect(body.versions['1.0.0']).toMatchObject({
      description: 'Does it',
      dependencies: { left: '^1.0.0' },
      dist: {
        integrity: expect.stringMatching(/^sha512-/),
        shasum: expect.stringMatching(/^[0-9a-f]{40}$/),
        tarball: `${world.url}/api/v4${at}/@team/app/-/app-1.0.0.tgz`,
      },
    });
    const tarball = body.versions['1.0.0'].dist.tarball.slice(world.url.length);
    const file = await world.send('GET', tarball, { headers: { 'PRIVATE-TOKEN': reporter.token } });
    expect(file).toMatchObject({ status: 200, body: 'archive of @team/app 1.0.0' });
    const list = await api.get(`/projects/${project.id}/packages?package_type=npm&order_by=version`);
    expect(list.body).toMatchObject([
      { name: '@team/app', version: '1.0.0', tags: [] },
      { name: '@team/app', version: '1.1.0-beta.1', tags: ['latest'] },
      { name: 'other', version: '2.0.0', tags: ['latest'] },
    ]);
  });

  it('gives documents of 4 MB at most, of the newest versions', LONG, async () => {
    const { project, at } = await made();
    await api.put(`${at}/large`, publication('large', '0.0.1'));
    const kept = { type: 'npm', projectId: project.id, name: 'large' } as const;
    const manifest = (version: string) => ({ name: 'large', version, dist: {}, text: 'x'.repeat(250_000) });
    const versions = Array.from({ length: 20 }, (_, at) => `1.0.${at}`);
    await world.db.package.createMany({
      data: versions.map((version) => ({ ...kept, version, manifest: manifest(version) })),
    });
    const { status, body } = await api.get(`${at}/large`);
    expect(status).toBe(200);
    expect(JSON.stringify(body).length).toBeLessThan(4 * 1024 * 1024 + 10_000);
    expect(Object.keys(body.versions)).toEqual(versions.slice(-16));
    // What is not listed is still there.
    const archive = await world.send('GET', `/api/v4${at}/large/-/large-0.0.1.tgz`, {
      headers: { 'PRIVATE-TOKEN': developer.token },
    });
    expect(archive.status).toBe(200);
  });

  it('has its document read again by those alone who have an older one', async () => {
    const { at } = await made();
    for (const version of ['1.0.0', '2.0.0']) await api.put(`${at}/app`, publication('app', version));
    const path = `${at}/app`;
    const first = await api.get(path);
    const having = (etag: unknown) =>
      world.send('GET', `/api/v4${path}`, {
        headers: { 'PRIVATE-TOKEN': developer.token, 'If-None-Match': `"other", ${etag}` },
      });
    // Nothing is built for who has it: this caller's share is taken.
    const release = await documentTurns.take(callerOf(developer, null));
    const unchanged = await having(first.headers.etag).finally(release);
    expect([unchanged.status, unchanged.headers.etag]).toEqual([304, first.headers.etag]);
    const changes = [
      () => api.put(path, publication('app', '3.0.0')),
      () => api.delete(`${at}/-/package/app/dist-tags/latest`),
      () => world.db.package.updateMany({ where: { name: 'app', version: '1.0.0' }, data: { status: 'hidden' } }),
    ];
    expect((await having('*')).status).toBe(304);
    let { etag } = first.headers;
    for (const change of changes) {
      await change();
      const next = await having(etag);
      expect([next.status, next.headers.etag === etag]).toEqual([200, false]);
      etag = next.headers.etag;
    }
  });

  it('builds one document at a time for a caller, and others have theirs meanwhile', async () => {
    const { at } = await made();
    await api.put(`${at}/app`, publication('app', '1.0.0'));
    const release = await documentTurns.take(callerOf(developer, null));
    let answered = false;
    const waiting = api.get(`${at}/app`).then(({ status }) => {
      answered = true;
      return status;
    });
    const others: number[] = [];
    for (let times = 0; times < 3; times += 1) others.push((await world.api(reporter).get(`${at}/app`)).status);
    const before = answered;
    release();
    expect([others, before, await waiting]).toEqual([[200, 200, 200], false, 200]);
  });

  it('has tags that are set, listed and removed', async () => {
    const { at } = await made();
    for (const version of ['1.0.0', '2.0.0']) await api.put(`${at}/app`, publication('app', version));
    const tags = `${at}/-/package/app/dist-tags`;
    const set = (tag: string, version: string) =>
      world.send('PUT', `/api/v4${tags}/${tag}`, {
        headers: { 'PRIVATE-TOKEN': developer.token, 'Content-Type': 'application/json' },
        body: JSON.stringify(version),
      });
    expect((await set('stable', '1.0.0')).status).toBe(204);
    expect((await api.get(tags)).body).toEqual({ latest: '2.0.0', stable: '1.0.0' });
    expect((await set('stable', '3.0.0')).status).toBe(404);
    expect((await set('1.2.3', '1.0.0')).status).toBe(400);
    expect((await api.delete(`${tags}/stable`)).status).toBe(204);
    expect((await api.delete(`${tags}/stable`)).status).toBe(404);
    expect((await api.get(tags)).body).toEqual({ latest: '2.0.0' });
    expect((await world.api(reporter).delete(`${tags}/latest`)).status).toBe(403);
  });

  it('publishes a version once, and nothing that does not fit together', LONG, async () => {
    const { project, at } = await made();
    const put = (body: Json, name = 'app') => api.put(`${at}/${name}`, body);
    expect((await put(publication('app', '1.0.0'))).status).toBe(200);
    const answers = await Promise.all(['2.0.0', '2.0.0'].map((version) => put(publication('app', version))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await put(publication('app', '1.0.0'))).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden  - Package already exists.' },
    });
    const good = publication('app', '3.0.0');
    const [file] = Object.values(good._attachments) as Json[];
    const wrong: Json[] = [
      publication('other', '3.0.0'),
      publication('app', 'three'),
      { ...good, versions: {} },
      { ...good, versions: { ...good.versions, '4.0.0': good.versions['3.0.0'] } },
      { ...good, versions: { '3.0.0': 'text' } },
      { ...good, _attachments: {} },
      { ...good, _attachments: { a: { ...file, length: 1 } } },
      { ...good, 'dist-tags': { '../up': '3.0.0' } },
      { ...good, versions: { '3.0.0': { ...good.versions['3.0.0'], description: 'a\u0000b' } } },
    ];
    for (const body of wrong) expect((await put(body)).status).toBe(400);
    expect((await put(publication('Upper', '1.0.0'), 'Upper')).status).toBe(400);
    expect((await api.get(`${at}/app`)).body.versions).not.toHaveProperty('3.0.0');
    expect(await world.db.packageFile.count({ where: { projectId: project.id } })).toBe(2);
    expect((await world.api(reporter).put(`${at}/app`, good)).status).toBe(403);
    expect((await world.api(await world.user()).get(`${at}/app`)).status).toBe(404);
    expect((await api.get(`${at}/none`)).status).toBe(404);
  });

  it('goes with the packages that are deleted', async () => {
    const { project, at } = await made();
    for (const version of ['1.0.0', '2.0.0']) await api.put(`${at}/app`, publication('app', version));
    const packages = `/projects/${project.id}/packages`;
    const latest = (await api.get(`${packages}?package_version=2.0.0`)).body[0];
    expect((await world.api(owner).delete(`${packages}/${latest.id}`)).status).toBe(204);
    expect((await api.get(`${at}/app`)).body).toMatchObject({ 'dist-tags': {}, versions: { '1.0.0': {} } });
    expect((await api.get(`${at}/app/-/app-2.0.0.tgz`)).status).toBe(404);
  });
});

describe('npm itself', () => {
  const npm = async (cwd: string, ...args: string[]) => {
    const home = scratch();
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      npm_config_cache: path.join(home, 'cache'),
      npm_config_update_notifier: 'false',
    };
    return promisify(execFile)('npm', args, { cwd, env });
  };

  /** A directory with a package, whose scope is in the registry of a project. */
  function directory(at: string, token: string, manifest: Json): string {
    const made = scratch();
    mkdirSync(made, { recursive: true });
    const registry = `${world.url}/api/v4${at}/`;
    const lines = [
      `@team:registry=${registry}`,
      `${registry.replace(/^http:/, '')}:_authToken=${token}`,
      'audit=false',
      'fund=false',
    ];
    writeFileSync(path.join(made, '.npmrc'), `${lines.join('\n')}\n`);
    writeFileSync(path.join(made, 'package.json'), JSON.stringify(manifest));
    return made;
  }

  it('publishes by the token of a job, sets tags and installs what was published', LONG, async () => {
    const { project, at } = await made();
    const job = await takenJob(world, developer, project);
    for (const version of ['1.0.0', '1.1.0']) {
      const work = directory(at, job.token, { name: '@team/greeting', version, main: 'index.js' });
      writeFileSync(path.join(work, 'index.js'), `module.exports = 'hello from ${version}';\n`);
      await npm(work, 'publish');
    }
    await endJob(world, job.id);
    const own = directory(at, developer.token, { name: 'own', version: '1.0.0' });
    await npm(own, 'dist-tag', 'add', '@team/greeting@1.0.0', 'stable');
    expect((await npm(own, 'dist-tag', 'ls', '@team/greeting')).stdout.trim()).toBe('latest: 1.1.0\nstable: 1.0.0');
    expect((await npm(own, 'view', '@team/greeting', 'versions', '--json')).stdout).toContain('1.1.0');
    const user = directory(at, reporter.token, { name: 'user', version: '1.0.0' });
    await npm(user, 'install', '@team/greeting@stable');
    const installed = path.join(user, 'node_modules/@team/greeting/index.js');
    expect(readFileSync(installed, 'utf8')).toContain('hello from 1.0.0');
    await npm(user, 'install', '@team/greeting@latest');
    expect(readFileSync(installed, 'utf8')).toContain('hello from 1.1.0');
    const again = directory(at, developer.token, { name: '@team/greeting', version: '1.1.0' });
    await expect(npm(again, 'publish')).rejects.toThrow(/E403|cannot publish over/i);
  });
});
