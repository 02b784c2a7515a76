// Each test takes long: the long run has them all.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { commitFile, run } from '../support/git_client.ts';
import { git, scratch } from '../support/git_program.ts';
import { sshGit, startSshWorld } from '../support/ssh.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ssh = await startSshWorld(world);
const owner = await world.user();
const admin = await world.user({ admin: true });
const key = await ssh.key(owner);
const project = await world.project({ owner });
const NOT_FOUND = 'remote: There is no such project, or you are not allowed to see it.\n';

let [work, head] = ['', ''];
beforeAll(async () => {
  work = scratch('file');
  await run(work, 'init', '--quiet', '--initial-branch=main');
  head = await commitFile(work, 'README.md', 'Hello\n');
  await sshGit(key, work, 'push', '--quiet', ssh.url(project), 'main');
});

const push = (by: typeof key, branch: string, to: { fullPath: string } = project) =>
  sshGit(by, work, 'push', ssh.url(to), `HEAD:${branch}`);

describe('A deploy key that can only read', () => {
  it('fetches from its projects, private as they are, and cannot push', async () => {
    const deploy = await ssh.deployKey(owner, project);
    const { code, output } = await sshGit(deploy, scratch(), 'ls-remote', ssh.url(project), 'main');
    expect([code, output]).toEqual([0, `${head}\trefs/heads/main`]);
    const answer = await push(deploy, 'x');
    expect(answer.code).toBe(128);
    expect(answer.said).toContain('remote: This deploy key can only read: it cannot push.\n');
    expect(git(world.repositories.directory(project), ['for-each-ref', '--format=%(refname)']).trim()).toBe(
      'refs/heads/main',
    );
  });

  it('opens no other private project, and every public one', async () => {
    const deploy = await ssh.deployKey(owner, project);
    const [hidden, open, internal] = [
      await world.project({ owner }),
      await world.project({ owner, visibility: 'public' }),
      await world.project({ owner, visibility: 'internal' }),
    ];
    for (const closed of [hidden, internal]) {
      expect(await ssh.run(deploy, `git-upload-pack '${closed.fullPath}'`)).toMatchObject({
        code: 128,
        said: NOT_FOUND,
      });
    }
    expect((await sshGit(deploy, scratch(), 'ls-remote', ssh.url(open))).code).toBe(0);
    const answer = await push(deploy, 'x', open);
    expect(answer.said).toContain('remote: This deploy key is not one of the project: it cannot push to it.\n');
  });

  it('is greeted by its title', async () => {
    const deploy = await ssh.deployKey(owner, project);
    expect((await ssh.run(deploy, null)).output).toContain('Welcome, deploy key deploy!');
  });

  it('is worth nothing once its project gave it up', async () => {
    const other = await world.project({ owner });
    const deploy = await ssh.deployKey(owner, other);
    const [{ id }] = (await world.api(owner).get(`/projects/${other.id}/deploy_keys`)).body;
    await world.api(owner).post(`/projects/${project.id}/deploy_keys/${id}/enable`);
    await world.api(owner).delete(`/projects/${other.id}/deploy_keys/${id}`);
    expect((await ssh.run(deploy, `git-upload-pack '${other.fullPath}'`)).said).toBe(NOT_FOUND);
    expect((await sshGit(deploy, scratch(), 'ls-remote', ssh.url(project))).code).toBe(0);
    await world.api(owner).delete(`/projects/${project.id}/deploy_keys/${id}`);
    await expect(ssh.connect(deploy)).rejects.toThrow('All configured authentication methods failed');
  });

  it('hears where a project of its own went, and nothing of others', async () => {
    const moved = await world.project({ owner });
    const [deploy, stranger] = [await ssh.deployKey(owner, moved), await ssh.deployKey(owner, project)];
    const path = world.unique('moved');
    await world.api(owner).put(`/projects/${moved.id}`, { path });
    const command = `git-upload-pack '${moved.fullPath}'`;
    expect((await ssh.run(deploy, command)).said).toBe(`remote: The project has moved to ${owner.username}/${path}.\n`);
    expect((await ssh.run(stranger, command)).said).toBe(NOT_FOUND);
  });

  it('is noted when it is used', async () => {
    const other = await world.project({ owner });
    const deploy = await ssh.deployKey(owner, other);
    await sshGit(deploy, scratch(), 'ls-remote', ssh.url(other));
    const found = await world.db.deployKey.findFirst({ where: { projects: { some: { projectId: other.id } } } });
    expect(found?.lastUsedAt).toBeInstanceOf(Date);
  });
});

