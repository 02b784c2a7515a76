import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { wikiOf } from '#src/domain/repository/wiki_place.ts';
import { clone, commitFile, gitClient, run } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { sshGit, startSshWorld } from '../support/ssh.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ssh = await startSshWorld(world);
const [owner, developer, reporter] = [await world.user(), await world.user(), await world.user()];
const [guest, stranger] = [await world.user(), await world.user()];
const key = await ssh.key(developer);

/** A project with members, and the address of its wiki in the API. */
async function stage(visibility: 'private' | 'internal' | 'public' = 'private') {
  const project = await world.project({ owner, visibility });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const at = `/projects/${project.id}/wikis`;
  const directory = world.repositories.directory(wikiOf(project));
  const create = (title: string, content: string, more: Json = {}) =>
    world.api(developer).post(at, { title, content, ...more });
  return { project, at, directory, create };
}

const address = ({ fullPath }: { fullPath: string }, who?: TestUser) => {
  const credentials = who ? `${who.username}:${who.token}@` : '';
  return `${world.url.replace('http://', `http://${credentials}`)}/${fullPath}.wiki.git`;
};

describe('Pages of a wiki', () => {
  it('are created, read, listed, changed, moved and deleted, each by a commit of the caller', LONG, async () => {
    const { at, directory, create } = await stage();
    const api = world.api(developer);
    expect((await api.get(at)).body).toEqual([]);
    const made = await create('How to build', '# Build\n');
    const record = {
      title: 'How to build',
      slug: 'How-to-build',
      format: 'markdown',
      encoding: 'UTF-8',
      content: '# Build\n',
      wiki_page_meta_id: null,
    };
    expect([made.status, made.body]).toEqual([201, record]);
    await create('guides/First steps', 'steps', { format: 'asciidoc' });
    await create('home', 'Welcome');
    const { content: _content, ...short } = record;
    const listed = await world.api(guest).get(at);
    expect(listed.body[0]).toEqual(short);
    expect(listed.body.map(({ slug }: Json) => slug)).toEqual(['How-to-build', 'guides/First-steps', 'home']);
    expect((await api.get(`${at}?with_content=true`)).body.map(({ content }: Json) => content)).toEqual([
      '# Build\n',
      'steps',
      'Welcome',
    ]);
    const changed = await api.put(`${at}/How-to-build`, { content: '# Build it\n' });
    expect([changed.status, changed.body.content]).toEqual([200, '# Build it\n']);
    const moved = await api.put(`${at}/guides%2FFirst-steps`, { title: 'Second steps', format: 'markdown' });
    expect(moved.body).toMatchObject({ slug: 'guides/Second-steps', format: 'markdown', content: 'steps' });
    expect((await api.get(`${at}/guides%2FFirst-steps`)).body).toEqual({ message: '404 Wiki Page Not Found' });
    expect((await api.get(`${at}/How-to-build?render_html=true`)).body.content).toMatch(/<h1.*Build it/s);
    expect((await api.delete(`${at}/home`)).status).toBe(204);
    expect((await api.get(`${at}/home`)).status).toBe(404);
    expect(git(directory, ['log', '--format=%an: %s', '--reverse']).trim().split('\n')).toEqual(
      [
        'Created page: How to build',
        'Created page: First steps',
        'Created page: home',
        'Updated page: How to build',
        'Updated page: Second steps',
        'Deleted page: home',
      ].map((message) => expect.stringMatching(new RegExp(`: ${message}$`))),
    );
    const first = git(directory, ['rev-list', '--max-parents=0', 'HEAD']).trim();
    expect((await api.get(`${at}/How-to-build?version=${first}`)).body.content).toBe('# Build\n');
    expect((await api.get(`${at}/home?version=${first}`)).status).toBe(404);
    expect(git(directory, ['fsck', '--strict'])).toBe('');
  });

  it('have titles that are paths and not taken, and say what is wrong', async () => {
    const { at, create } = await stage();
    await create('home', 'one');
    const { status, body } = await create('home', 'two');
    expect([status, body]).toEqual([400, { message: 'A page with that title already exists' }]);
    for (const title of ['', '..', 'a/../b', '.git/x', '_hidden', 'uploads/x', 'x'.repeat(256)]) {
      expect([title, (await create(title, 'x')).status]).toEqual([title, 400]);
    }
    const none = await world.api(developer).put(`${at}/home`, {});
    expect(none.body).toEqual({
      error: 'content, title, format are missing, at least one parameter must be provided',
    });
    expect((await world.api(developer).put(`${at}/home`, { content: 'one' })).status).toBe(400);
    expect((await create('large', 'x'.repeat(6 * 1024 * 1024))).status).toBe(413);
    expect((await world.api(developer).get(at)).body).toHaveLength(1);
  });

  it('are read by guests, written by developers, and by nobody while the wiki is off', LONG, async () => {
    const { project, at, create } = await stage();
    await create('home', 'one');
    const statuses = async () => ({
      guest: (await world.api(guest).get(`${at}/home`)).status,
      reporter: (await world.api(reporter).put(`${at}/home`, { content: world.unique('x') })).status,
      developer: (await world.api(developer).put(`${at}/home`, { content: world.unique('x') })).status,
      stranger: (await world.api(stranger).get(`${at}/home`)).status,
      anonymous: (await world.api().get(`${at}/home`)).status,
    });
    expect(await statuses()).toEqual({ guest: 200, reporter: 403, developer: 200, stranger: 404, anonymous: 401 });
    await world.api(owner).put(`/projects/${project.id}`, { visibility: 'internal' });
    expect(await statuses()).toMatchObject({ stranger: 200, anonymous: 401 });
    await world.api(owner).put(`/projects/${project.id}`, { wiki_enabled: false });
    expect(await statuses()).toEqual({ guest: 403, reporter: 403, developer: 403, stranger: 403, anonymous: 401 });
  });

  it('show files that are attached to the wiki', LONG, async () => {
    const { at, directory } = await stage();
    const form = new FormData();
    form.append('file', new File(['PNG'], 'my photo.png'));
    const { status, body } = await sendForm(world, `/api/v4${at}/attachments`, form, developer);
    expect(status).toBe(201);
    expect(body).toEqual({
      file_name: 'my_photo.png',
      file_path: expect.stringMatching(/^uploads\/[0-9a-f]{32}\/my_photo\.png$/),
      branch: 'master',
      link: { url: body.file_path, markdown: `![my_photo](${body.file_path})` },
    });
    expect(git(directory, ['show', `HEAD:${body.file_path}`])).toBe('PNG');
    const text = new FormData();
    text.append('file', new File(['text'], 'notes.txt'));
    const { link } = (await sendForm(world, `/api/v4${at}/attachments`, text, developer)).body;
    expect(link.markdown).toBe(`[notes.txt](${link.url})`);
    expect((await world.api(developer).get(at)).body).toEqual([]);
  });

  it('are written at once by many without loss', LONG, async () => {
    const { at, directory, create } = await stage();
    const made = await Promise.all(
      Array.from({ length: 8 }, (_none, number) => create(`page ${number}`, String(number))),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect((await world.api(developer).get(at)).body).toHaveLength(8);
    expect(git(directory, ['fsck', '--strict'])).toBe('');
  });

  it('are told to webhooks', LONG, async () => {
    const { project, at, create } = await stage();
    const events = async () =>
      (
        await world.db.$queryRaw<{ facts: Json }[]>`SELECT facts FROM hook_events WHERE kind = 'wiki_page' ORDER BY id`
      ).map(({ facts }) => [
        facts.page.action,
        facts.page.slug,
        facts.page.content,
        facts.user.username,
        facts.project.id,
      ]);
    await create('before', 'nobody listens');
    const url = 'https://example.com/hook';
    await world.api(owner).post(`/projects/${project.id}/hooks`, { url, push_events: false, wiki_page_events: true });
    await create('home', 'one');
    await world.api(developer).put(`${at}/home`, { title: 'start' });
    await world.api(developer).delete(`${at}/start`);
    const by = [developer.username, project.id];
    expect(await events()).toEqual([
      ['create', 'home', 'one', ...by],
      ['update', 'start', 'one', ...by],
      ['delete', 'start', 'one', ...by],
    ]);
  });
});

describe('The repository of a wiki', () => {
  it('is cloned and pushed to over HTTP, and shows what was pushed', LONG, async () => {
    const { project, at, create } = await stage();
    await create('home', 'one');
    const work = await clone(address(project, developer));
    await commitFile(work, 'pushed-page.md', 'pushed\n');
    await writeFile(path.join(work, 'image.png'), 'PNG');
    await run(work, 'push', '--quiet', 'origin', 'HEAD');
    expect((await world.api(guest).get(`${at}/pushed-page`)).body.content).toBe('pushed\n');
    await run(work, 'checkout', '--quiet', '-b', 'other');
    await run(work, 'push', '--quiet', 'origin', 'other');
    expect(await run(await clone(address(project, guest)), 'log', '-1', '--format=%s')).toBe('Change pushed-page.md');
    // Nothing of it is an event, a branch or a pipeline of the project.
    expect(await world.db.event.count({ where: { projectId: project.id, action: { startsWith: 'pushed' } } })).toBe(0);
    expect((await world.api(owner).get(`/projects/${project.id}/repository/branches`)).body).toEqual([]);
  });

  it('is cloned and pushed to over SSH', LONG, async () => {
    const { project, at, create } = await stage();
    await create('home', 'one');
    const url = ssh.url({ fullPath: `${project.fullPath}.wiki` });
    const work = await clone(address(project, developer));
    await commitFile(work, 'more.md', 'more\n');
    const { code, said } = await sshGit(key, work, 'push', '--quiet', url, 'HEAD:master');
    expect([code, said]).toEqual([0, '']);
    expect((await world.api(guest).get(`${at}/more`)).body.content).toBe('more\n');
    expect((await sshGit(key, work, 'ls-remote', url)).output).toContain('refs/heads/master');
  });

  it('is there for a wiki without pages, and the first push begins it', LONG, async () => {
    const { project, at } = await stage();
    const work = await clone(address(project, developer));
    await commitFile(work, 'home.md', 'first\n');
    await run(work, 'push', '--quiet', 'origin', 'HEAD:master');
    expect((await world.api(guest).get(`${at}/home`)).body.content).toBe('first\n');
  });

  it('has the rights of the wiki, and not those of the code', LONG, async () => {
    const { project, create } = await stage();
    await create('home', 'one');
    const refused = async (who: TestUser | undefined, push = false) => {
      const from = await clone(address(project, owner));
      if (push) await commitFile(from, world.unique('file'), 'x');
      const args = push ? ['push', address(project, who), 'HEAD:master'] : ['ls-remote', address(project, who)];
      const { code, said } = await gitClient(from, ...args);
      return code === 0 ? 'done' : (/error: (\d+)/.exec(said)?.[1] ?? said.split('\n')[0]);
    };
    expect([await refused(guest), await refused(guest, true)]).toEqual(['done', '403']);
    expect([await refused(developer, true), await refused(stranger)]).toEqual([
      'done',
      expect.stringMatching(/no such project/),
    ]);
    // Guests do not read the code of a private project.
    const code = address(project, guest).replace('.wiki.git', '.git');
    expect((await gitClient('/', 'ls-remote', code)).code).not.toBe(0);
    await world.api(owner).put(`/projects/${project.id}`, { wiki_enabled: false });
    expect([(await gitClient('/', 'ls-remote', address(project, owner))).code]).toEqual([128]);
  });

  it('moves with its project, and goes with it', LONG, async () => {
    const { project, directory, create } = await stage();
    await create('home', 'one');
    const { username } = owner;
    const name = world.unique('moved');
    await world.api(owner).put(`/projects/${project.id}`, { path: name });
    const moved = address({ fullPath: `${username}/${name}` }, developer);
    expect((await gitClient('/', 'ls-remote', moved)).output).toContain('refs/heads/master');
    // Fetches from the old address are led to the new one.
    expect((await gitClient('/', 'ls-remote', address(project, developer))).output).toContain('refs/heads/master');
    await world.api(owner).delete(`/projects/${project.id}`);
    await world.idle();
    expect(() => git(directory, ['rev-parse', 'HEAD'])).toThrow();
  });
});
