import { describe, expect, it } from 'vitest';
import { removeRepositories } from '#src/domain/repository/remove_later.ts';
import { buildBody } from '#src/domain/webhooks/payload/build.ts';
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

/** A group with members, and the address of its wiki in the API. */
async function stage(visibility: 'private' | 'internal' | 'public' = 'private') {
  const group = await world.group({ owner, visibility });
  await world.member(group, developer, 'developer');
  await world.member(group, reporter, 'reporter');
  await world.member(group, guest, 'guest');
  const at = `/groups/${group.id}/wikis`;
  const place = { id: group.id, repositoryStorage: 'default', owner: 'group', wiki: true } as const;
  const create = (title: string, content: string, more: Json = {}) =>
    world.api(developer).post(at, { title, content, ...more });
  return { group, at, directory: world.repositories.directory(place), create };
}

const address = ({ fullPath }: { fullPath: string }, who?: TestUser) => {
  const credentials = who ? `${who.username}:${who.token}@` : '';
  return `${world.url.replace('http://', `http://${credentials}`)}/${fullPath}.wiki.git`;
};

describe('The wiki of a group', () => {
  it('is told to the webhooks of the group and of those around it, and to no others', LONG, async () => {
    const outer = await world.group({ owner });
    const group = await world.group({ owner, parentId: outer.id, name: 'Inner' });
    const elsewhere = await world.group({ owner });
    const below = await world.project({ owner, namespaceId: group.id });
    const at = `/groups/${group.id}/wikis`;
    const write = (title: string) => world.api(owner).post(at, { title, content: 'one' });
    const wanted = { url: 'https://example.com/hook', push_events: false, wiki_page_events: true };
    const listen = async (place: string, more: Json = {}) =>
      (await world.api(owner).post(`${place}/hooks`, { ...wanted, ...more })).body.id as number;
    await write('before');
    const told = [await listen(`/groups/${outer.id}`), await listen(`/groups/${group.id}`)];
    await listen(`/groups/${group.id}`, { wiki_page_events: false, issues_events: true });
    await listen(`/groups/${elsewhere.id}`);
    await listen(`/projects/${below.id}`);
    await write('guides/home page');
    await world.api(owner).delete(`${at}/${encodeURIComponent('guides/home-page')}`);
    const events = await world.db.hookEvent.findMany({
      where: { kind: 'wiki_page', deliveries: { some: { hookId: { in: told } } } },
      include: { deliveries: { orderBy: { id: 'asc' } } },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ projectId, deliveries }) => [projectId, deliveries.map(({ hookId }) => hookId)])).toEqual([
      [null, told],
      [null, told],
    ]);
    const around = { baseUrl: 'https://git.example.com', ssh: null, avatars: false, reader: null };
    const [body, gone] = await Promise.all(
      events.map(async ({ facts }) => JSON.parse(await buildBody('wiki_page', facts, around)) as Json),
    );
    const git = `git.example.com/${group.fullPath}.wiki`;
    expect(body).toMatchObject({
      object_kind: 'wiki_page',
      user: { username: owner.username },
      group: { group_id: group.id, group_name: 'Inner', group_path: group.path, full_path: group.fullPath },
      wiki: {
        web_url: `https://git.example.com/groups/${group.fullPath}/-/wikis/home`,
        git_http_url: `https://${git}.git`,
        git_ssh_url: `git@git.example.com:${group.fullPath}.wiki.git`,
        path_with_namespace: `${group.fullPath}.wiki`,
        default_branch: 'master',
      },
      object_attributes: {
        action: 'create',
        slug: 'guides/home-page',
        content: 'one',
        url: `https://git.example.com/groups/${group.fullPath}/-/wikis/guides/home-page`,
      },
    });
    expect(body).not.toHaveProperty('project');
    expect(gone?.object_attributes.action).toBe('delete');
  });

  it('has pages that are created, read, changed, moved and deleted, each by a commit', LONG, async () => {
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
    const { content: _content, ...short } = record;
    expect((await world.api(guest).get(at)).body).toEqual([short, expect.objectContaining({ format: 'asciidoc' })]);
    const moved = await api.put(`${at}/guides%2FFirst-steps`, { title: 'Second steps' });
    expect(moved.body).toMatchObject({ slug: 'guides/Second-steps', content: 'steps' });
    expect((await api.get(`${at}/How-to-build?render_html=true`)).body.content).toMatch(/<h1.*Build/s);
    expect((await create('How to build', 'again')).status).toBe(400);
    expect((await api.delete(`${at}/How-to-build`)).status).toBe(204);
    expect((await api.get(`${at}/How-to-build`)).body).toEqual({ message: '404 Wiki Page Not Found' });
    const form = new FormData();
    form.append('file', new File(['PNG'], 'photo.png'));
    const { status, body } = await sendForm(world, `/api/v4${at}/attachments`, form, developer);
    expect([status, body.branch]).toEqual([201, 'master']);
    expect(git(directory, ['show', `HEAD:${body.file_path}`])).toBe('PNG');
    expect(git(directory, ['rev-list', '--count', 'HEAD']).trim()).toBe('5');
    expect(git(directory, ['fsck', '--strict'])).toBe('');
  });

  it('is read by guests and whoever sees the group, and written by developers, as its setting says', LONG, async () => {
    const { group, at, create } = await stage();
    await create('home', 'one');
    const statuses = async () => ({
      guest: (await world.api(guest).get(`${at}/home`)).status,
      reporter: (await world.api(reporter).put(`${at}/home`, { content: world.unique('x') })).status,
      developer: (await world.api(developer).put(`${at}/home`, { content: world.unique('x') })).status,
      stranger: (await world.api(stranger).get(`${at}/home`)).status,
      anonymous: (await world.api().get(`${at}/home`)).status,
    });
    const set = async (values: Json) =>
      expect((await world.api(owner).put(`/groups/${group.id}`, values)).status).toBe(200);
    expect(await statuses()).toEqual({ guest: 200, reporter: 403, developer: 200, stranger: 404, anonymous: 401 });
    await set({ visibility: 'internal' });
    expect(await statuses()).toMatchObject({ stranger: 200, anonymous: 401 });
    await set({ wiki_access_level: 'private' });
    expect(await statuses()).toMatchObject({ guest: 200, developer: 200, stranger: 403 });
    await set({ wiki_access_level: 'disabled' });
    expect(await statuses()).toEqual({ guest: 403, reporter: 403, developer: 403, stranger: 403, anonymous: 401 });
    expect((await world.api(owner).get(`/groups/${group.id}`)).body.wiki_access_level).toBe('disabled');
    expect((await world.api(owner).put(`/groups/${group.id}`, { wiki_access_level: 'open' })).status).toBe(400);
  });

  it('is cloned and pushed to over HTTP and SSH, with the same rights', LONG, async () => {
    const { group, at } = await stage();
    const work = await clone(address(group, developer));
    await commitFile(work, 'home.md', 'first\n');
    await run(work, 'push', '--quiet', 'origin', 'HEAD:master');
    expect((await world.api(guest).get(`${at}/home`)).body.content).toBe('first\n');
    const url = ssh.url({ fullPath: `${group.fullPath}.wiki` });
    await commitFile(work, 'more.md', 'more\n');
    const pushed = await sshGit(key, work, 'push', '--quiet', url, 'HEAD:master');
    expect([pushed.code, pushed.said]).toEqual([0, '']);
    expect((await world.api(guest).get(`${at}/more`)).body.content).toBe('more\n');
    const outcome = async (...args: string[]) => {
      const { code, said } = await gitClient(work, ...args);
      return code === 0 ? 'done' : said;
    };
    expect(await outcome('ls-remote', address(group, guest))).toBe('done');
    await commitFile(work, 'third.md', 'x');
    expect(await outcome('push', address(group, reporter), 'HEAD:master')).toMatch(/403/);
    expect(await outcome('ls-remote', address(group, stranger))).toMatch(/no such project/);
    expect(await outcome('ls-remote', address(group))).toMatch(/could not read Username/);
    await world.api(owner).put(`/groups/${group.id}`, { wiki_access_level: 'disabled' });
    expect(await outcome('ls-remote', address(group, owner))).toMatch(/403/);
  });

  it('is written at once by many without loss', LONG, async () => {
    const { at, directory, create } = await stage();
    const made = await Promise.all(Array.from({ length: 6 }, (_none, number) => create(`page ${number}`, `${number}`)));
    expect(made.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect((await world.api(developer).get(at)).body).toHaveLength(6);
    expect(git(directory, ['fsck', '--strict'])).toBe('');
  });

  it('moves with its group, and goes with it', LONG, async () => {
    const { group, at, directory, create } = await stage();
    await create('home', 'one');
    const path = world.unique('moved');
    await world.api(owner).put(`/groups/${group.id}`, { path });
    expect((await gitClient('/', 'ls-remote', address({ fullPath: path }, developer))).output).toContain('master');
    // Fetches from the old address are led to the new one.
    expect((await gitClient('/', 'ls-remote', address(group, developer))).output).toContain('master');
    expect((await world.api(developer).get(`${at}/home`)).status).toBe(200);
    await world.api(owner).delete(`/groups/${group.id}`);
    await world.idle();
    await removeRepositories(world);
    expect(() => git(directory, ['rev-parse', 'HEAD'])).toThrow();
  });

  it('is in the graph, with the addresses of its repository', async () => {
    const { group, create } = await stage();
    await create('home', '# Home\n');
    const document = `query ($ref: GroupRef!) { group(ref: $ref) { wikiAccessLevel wiki { httpUrlToRepo
      pages { totalCount nodes { slug } } page(slug: "home") { id title body(rendered: true) group { fullPath } } } } }`;
    const { body } = await world.graphql(document, { ref: group.fullPath }, guest);
    const { wiki, wikiAccessLevel } = body.data.group;
    expect(wikiAccessLevel).toBe('ENABLED');
    expect(wiki.httpUrlToRepo).toBe(address(group));
    expect(wiki.pages).toEqual({ totalCount: 1, nodes: [{ slug: 'home' }] });
    expect(wiki.page).toMatchObject({ title: 'home', group: { fullPath: group.fullPath } });
    const again = 'query ($id: ID!) { node(id: $id) { __typename ... on GroupWikiPage { slug } } }';
    expect((await world.graphql(again, { id: wiki.page.id }, guest)).body.data.node).toEqual({
      __typename: 'GroupWikiPage',
      slug: 'home',
    });
    expect((await world.graphql(again, { id: wiki.page.id }, stranger)).body.data.node).toBeNull();
  });
});
