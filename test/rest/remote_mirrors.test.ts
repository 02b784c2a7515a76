// Each of its tests takes long.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { pushMirrors } from '#src/domain/imports/mirrors/push.ts';
import { commitFile, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { startImportingWorld } from '../support/imports.ts';

const { world, owner, api, here } = await startImportingWorld();
const developer = await world.user();
const master = await world.user();

/** A project with two branches and a tag, an empty one to mirror it to, and the working copy. */
async function stage(values: Json = {}) {
  const [project, target] = [await world.project({ owner }), await world.project({ owner })];
  await world.member(project, developer, 'developer');
  await world.member(project, master, 'master');
  const work = await workingCopy();
  await commitFile(work, 'a.txt', 'one\n');
  await run(work, 'branch', 'topic');
  await run(work, 'tag', 'v1');
  const address = (path: string) => `http://${owner.username}:${owner.token}@${here}/${path}.git`;
  await run(work, 'push', '--quiet', address(project.fullPath), 'main', 'topic', 'v1');
  const at = `/projects/${project.id}/remote_mirrors`;
  const url = address(target.fullPath);
  const made = await api.post(at, { url, enabled: true, ...values });
  const [from, to] = [project, target].map((one) => world.repositories.directory(one));
  const read = async () => (await api.get(`${at}/${made.body.id}`)).body;
  /** What is due now is done. */
  const update = async () => {
    await world.db
      .$executeRaw`UPDATE remote_mirrors SET last_update_started_at = NULL, due_at = CASE WHEN due_at IS NULL THEN NULL ELSE now() - interval '1 second' END
      WHERE project_id = ${project.id}`;
    await pushMirrors(world.as(owner));
    return read();
  };
  return { project, target, work, at, url, made, from: String(from), to: String(to), read, update, address };
}

const refsOf = (directory: string) => gitLines(directory, ['for-each-ref', '--format=%(refname) %(objectname)']);

describe('Push mirrors', () => {
  it('get branches and tags after each push, and lose what the project loses', async () => {
    const { project, work, from, to, made, update, address, target } = await stage();
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: made.body.id,
      url: `http://*****:*****@${here}/${target.fullPath}.git`,
      enabled: true,
      update_status: 'scheduled',
      last_update_at: null,
      last_update_started_at: null,
      last_successful_update_at: null,
      last_error: null,
      only_protected_branches: false,
      keep_divergent_refs: null,
      auth_method: 'password',
      host_keys: [],
    });
    const first = await update();
    expect(first).toMatchObject({ update_status: 'finished', last_error: null });
    expect(Date.parse(first.last_successful_update_at)).toBeGreaterThan(0);
    expect(refsOf(to)).toEqual(refsOf(from));
    await commitFile(work, 'b.txt', 'two\n');
    await run(work, 'push', '--quiet', address(project.fullPath), 'main', ':topic');
    expect((await update()).update_status).toBe('finished');
    expect(refsOf(to)).toEqual(refsOf(from));
    expect(git(to, ['fsck', '--strict'])).toBe('');
  });

  it('get protected branches alone if they are asked to', async () => {
    const { project, to, update } = await stage({ only_protected_branches: true });
    await api.put(`/projects/${project.id}/repository/branches/topic/protect`);
    await api.delete(`/projects/${project.id}/protected_branches/main`);
    expect((await update()).update_status).toBe('finished');
    expect(gitLines(to, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/topic']);
  });

  it('keep what has diverged there if they are asked to, and say so; otherwise it is replaced', async () => {
    const { to, target, at, made, update, address } = await stage({ keep_divergent_refs: true });
    await update();
    const other = await workingCopy();
    await commitFile(other, 'other.txt', 'other\n');
    await run(other, 'push', '--quiet', '--force', address(target.fullPath), 'HEAD:topic');
    const diverged = git(to, ['rev-parse', 'topic']);
    await api.put(`${at}/${made.body.id}`, { enabled: true });
    expect(await update()).toMatchObject({
      update_status: 'to_retry',
      last_error: 'Some refs have diverged and have not been updated on the remote: refs/heads/topic',
    });
    expect(git(to, ['rev-parse', 'topic'])).toBe(diverged);
    await api.put(`${at}/${made.body.id}`, { enabled: true, keep_divergent_refs: false });
    expect(await update()).toMatchObject({ update_status: 'finished', last_error: null });
    expect(git(to, ['rev-parse', 'topic'])).not.toBe(diverged);
  });

  it('are refused and not connected to inside of this network, and show no password anywhere', async () => {
    const { project, at, url, read, update } = await stage();
    for (const wrong of [
      'http://127.0.0.1:1/x.git',
      'http://localhost/x.git',
      'http://10.0.0.1/x.git',
      'ssh://git@example.com/x',
      'ftp://x/y',
      '',
    ]) {
      const { status, body } = await api.post(at, { url: wrong });
      expect([wrong, status, Object.keys(body.message ?? body)]).toEqual([wrong, 400, expect.any(Array)]);
    }
    // The policy may have changed since.
    Object.assign(world.imports, { hosts: [] });
    const failed = await update();
    expect(failed).toMatchObject({
      update_status: 'to_retry',
      last_error: 'The mirror is blocked: its address is not a public one.',
    });
    expect(JSON.stringify([failed, await read(), (await api.get(at)).body])).not.toContain(owner.token);
    const stored = await world.db.remoteMirror.findFirstOrThrow({ where: { projectId: project.id } });
    expect(Buffer.from(stored.urlEncrypted).toString('latin1')).not.toContain(url);
    const graph = await world.graphql(
      `{ project(ref: "${project.fullPath}") { remoteMirrors { nodes { url lastError } } } }`,
      {},
      owner,
    );
    expect(JSON.stringify(graph)).toContain('*****:*****@');
    expect(JSON.stringify(graph)).not.toContain(owner.token);
  });

  it('try again after a failure, ever later, and give up until the next push', async () => {
    const { project, target, work, at, made, update, address } = await stage();
    await world.db.project.update({ where: { id: target.id }, data: { archived: true } });
    const first = await update();
    expect(first).toMatchObject({ update_status: 'to_retry', last_error: expect.stringContaining('refuses access') });
    for (let attempt = 2; attempt <= 8; attempt++) await update();
    expect((await update()).update_status).toBe('failed');
    await world.db.project.update({ where: { id: target.id }, data: { archived: false } });
    await commitFile(work, 'b.txt', 'two\n');
    await run(work, 'push', '--quiet', address(project.fullPath), 'main');
    expect((await api.get(`${at}/${made.body.id}`)).body.update_status).toBe('scheduled');
    expect((await update()).update_status).toBe('finished');
  });

  it('are updated at once if that is asked for, but not twice within a minute, nor when disabled', async () => {
    const { at, made, to } = await stage({ enabled: false });
    const one = `${at}/${made.body.id}`;
    expect((await api.post(`${one}/sync`)).status).toBe(400);
    await api.put(one, { enabled: true });
    expect((await api.post(`${one}/sync`)).status).toBe(204);
    await world.idle();
    expect((await api.get(one)).body.update_status).toBe('finished');
    expect(refsOf(to)).toHaveLength(3);
    expect((await api.post(`${one}/sync`)).status).toBe(400);
  });

  it('are for masters, ten in a project, and go with it', async () => {
    const { project, at, made, url } = await stage({ enabled: false });
    const as = async (who: typeof owner) => [
      (await world.api(who).get(at)).status,
      (await world.api(who).post(at, { url })).status,
      (await world.api(who).put(`${at}/${made.body.id}`, { enabled: false })).status,
    ];
    expect([await as(developer), await as(master)]).toEqual([
      [403, 403, 403],
      [200, 201, 200],
    ]);
    for (let number = 2; number < 10; number++) await api.post(at, { url });
    expect((await api.post(at, { url })).status).toBe(403);
    expect((await api.post(at, { url, auth_method: 'ssh_public_key' })).status).toBe(400);
    expect((await api.delete(`${at}/${made.body.id}`)).status).toBe(204);
    expect((await api.get(`${at}/${made.body.id}`)).status).toBe(404);
    await api.delete(`/projects/${project.id}`);
    await world.idle();
    expect(await world.db.remoteMirror.count({ where: { projectId: project.id } })).toBe(0);
  });
});