describe('A deploy key that can push', () => {
  it('pushes as a developer: not to protected branches, unless developers may', async () => {
    const deploy = await ssh.deployKey(owner, project, true);
    await commitFile(work, 'more', 'x');
    expect(await push(deploy, 'topic')).toMatchObject({ code: 0 });
    const refused = await push(deploy, 'main');
    expect([refused.code, refused.said]).toEqual([
      1,
      expect.stringContaining('You are not allowed to push code to protected branches on this project.'),
    ]);
    await world
      .api(owner)
      .put(`/projects/${project.id}/repository/branches/main/protect`, { developers_can_push: true });
    expect(await push(deploy, 'main')).toMatchObject({ code: 0 });
    expect((await sshGit(deploy, work, 'push', ssh.url(project), ':main')).code).toBe(1);
  });

  it('pushes to a protected branch and creates protected tags where a rule names it, and another key does not', async () => {
    const its = await world.project({ owner });
    await push(key, 'main', its);
    const [named, other] = [await ssh.deployKey(owner, its, true), await ssh.deployKey(owner, its, true)];
    const api = world.api(owner);
    const keys = (await api.get(`/projects/${its.id}/deploy_keys`)).body as { id: number; key: string }[];
    const id = keys.find((one) => named.publicKey.startsWith(one.key))?.id;
    const rule = { allowed_to_push: [{ access_level: 0 }, { deploy_key_id: id }] };
    const { body } = await api.post(`/projects/${its.id}/protected_branches`, { name: 'rel*', ...rule });
    expect(body.push_access_levels[1]).toMatchObject({
      access_level: null,
      access_level_description: 'Deploy key',
      deploy_key_id: id,
    });
    await api.post(`/projects/${its.id}/protected_tags`, { name: 'v*', allowed_to_create: [{ deploy_key_id: id }] });
    await commitFile(work, 'more', String(Math.random()));
    const tried = async (who: typeof named, ref: string) =>
      (await sshGit(who, work, 'push', ssh.url(its), `HEAD:${ref}`)).code;
    expect(await tried(other, 'refs/heads/release')).toBe(1);
    expect(await tried(key, 'refs/heads/release')).toBe(1);
    expect(await tried(named, 'refs/heads/release')).toBe(0);
    expect(await tried(other, 'refs/tags/v1')).toBe(1);
    expect(await tried(named, 'refs/tags/v1')).toBe(0);
    await api.delete(`/projects/${its.id}/deploy_keys/${id}`);
    const { body: rest } = await api.get(`/projects/${its.id}/protected_branches/rel*`);
    expect(rest.push_access_levels).toMatchObject([{ access_level: 0 }]);
  });

  it('is recorded as of the user who added it, even where they have no role any more', async () => {
    const its = await world.project({ owner });
    await push(key, 'main', its);
    const master = await world.user();
    await world.member(its, master, 'master');
    const deploy = await ssh.deployKey(master, its, true);
    await world.api(owner).delete(`/projects/${its.id}/members/${master.id}`);
    expect(await push(deploy, 'topic', its)).toMatchObject({ code: 0 });
    const [event] = (await world.api(owner).get(`/projects/${its.id}/events`)).body;
    expect(event).toMatchObject({ action_name: 'pushed new', author_username: master.username });
  });

  it('has no more rights for an administrator who added it', async () => {
    const its = await world.project({ owner });
    await push(key, 'main', its);
    const deploy = await ssh.deployKey(admin, its, true);
    await commitFile(work, 'more', String(Math.random()));
    expect((await push(deploy, 'main', its)).code).toBe(1);
    expect((await push(deploy, 'topic', its)).code).toBe(0);
  });

  it('only reads while the user who added it is blocked, or gone', async () => {
    const its = await world.project({ owner });
    await push(key, 'main', its);
    const master = await world.user();
    await world.member(its, master, 'master');
    const deploy = await ssh.deployKey(master, its, true);
    const said = 'remote: The user who added this deploy key was deleted or is blocked: nothing can be pushed with it.';
    await world.api(admin).post(`/users/${master.id}/block`);
    expect((await push(deploy, 'topic', its)).said).toContain(said);
    expect((await sshGit(deploy, scratch(), 'ls-remote', ssh.url(its))).code).toBe(0);
    await world.api(admin).post(`/users/${master.id}/unblock`);
    expect((await push(deploy, 'topic', its)).code).toBe(0);
    await world.api(admin).delete(`/users/${master.id}`);
    expect((await push(deploy, 'other', its)).said).toContain(said);
  });

  it('does not push to an archived project', async () => {
    const its = await world.project({ owner });
    const deploy = await ssh.deployKey(owner, its, true);
    await world.api(owner).post(`/projects/${its.id}/archive`);
    expect((await push(deploy, 'main', its)).said).toContain('remote: This project is archived');
  });
});
