// Each test takes long: the long run has them all.
// @module-tag long
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createUpload } from '#src/domain/uploads/create.ts';
import { startBeside, uploadPath } from '../support/beside.ts';
import { commitFile, gitClient, workingCopy } from '../support/git_client.ts';
import { gitLines } from '../support/git_program.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const beside = await startBeside(world);
const admin = await world.user({ admin: true });
const api = world.api(admin);

const file = (name: string, branch = 'main') => ({ branch, content: name, commit_message: `Add ${name}` });

/** A project with a commit on `main`. */
async function filled(namespaceId?: number): Promise<ProjectRow> {
  const project = await world.project({ owner: admin, ...(namespaceId === undefined ? {} : { namespaceId }) });
  expect((await api.post(`/projects/${project.id}/repository/files/first`, file('first'))).status).toBe(201);
  return project;
}

/** What lies on the disk of a project. */
function remains(project: ProjectRow): string[] {
  const directory = world.repositories.directory(project);
  const around = existsSync(path.dirname(directory)) ? readdirSync(path.dirname(directory)) : [];
  const own = around.filter((name) => name.startsWith(`${path.basename(directory)}`));
  const uploads = uploadPath(world, project.id);
  return [...own, ...(existsSync(uploads) ? ['uploads'] : [])];
}

/** Waits until the project is removed. */
async function removed({ id }: ProjectRow): Promise<void> {
  await world.until(async () => (await world.db.project.count({ where: { id } })) === 0);
}

const send = (method: string, address: string, body?: unknown) =>
  beside.send(method, `/api/v4${address}`, {
    headers: { 'PRIVATE-TOKEN': admin.token },
    ...(body === undefined ? {} : { body }),
  });

const WRITES: Record<string, (project: ProjectRow, n: number) => Promise<{ status: number }>> = {
  'a file': ({ id }, n) => send('POST', `/projects/${id}/repository/files/f${n}`, file(`f${n}`)),
  'a branch': ({ id }, n) => send('POST', `/projects/${id}/repository/branches`, { branch: `b${n}`, ref: 'main' }),
  'a tag': ({ id }, n) =>
    send('POST', `/projects/${id}/repository/tags`, { tag_name: `v${n}`, ref: 'main', message: 'One' }),
  'a fork': ({ id }) => send('POST', `/projects/fork/${id}`),
  'a rename': ({ id }, n) => send('PUT', `/projects/${id}`, { path: `renamed-${id}-${n}` }),
  'a read': ({ id }) => send('GET', `/projects/${id}/repository/tree?recursive=true`),
  'a comparison': ({ id }) => send('GET', `/projects/${id}/repository/compare?from=main&to=main`),
  commits: ({ id }) => send('GET', `/projects/${id}/repository/commits`),
  'an upload': ({ id }) => {
    const form = new FormData();
    form.append('file', new File(['text'], 'a.txt'));
    return sendForm(world, `/api/v4/projects/${id}/uploads`, form, admin);
  },
};

