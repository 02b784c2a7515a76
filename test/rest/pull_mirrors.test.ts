// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { pullMirrors } from '#src/domain/imports/mirrors/pull.ts';
import { commitFile, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { startImportingWorld } from '../support/imports.ts';
import { LONG } from '../support/long.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner, api, here } = await startImportingWorld();
const [developer, master] = [await world.user(), await world.user()];

/** A source with two branches and a tag, a project that mirrors it, and the working copy. */
async function stage(values: Json = {}, who: TestUser = owner) {
  const [source, project] = [await world.project({ owner }), await world.project({ owner })];
  await world.member(project, developer, 'developer');
  await world.member(project, master, 'master');
  const work = await workingCopy();
  await commitFile(work, 'a.txt', 'one\n');
  await run(work, 'branch', 'topic');
  await run(work, 'tag', '-a', '-m', 'One', 'v1');
  const address = (path: string) => `http://${owner.username}:${owner.token}@${here}/${path}.git`;
  await run(work, 'push', '--quiet', address(source.fullPath), 'main', 'topic', 'v1');
  const at = `/projects/${project.id}/mirror/pull`;
  const [from, to] = [source, project].map((one) => world.repositories.directory(one));
  /** Refs of the source that follow the working copy. */
  const push = (...refs: string[]) => run(work, 'push', '--quiet', address(source.fullPath), ...refs);
  const made = await world.api(who).put(at, { url: address(source.fullPath), ...values });
  await world.idle();
  const read = async () => (await api.get(at)).body;
  /** What is due in an hour is done now. */
  const update = async () => {
    await world.idle();
    await world.db.$executeRaw`
      UPDATE pull_mirrors SET last_update_started_at = NULL, due_at = due_at - interval '1 hour' WHERE project_id = ${project.id}`;
    const as = async (id: number) => {
      const user = [owner, master, developer].find((one) => one.id === id);
      const active = await world.db.user.findFirst({ where: { id, state: 'active' } });
      return user && active ? world.as(user) : null;
    };
    await pullMirrors({ db: world.db, as });
    return read();
  };
  return { source, project, work, at, made, from: String(from), to: String(to), read, update, push, address };
}

const refsOf = (directory: string) =>
  gitLines(directory, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags']);

describe('Pull mirrors', () => {
  it('bring branches and tags at once and later, as pushes of their user, and remove none', LONG, async () => {
    const { source, project, work, from, to, made, read, update, push } = await stage();
    expect([made.status, made.body]).toEqual([
      200,
      {
        id: made.body.id,
        url: `http://*****:*****@${here}/${source.fullPath}.git`,
        enabled: true,
        update_status: 'scheduled',
        last_update_at: null,
        last_update_started_at: null,
        last_successful_update_at: null,
        last_error: null,
        mirror_trigger_builds: false,
        only_mirror_protected_branches: null,
        mirror_overwrites_diverged_branches: null,
        mirror_branch_regex: null,
      },
    ]);
    expect(await read()).toMatchObject({ update_status: 'finished', last_error: null });
    expect(refsOf(to)).toEqual(refsOf(from));
    expect((await api.get(`/projects/${project.id}`)).body.default_branch).toBe('main');
    const tip = await commitFile(work, 'b.txt', 'two\n');
    await push('main', ':topic');
    expect((await update()).update_status).toBe('finished');
    const now = refsOf(to).join();
    expect([now.includes(`refs/heads/main ${tip}`), now.includes('refs/heads/topic')]).toEqual([true, true]);
    expect(git(to, ['fsck', '--strict'])).toBe('');
    expect(await world.repositories.drafts(project)).toEqual([]);
    const { body: events } = await api.get(`/projects/${project.id}/events`);
    expect(events[0]).toMatchObject({ author_username: owner.username, push_data: { ref: 'main', commit_to: tip } });
  });

  it(
    'leave branches that have parted, and say so; with mirror_overwrites_diverged_branches they are replaced',
    LONG,
    async () => {
      const { project, work, to, at, update, push } = await stage();
      await world.db.protectedBranch.deleteMany({ where: { projectId: project.id } });
      const file = { branch: 'topic', content: 'own', commit_message: 'Own' };
      await api.post(`/projects/${project.id}/repository/files/own.txt`, file);
      const ahead = git(to, ['rev-parse', 'topic']);
      // What is only ahead here has not parted.
      expect((await update()).update_status).toBe('finished');
      await run(work, 'checkout', '--quiet', 'topic');
      const theirs = await commitFile(work, 'theirs.txt', 'theirs\n');
      await push('topic');
      expect(await update()).toMatchObject({
        update_status: 'to_retry',
        last_error: 'Some refs were not updated: refs/heads/topic',
      });
      expect(git(to, ['rev-parse', 'topic'])).toBe(ahead);
      await api.put(at, { mirror_overwrites_diverged_branches: true });
      expect(await update()).toMatchObject({ update_status: 'finished', last_error: null });
      expect(git(to, ['rev-parse', 'topic']).trim()).toBe(theirs);
    },
  );

  it('bring protected branches alone if they are asked to', LONG, async () => {
    const { project, at, to, push, work, update } = await stage({
      enabled: false,
      only_mirror_protected_branches: true,
    });
    expect(await world.repositories.open(project)).toBe(null);
    await api.post(`/projects/${project.id}/protected_branches`, { name: 'top*' });
    await commitFile(work, 'b.txt', 'two\n');
    await push('main');
    await api.put(at, { enabled: true });
    expect((await update()).update_status).toBe('finished');
    expect(refsOf(to).map((line) => line.split(' ')[0])).toEqual(['refs/heads/topic']);
  });

  it('start pipelines only if they are asked to', LONG, async () => {
    const { project, work, at, update, push } = await stage();
    const pipelines = async () => {
      await world.idle();
      return (await api.get(`/projects/${project.id}/pipelines`)).body.map(({ sha }: Json) => sha);
    };
    await commitFile(work, '.gitlab-ci.yml', 'test: { script: [true] }\n');
    await push('main');
    await update();
    expect(await pipelines()).toEqual([]);
    await api.put(at, { mirror_trigger_builds: true });
    const tip = await commitFile(work, 'b.txt', 'two\n');
    await push('main');
    await update();
    expect(await pipelines()).toEqual([tip]);
  });

  it('have the rights that their user has at the time of each update', LONG, async () => {
    const { project, work, to, at, update, push } = await stage({}, master);
    const before = refsOf(to);
    expect(before).toHaveLength(3);
    const member = { projectId: project.id, userId: master.id };
    await commitFile(work, 'b.txt', 'two\n');
    await push('main');
    // Of a developer protected branches are not taken, and others are.
    await world.db.member.updateMany({ where: member, data: { accessLevel: 30 } });
    await world.db.protectedBranch.deleteMany({ where: { projectId: project.id } });
    await api.post(`/projects/${project.id}/protected_branches`, { name: 'main', push_access_level: 40 });
    await run(work, 'branch', 'other');
    await push('other');
    expect(await update()).toMatchObject({ last_error: 'Some refs were not updated: refs/heads/main' });
    expect(refsOf(to).map((line) => line.split(' ')[0])).toContain('refs/heads/other');
    await world.db.member.updateMany({ where: member, data: { accessLevel: 20 } });
    expect((await update()).last_error).toContain('not allowed to push to the project any more');
    await world.db.user.update({ where: { id: master.id }, data: { state: 'blocked' } });
    expect((await update()).last_error).toBe('The user of the mirror is blocked or gone.');
    await world.db.user.update({ where: { id: master.id }, data: { state: 'active' } });
    // Whoever changes the mirror is its user from then on.
    await api.put(at, { enabled: true });
    expect((await update()).update_status).toBe('finished');
  });

  it('are refused and not connected to inside of this network, and show no password anywhere', LONG, async () => {
    const { project, at, update, source, address } = await stage();
    for (const wrong of ['http://127.0.0.1:1/x.git', 'http://10.0.0.1/x.git', 'file:///etc', 'ftp://x/y', '']) {
      const { status, body } = await api.put(at, { url: wrong });
      expect([wrong, status, Object.keys(body.message ?? body)]).toEqual([wrong, 400, ['url']]);
    }
    // The policy may have changed since.
    Object.assign(world.imports, { hosts: [] });
    const failed = await update();
    expect(failed).toMatchObject({
      update_status: 'to_retry',
      last_error: 'The source is blocked: its address is not a public one.',
    });
    const query = `{ project(ref: "${project.fullPath}") { pullMirror { url lastError } } }`;
    const graph = await world.graphql(query, {}, owner);
    expect(JSON.stringify(graph)).toContain('*****:*****@');
    expect(JSON.stringify([failed, graph])).not.toContain(owner.token);
    const stored = await world.db.pullMirror.findFirstOrThrow({ where: { projectId: project.id } });
    expect(Buffer.from(stored.urlEncrypted).toString('latin1')).not.toContain(address(source.fullPath));
  });

  it('sign in with a name and password of their own, which another URL does not get', LONG, async () => {
    const { source, at, update } = await stage();
    const url = `http://${here}/${source.fullPath}.git`;
    await api.put(at, { url });
    expect((await update()).last_error).toContain('refuses access');
    await api.put(at, { auth_user: owner.username, auth_password: owner.token });
    expect((await update()).update_status).toBe('finished');
    const { body } = await api.put(at, { url });
    expect(body.url).toBe(url);
    expect((await update()).last_error).toContain('refuses access');
  });

  it('try again ever later after a failure, give up, and begin anew when they are started', LONG, async () => {
    const { source, project, at, update } = await stage();
    await world.db.project.update({ where: { id: source.id }, data: { deletedAt: new Date() } });
    expect(await update()).toMatchObject({ update_status: 'to_retry' });
    const waits = async () => {
      const { dueAt, lastUpdateAt } = await world.db.pullMirror.findUniqueOrThrow({ where: { projectId: project.id } });
      return Math.round((Number(dueAt) - Number(lastUpdateAt)) / 60_000);
    };
    expect(await waits()).toBe(2);
    await update();
    expect(await waits()).toBe(4);
    await world.db.$executeRaw`UPDATE pull_mirrors SET failures = 13`;
    expect((await update()).update_status).toBe('failed');
    await world.db.project.update({ where: { id: source.id }, data: { deletedAt: null } });
    expect((await update()).update_status).toBe('failed');
    expect((await api.post(at)).status).toBe(200);
    expect((await update()).update_status).toBe('finished');
  });

  it('come with a project that is imported or changed, too, for whoever may have one', LONG, async () => {
    const { source, push, work, address } = await stage({ enabled: false });
    const given = { name: world.unique('Imported '), import_url: address(source.fullPath), mirror: true };
    const { status, body: made } = await api.post('/projects', { ...given, mirror_trigger_builds: true });
    expect(status).toBe(201);
    await world.idle();
    const at = `/projects/${made.id}/mirror/pull`;
    expect((await api.get(at)).body).toMatchObject({ enabled: true, mirror_trigger_builds: true });
    const tip = await commitFile(work, 'b.txt', 'two\n');
    await push('main');
    await api.post(at);
    await world.idle();
    const { body: main } = await api.get(`/projects/${made.id}/repository/branches/main`);
    expect(main.commit.id).toBe(tip);
    await api.put(`/projects/${made.id}`, { mirror: false });
    expect((await api.get(at)).body).toMatchObject({ enabled: false, mirror_trigger_builds: true });
    // A URL alone begins no mirror.
    const plain = await world.project({ owner });
    const change = (values: Json) => api.put(`/projects/${plain.id}`, values);
    expect((await change({ import_url: address(source.fullPath) })).status).toBe(200);
    expect((await api.get(`/projects/${plain.id}/mirror/pull`)).status).toBe(404);
    expect(await change({ import_url: 'http://10.0.0.1/x', mirror: true, description: 'Not kept' })).toMatchObject({
      status: 400,
      body: { message: { import_url: [expect.any(String)] } },
    });
    expect((await api.get(`/projects/${plain.id}`)).body.description).not.toBe('Not kept');
    const other = await change({ import_url: address(source.fullPath), mirror: true, mirror_user_id: master.id });
    expect(other.status).toBe(403);
    const administrator = world.api(await world.user({ admin: true }));
    const named = { import_url: address(source.fullPath), mirror: true, mirror_user_id: owner.id };
    expect((await administrator.put(`/projects/${plain.id}`, named)).status).toBe(200);
    await world.idle();
    expect((await api.get(`/projects/${plain.id}/mirror/pull`)).body.update_status).toBe('finished');
  });

  it('are for masters', async () => {
    const { at } = await stage({ enabled: false });
    for (const [who, status] of [
      [developer, 403],
      [master, 200],
    ] as const) {
      expect((await world.api(who).get(at)).status).toBe(status);
      expect((await world.api(who).put(at, { enabled: false })).status).toBe(status);
    }
    expect((await api.post(at)).status).toBe(400);
    const { id } = await world.project({ owner });
    expect(await api.get(`/projects/${id}/mirror/pull`)).toMatchObject({ status: 404 });
    expect((await api.post(`/projects/${id}/mirror/pull`)).status).toBe(404);
  });
});
