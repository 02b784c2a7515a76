// One part in depth, which the long run has.
// @module-tag long
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { expireExports } from '#src/domain/project_archives/export.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { exportsStore } from '#src/domain/uploads/archives.ts';
import { run } from '../support/git_client.ts';
import { gitLines } from '../support/git_program.ts';
import { download, exported, PNG, records, richProject, unpacked } from '../support/project_archives.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const admin = await world.user({ admin: true });
const api = world.api(owner);

const stored = async () => {
  const found = [];
  for await (const file of exportsStore(world).list()) found.push(file);
  return found;
};

describe('Exporting a project', () => {
  it('makes one archive of all that it has, which git and tar read', async () => {
    const project = await richProject(world, { owner, developer });
    const decoy = await world.project({ owner });
    await world.issue(decoy, owner, { title: 'Of another project' });
    const directory = unpacked(await exported(world, api, owner, project));
    expect(JSON.parse(readFileSync(path.join(directory, 'version.json'), 'utf8'))).toEqual({
      format: 'gantry-project',
      version: 1,
    });
    expect(JSON.parse(readFileSync(path.join(directory, 'project.json'), 'utf8'))).toMatchObject({
      id: project.id,
      path: project.path,
      description: 'All of it',
      tag_list: ['fruit', 'red'],
      visibility: project.visibility,
      default_branch: 'master',
    });
    expect(readFileSync(path.join(directory, 'avatar'))).toEqual(PNG);
    const clone = mkdtempSync(path.join(tmpdir(), 'clone-'));
    await run(tmpdir(), 'clone', '--quiet', '--bare', path.join(directory, 'project.bundle'), path.join(clone, 'own'));
    await run(tmpdir(), 'clone', '--quiet', '--bare', path.join(directory, 'wiki.bundle'), path.join(clone, 'wiki'));
    expect(gitLines(path.join(clone, 'own'), ['for-each-ref', '--format=%(refname)'])).toEqual(
      expect.arrayContaining(['refs/heads/master', 'refs/heads/topic', 'refs/tags/v1']),
    );
    expect(gitLines(path.join(clone, 'own'), ['fsck', '--strict'])).toEqual([]);
    expect(gitLines(path.join(clone, 'wiki'), ['show', 'HEAD:Home.md'])).toEqual(['Welcome']);
    const [recipe = ''] = readdirSync(path.join(directory, 'snippets'));
    expect(recipe).toMatch(/^\d+\.bundle$/);
    await run(
      tmpdir(),
      'clone',
      '--quiet',
      '--bare',
      path.join(directory, 'snippets', recipe),
      path.join(clone, 'one'),
    );
    expect(gitLines(path.join(clone, 'one'), ['log', '--format=%s', 'main'])).toEqual([
      'Update snippet',
      'Initial commit',
    ]);
    const counts = Object.fromEntries(
      readdirSync(path.join(directory, 'tree')).map((name) => {
        const kind = name.replace('.ndjson', '');
        return [kind, records(directory, kind).length];
      }),
    );
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
    expect(counts).toMatchObject({ issues: 2, merge_requests: 2, labels: 3, milestones: 2, releases: 1, uploads: 1 });
    const [upload] = records(directory, 'uploads');
    expect(readFileSync(path.join(directory, 'uploads', upload.secret, upload.file_name), 'utf8')).toBe(
      'what was attached\n',
    );
    for (const place of [directory, clone]) rmSync(place, { recursive: true });
  });

  it('tells how far it is, and offers the archive when it is there', async () => {
    const project = await world.project({ owner });
    const record = await api.get(`/projects/${project.id}/export`);
    expect(record).toMatchObject({ status: 200, body: { id: project.id, path: project.path, export_status: 'none' } });
    expect(record.body).not.toHaveProperty('_links');
    const none = await download(world, owner, project.id);
    expect([none.status, await none.json()]).toEqual([404, { message: '404 Not found or has expired' }]);
    await exported(world, api, owner, project);
    const url = `${world.url}/api/v4/projects/${project.id}/export/download`;
    expect((await api.get(`/projects/${project.id}/export`)).body).toMatchObject({
      export_status: 'finished',
      _links: { api_url: url, web_url: url },
    });
  });

  it('is an export of the caller alone, who sees addresses of mail only as an administrator', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    await world.issue(project, developer);
    const own = unpacked(await exported(world, api, owner, project));
    expect((await world.api(admin).get(`/projects/${project.id}/export`)).body.export_status).toBe('none');
    expect((await download(world, admin, project.id)).status).toBe(404);
    const whole = unpacked(await exported(world, world.api(admin), admin, project));
    const address = `${developer.username}@example.org`;
    const named = (directory: string) => records(directory, 'users').find(({ id }) => id === developer.id);
    expect(named(own)).toMatchObject({ username: developer.username, email: null });
    expect(named(whole)).toMatchObject({ username: developer.username, email: address });
    for (const place of [own, whole]) rmSync(place, { recursive: true });
  });

  it('has the snippets, and what is on them, that whoever exports may read: private ones of others are not among them', async () => {
    const project = await world.project({ owner });
    const master = await world.user();
    await world.member(project, master, 'master');
    const write = async (who: typeof owner, title: string, visibility: 'private' | 'internal') => {
      const values = { title, fileName: title, content: title, visibility };
      const { id } = await createSnippet(world.as(who), { project: project.id, ...values });
      const at = `/projects/${project.id}/snippets/${id}`;
      const note = await world.api(who).post(`${at}/notes`, { body: `On ${title}` });
      await world.api(who).post(`${at}/award_emoji?name=tada`);
      await world.api(who).post(`${at}/notes/${note.body.id}/award_emoji?name=heart`);
    };
    await write(owner, 'secret-of-owner', 'private');
    await write(master, 'secret-of-master', 'private');
    await write(owner, 'for-all', 'internal');
    const told = async (who: typeof owner) => {
      const directory = unpacked(await exported(world, world.api(who), who, project));
      const titles = records(directory, 'snippets').map(({ title }) => title);
      const notes = records(directory, 'notes').map(({ body }) => body);
      const counts = [records(directory, 'award_emoji').length];
      rmSync(directory, { recursive: true });
      return { titles: titles.sort(), notes: notes.sort(), counts };
    };
    const ofMaster = ['for-all', 'secret-of-master'];
    expect(await told(master)).toEqual({ titles: ofMaster, notes: ofMaster.map((one) => `On ${one}`), counts: [4] });
    const whole = ['for-all', 'secret-of-master', 'secret-of-owner'];
    expect(await told(admin)).toEqual({ titles: whole, notes: whole.map((one) => `On ${one}`), counts: [6] });
  });

  it('leaves out notes that tell of other projects, and issues that were deleted', async () => {
    const [project, secret] = [await world.project({ owner }), await world.project({ owner })];
    const kept = await world.issue(project, owner, { title: 'Kept' });
    const gone = await world.issue(project, owner, { title: 'Gone' });
    await api.delete(`/projects/${project.id}/issues/${gone.iid}`);
    await world.issue(secret, owner, { description: `See ${project.fullPath}#${kept.iid}` });
    expect((await api.get(`/projects/${project.id}/issues/${kept.iid}/notes`)).body).toHaveLength(1);
    const directory = unpacked(await exported(world, api, owner, project));
    expect(records(directory, 'issues').map(({ title }) => title)).toEqual(['Kept']);
    expect(records(directory, 'notes')).toEqual([]);
    rmSync(directory, { recursive: true });
  });

  it('is for masters, where the server exports at all', async () => {
    const project = await world.project({ owner });
    await world.member(project, developer, 'developer');
    const paths = [`/projects/${project.id}/export`, `/projects/${project.id}/export/download`];
    for (const path of paths) expect((await world.api(developer).get(path)).status).toBe(403);
    expect((await world.api(developer).post(paths[0] ?? '')).status).toBe(403);
    const asAdmin = world.api(admin);
    await asAdmin.put('/application/settings', { project_export_enabled: false });
    for (const path of paths) expect((await api.get(path)).status).toBe(404);
    expect((await api.post(paths[0] ?? '')).status).toBe(404);
    await asAdmin.put('/application/settings', { project_export_enabled: true });
    expect(await world.db.projectExport.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('begins once, however often it is asked for at once', async () => {
    const project = await world.project({ owner });
    const asked = await Promise.all([1, 2, 3].map(() => api.post(`/projects/${project.id}/export`)));
    expect(asked.map(({ status }) => status)).toEqual([202, 202, 202]);
    await world.idle();
    expect(await world.db.projectExport.findMany({ where: { projectId: project.id } })).toMatchObject([
      { state: 'finished', attempts: 1 },
    ]);
    expect((await stored()).filter(({ projectId }) => projectId === project.id)).toHaveLength(1);
  });

  it('fails with that reason where the archive is larger than the setting allows', async () => {
    const project = await world.project({ owner });
    const { randomBytes } = await import('node:crypto');
    const content = randomBytes(1_200_000).toString('base64');
    const file = { branch: 'master', content, encoding: 'base64', commit_message: 'Large' };
    expect((await api.post(`/projects/${project.id}/repository/files/large`, file)).status).toBe(201);
    await world.api(admin).put('/application/settings', { max_export_size: 1 });
    await api.post(`/projects/${project.id}/export`);
    await world.idle();
    await world.api(admin).put('/application/settings', { max_export_size: 0 });
    expect((await api.get(`/projects/${project.id}/export`)).body.export_status).toBe('failed');
    const query = 'query ($id: ProjectRef!) { project(ref: $id) { export { status error links { apiUrl } } } }';
    expect((await world.graphql(query, { id: project.id }, owner)).body.data.project.export).toEqual({
      status: 'FAILED',
      error: 'The archive has more than 1 megabytes (max_export_size).',
      links: null,
    });
    expect((await stored()).filter(({ projectId }) => projectId === project.id)).toEqual([]);
  });

  it('keeps an archive for a day, and no longer than the project', async () => {
    const [old, fresh] = [await world.project({ owner }), await world.project({ owner })];
    for (const project of [old, fresh]) await exported(world, api, owner, project);
    const finishedAt = new Date(Date.now() - 25 * 60 * 60_000);
    await world.db.projectExport.updateMany({ where: { projectId: old.id }, data: { finishedAt } });
    expect((await download(world, owner, old.id)).status).toBe(404);
    await expireExports(world);
    const places = async () => (await stored()).map(({ projectId }) => projectId);
    expect(await places()).not.toContain(old.id);
    expect(await places()).toContain(fresh.id);
    expect((await download(world, owner, fresh.id)).status).toBe(200);
    await api.delete(`/projects/${fresh.id}`);
    await world.idle();
    expect(await places()).not.toContain(fresh.id);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('gantry-export-'))).toEqual([]);
    expect(existsSync(world.repositories.directory({ id: fresh.id, repositoryStorage: 'default' }))).toBe(false);
  });
});