describe('A project that is deleted', () => {
  it.each(Object.keys(WRITES))('while somebody makes %s does not come back, and no request fails', async (what) => {
    const write = WRITES[what];
    for (let round = 0; round < 6; round++) {
      const project = await filled();
      const deletion = () => api.delete(`/projects/${project.id}`);
      const writes = () => Array.from({ length: 4 }, (_, n) => write?.(project, n));
      // In both orders.
      const all = round % 2 ? [deletion(), ...writes()] : [...writes(), deletion()];
      const more = removed(project).then(() => Promise.all(writes()));
      const statuses = (await Promise.all([...all, more])).flat().map((answer) => answer?.status ?? 0);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      await removed(project);
      expect(remains(project)).toEqual([]);
    }
  });

  it('while a file is being written to it is not there for whoever sends the file', async () => {
    const project = await filled();
    async function* content() {
      yield Buffer.from('half');
      expect((await api.delete(`/projects/${project.id}`)).status).toBe(202);
      await removed(project);
      yield Buffer.from('more');
    }
    const sent = createUpload(world.as(admin), project.id, { name: 'a.txt', size: 8, stream: content });
    await expect(sent).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(remains(project)).toEqual([]);
  });

  it('while somebody pushes to it does not come back', { timeout: 150_000 }, async () => {
    const copy = await workingCopy();
    for (let n = 0; n < 20; n++) await commitFile(copy, `${n}`, 'x'.repeat(10_000) + n);
    for (let round = 0; round < 6; round++) {
      const project = round % 3 === 0 ? await world.project({ owner: admin }) : await filled();
      const url = `${world.url.replace('http://', `http://oauth2:${admin.token}@`)}/${project.fullPath}.git`;
      const pushing = [gitClient(copy, 'push', url, 'main:pushed'), gitClient(copy, 'push', url, 'main:other')];
      await new Promise((resolve) => setTimeout(resolve, 40 * round));
      expect((await api.delete(`/projects/${project.id}`)).status).toBeLessThan(300);
      for (const { code, said } of await Promise.all(pushing)) {
        if (code !== 0) expect(said).not.toMatch(/\b50\d\b/);
      }
      await removed(project);
      expect(remains(project)).toEqual([]);
    }
  });

  it('with its group, while somebody writes to it, moves it or forks into it, does not come back', async () => {
    for (let round = 0; round < 6; round++) {
      const group = await world.group({ owner: admin });
      const other = await world.group({ owner: admin });
      const inside = await filled(group.id);
      const outside = await filled();
      const acts = [
        () => api.delete(`/groups/${group.id}`),
        () => send('POST', `/projects/${inside.id}/repository/files/late`, file('late')),
        () => send('POST', `/groups/${other.id}/projects/${inside.id}`),
        () => send('POST', `/groups/${group.id}/projects/${outside.id}`),
        () => send('POST', `/projects/fork/${outside.id}`, { namespace: group.fullPath }),
        () => send('PUT', `/groups/${group.id}`, { path: `${group.path}-renamed` }),
      ];
      if (round % 2) acts.reverse();
      const answers = await Promise.all(acts.map((act) => act()));
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      await world.idle();
      for (const project of [inside, outside]) {
        const isThere = (await world.db.project.count({ where: { id: project.id } })) === 1;
        expect(remains(project)).toEqual(isThere ? [path.basename(world.repositories.directory(project))] : []);
        if (isThere) expect((await api.get(`/projects/${project.id}/repository/tree`)).status).toBe(200);
      }
      const left = await world.db.project.findMany({ where: { namespace: { id: group.id } } });
      expect(left).toEqual([]);
    }
  });

  it('as the source of forks leaves them whole', async () => {
    for (let round = 0; round < 4; round++) {
      const project = await filled();
      const homes = [await world.group({ owner: admin }), await world.group({ owner: admin })];
      const forks = homes.map(({ fullPath }) => send('POST', `/projects/fork/${project.id}`, { namespace: fullPath }));
      const deletion = api.delete(`/projects/${project.id}`);
      const made = (await Promise.all(forks)).filter(({ status }) => status === 201);
      expect((await deletion).status).toBeLessThan(300);
      await removed(project);
      await world.idle();
      for (const { body } of made) {
        const fork = await world.db.project.findUniqueOrThrow({ where: { id: body.id } });
        expect(gitLines(world.repositories.directory(fork), ['ls-tree', '--name-only', 'main'])).toEqual(['first']);
      }
      expect(remains(project)).toEqual([]);
    }
  });

  it('while its repository is imported does not come back', async () => {
    const source = await world.project({ owner: admin, visibility: 'public' });
    await api.post(`/projects/${source.id}/repository/files/first`, file('first'));
    world.imports.hosts = ['127.0.0.1'];
    for (let round = 0; round < 5; round++) {
      const { body, status } = await api.post('/projects', {
        name: world.unique('imported'),
        import_url: `${world.url}/${source.fullPath}.git`,
      });
      expect(status).toBe(201);
      await new Promise((resolve) => setTimeout(resolve, 30 * round));
      expect((await api.delete(`/projects/${body.id}`)).status).toBeLessThan(300);
      const project = { id: body.id, repositoryStorage: 'default' } as ProjectRow;
      await removed(project);
      await world.idle();
      expect(remains(project)).toEqual([]);
    }
  });
});
