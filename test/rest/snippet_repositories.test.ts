import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeRepositories } from '#src/domain/repository/remove_later.ts';
import { snippetPlace } from '#src/domain/snippets/repository.ts';
import { clone, commitFile, gitClient, run } from '../support/git_client.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { sshGit, startSshWorld } from '../support/ssh.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ssh = await startSshWorld(world);
const [author, member, stranger] = [await world.user(), await world.user(), await world.user()];
const admin = await world.user({ admin: true });
const key = await ssh.key(author);
const people = await world.db.user.findMany({ where: { id: { in: [author.id, admin.id] } } });
const nameOf = ({ id }: { id: number }) => people.find((one) => one.id === id);
const mine = world.api(author);

const FILES = [
  { file_path: 'one.rb', content: 'puts 1\n' },
  { file_path: 'lib/two.rb', content: 'puts 2\n' },
];

type Visibility = 'private' | 'internal' | 'public';

/** A personal snippet. */
const personal = async (visibility: Visibility = 'private', more: Json = {}) =>
  (await mine.post('/snippets', { title: 'Own', visibility, files: FILES, ...more })).body;

/** A project with a member, and a snippet of it. */
async function inProject(visibility: Visibility = 'private') {
  const project = await world.project({ owner: author, visibility: 'public' });
  await world.member(project, member, 'master');
  const at = `/projects/${project.id}/snippets`;
  const { body } = await mine.post(at, { title: 'Two', visibility, files: FILES });
  return { project, at, snippet: body };
}

const withCredentials = (url: string, who?: TestUser, password = who?.token) =>
  who ? url.replace('http://', `http://${who.username}:${password}@`) : url;
const addressOf = ({ id }: Json, who?: TestUser) => withCredentials(`${world.url}/snippets/${id}.git`, who);
const directoryOf = ({ id }: Json) => world.repositories.directory(snippetPlace(id, 'default'));
const textsOf = async ({ id, files }: Json, api = mine) =>
  Object.fromEntries(
    await Promise.all(
      files.map(async ({ path: name }: Json) => [
        name,
        (await api.get(`/snippets/${id}/files/main/${encodeURIComponent(name)}/raw`)).body,
      ]),
    ),
  );

/** How often the client is let in, and what it is told otherwise. */
async function reads(url: string): Promise<string> {
  const { code, said } = await gitClient('/', 'ls-remote', url);
  return code === 0 ? 'read' : (/error: (\d+)/.exec(said)?.[1] ?? said.replace(/\s+/g, ' '));
}

describe('The repository of a snippet', () => {
  it(
    'is made when it is first needed, with what the snippet has, and is told to clients of the API',
    LONG,
    async () => {
      const snippet = await personal();
      expect(snippet).toMatchObject({ http_url_to_repo: `${world.url}/snippets/${snippet.id}.git` });
      expect(snippet.ssh_url_to_repo).toMatch(new RegExp(`[:/]snippets/${snippet.id}\\.git$`));
      expect(snippet).not.toHaveProperty('repository_storage');
      expect((await world.api(admin).get(`/snippets/${snippet.id}`)).body.repository_storage).toBeNull();
      const copy = await clone(withCredentials(snippet.http_url_to_repo, author));
      expect(await run(copy, 'ls-files')).toBe('lib/two.rb\none.rb');
      expect(await run(copy, 'log', '--format=%an <%ae> %s')).toBe(
        `${nameOf(author)?.name} <${nameOf(author)?.email}> Initial commit`,
      );
      const { created_at: at, updated_at: updated } = (await mine.get(`/snippets/${snippet.id}`)).body;
      expect(Number(await run(copy, 'log', '--format=%at'))).toBe(Math.floor(Date.parse(at) / 1000));
      expect([updated, snippet.updated_at]).toEqual([snippet.updated_at, updated]);
      expect((await world.api(admin).get(`/snippets/${snippet.id}`)).body.repository_storage).toBe('default');
      expect(git(directoryOf(snippet), ['fsck', '--strict'])).toBe('');
    },
  );

  it('is that of a snippet of a project, and moves with it', LONG, async () => {
    const { project, at, snippet } = await inProject();
    expect(snippet.http_url_to_repo).toBe(`${world.url}/${project.fullPath}/snippets/${snippet.id}.git`);
    const copy = await clone(withCredentials(snippet.http_url_to_repo, author));
    expect(await run(copy, 'ls-files')).toBe('lib/two.rb\none.rb');
    // It is nowhere else.
    expect(await reads(addressOf(snippet, author))).toMatch(/no such snippet/);
    await mine.put(`/projects/${project.id}`, { path: world.unique('moved') });
    const { body } = await mine.get(`${at}/${snippet.id}`);
    expect(body.http_url_to_repo).not.toBe(snippet.http_url_to_repo);
    expect(await reads(withCredentials(body.http_url_to_repo, author))).toBe('read');
    expect(await reads(withCredentials(snippet.http_url_to_repo, author))).toBe('read');
  });

  it('gets a commit of who edited for every change of the files, and none for other changes', LONG, async () => {
    const snippet = await personal();
    const update = (changes: Json, who = author) => world.api(who).put(`/snippets/${snippet.id}`, changes);
    await update({ title: 'Another' });
    await update({ files: [{ action: 'move', previous_path: 'one.rb', file_path: 'uno.rb' }] });
    await update({ content: 'puts 11\n' }, admin);
    await update({ content: 'puts 11\n', title: 'Third' });
    const log = git(directoryOf(snippet), ['log', '--format=%an: %s', '--name-status', 'main']).trim();
    expect(log.split(/\n+/)).toEqual([
      `${nameOf(admin)?.name}: Update snippet`,
      'M\tuno.rb',
      `${nameOf(author)?.name}: Update snippet`,
      'R100\tone.rb\tuno.rb',
      `${nameOf(author)?.name}: Initial commit`,
      'A\tlib/two.rb',
      'A\tone.rb',
    ]);
    const { body } = await mine.get(`/snippets/${snippet.id}`);
    expect([body.title, body.file_name]).toEqual(['Third', 'uno.rb']);
    const first = git(directoryOf(snippet), ['rev-list', '--max-parents=0', 'main']).trim();
    const raw = async (ref: string, name: string, api = mine) =>
      await api.get(`/snippets/${snippet.id}/files/${ref}/${encodeURIComponent(name)}/raw`);
    expect((await raw(first, 'one.rb')).body).toBe('puts 1\n');
    expect((await raw(first.slice(0, 8), 'lib/two.rb')).body).toBe('puts 2\n');
    expect((await raw('main', 'uno.rb')).body).toBe('puts 11\n');
    for (const [ref, name] of [
      [first, 'uno.rb'],
      ['topic', 'uno.rb'],
      ['0'.repeat(40), 'uno.rb'],
    ] as const)
      expect([ref, (await raw(ref, name)).status]).toEqual([ref, 404]);
    expect((await raw(first, 'one.rb', world.api(stranger))).status).toBe(404);
    const page = (who?: TestUser) =>
      fetch(`${world.url}/-/snippets/${snippet.id}/raw/${first}/one.rb`, {
        headers: who ? { 'PRIVATE-TOKEN': who.token } : {},
      });
    expect([(await page(author)).status, await (await page(author)).text()]).toEqual([200, 'puts 1\n']);
    expect((await page()).status).not.toBe(200);
  });

  it('shows what is pushed to it, over HTTP and SSH', LONG, async () => {
    const snippet = await personal();
    const work = await clone(addressOf(snippet, author));
    await rm(path.join(work, 'one.rb'));
    await commitFile(work, 'three.rb', 'puts 3\n');
    await run(work, 'commit', '--quiet', '-am', 'Remove one.rb');
    await run(work, 'push', '--quiet', 'origin', 'main');
    const { body } = await mine.get(`/snippets/${snippet.id}`);
    expect(await textsOf(body)).toEqual({ 'lib/two.rb': 'puts 2\n', 'three.rb': 'puts 3\n' });
    expect([body.file_name, body.updated_at > snippet.updated_at]).toEqual(['lib/two.rb', true]);
    expect((await mine.get(`/snippets/${snippet.id}/raw`)).body).toBe('puts 2\n');
    const url = ssh.url({ fullPath: `snippets/${snippet.id}` });
    await commitFile(work, 'empty.txt', '');
    const pushed = await sshGit(key, work, 'push', '--quiet', url, 'main');
    expect([pushed.code, pushed.said]).toEqual([0, '']);
    expect((await mine.get(`/snippets/${snippet.id}`)).body.files).toHaveLength(3);
    // What was pushed empty stays so while others change.
    const changed = await mine.put(`/snippets/${snippet.id}`, {
      files: [{ action: 'update', file_path: 'three.rb', content: '3\n' }],
    });
    expect(changed.status).toBe(200);
    await run(work, 'pull', '--quiet', 'origin', 'main');
    expect(await run(work, 'show', 'HEAD:three.rb')).toBe('3');
  });

  it('is read by whoever sees the snippet, and pushed to by who may change it', LONG, async () => {
    const open = await personal('public');
    const closed = await personal('private');
    const { snippet } = await inProject('private');
    const at = (who?: TestUser) => withCredentials(snippet.http_url_to_repo, who);
    expect([await reads(addressOf(open)), await reads(addressOf(open, stranger))]).toEqual(['read', 'read']);
    expect(await reads(addressOf(closed))).toMatch(/could not read Username/);
    expect(await reads(addressOf({ id: 999_999_999 }))).toMatch(/could not read Username/);
    expect(await reads(addressOf(closed, stranger))).toMatch(/no such snippet/);
    expect([await reads(at(author)), await reads(at(admin))]).toEqual(['read', 'read']);
    expect(await reads(at(member))).toMatch(/no such|not found/);
    const work = await clone(addressOf(open, author));
    await commitFile(work, 'x', 'x');
    const push = async (who?: TestUser) => (await gitClient(work, 'push', addressOf(open, who), 'main')).said;
    expect(await push(stranger)).toMatch(/403/);
    expect(await push()).toMatch(/could not read Username/);
    expect((await mine.get(`/snippets/${open.id}`)).body.files).toHaveLength(2);
    expect((await gitClient(work, 'push', addressOf(open, admin), 'main')).code).toBe(0);
    // Who lost the right is refused from then on.
    await mine.put(`/snippets/${open.id}`, { visibility: 'private' });
    expect(await reads(addressOf(open, stranger))).toMatch(/no such snippet/);
  });

  it('asks for the scopes that repositories ask for', LONG, async () => {
    const snippet = await personal();
    const work = await clone(addressOf(snippet, author));
    await commitFile(work, 'x', 'x');
    const token = async (scope: string) =>
      (await world.api(admin).post(`/users/${author.id}/personal_access_tokens`, { name: 'git', scopes: [scope] })).body
        .token;
    const using = async (scope: string, ...args: string[]) => {
      const url = withCredentials(`${world.url}/snippets/${snippet.id}.git`, author, await token(scope));
      return (await gitClient(work, args[0] ?? '', url, ...args.slice(1))).code === 0;
    };
    expect(await using('read_repository', 'ls-remote')).toBe(true);
    expect(await using('read_repository', 'push', 'main')).toBe(false);
    expect(await using('read_user', 'ls-remote')).toBe(false);
    expect(await using('write_repository', 'push', 'main')).toBe(true);
  });

  it('refuses what a snippet cannot have, and stays as it was', LONG, async () => {
    const snippet = await personal();
    const work = await clone(addressOf(snippet, author));
    const refused = async (change: () => Promise<unknown>, branch = 'main') => {
      await run(work, 'reset', '--quiet', '--hard', 'origin/main');
      await change();
      await run(work, 'add', '--all');
      await run(work, 'commit', '--quiet', '--allow-empty', '-m', 'Try');
      const { code, said } = await gitClient(work, 'push', 'origin', `HEAD:${branch}`);
      return code === 0 ? 'done' : (/\(([^)]+)\)$/m.exec(said)?.[1] ?? said);
    };
    const file = (name: string, content: string | Buffer) => writeFile(path.join(work, name), content);
    expect(await refused(async () => undefined, 'topic')).toBe('a snippet has only the branch main');
    expect(await refused(async () => undefined, 'refs/tags/v1')).toBe('a snippet has only the branch main');
    const many = async () => {
      for (let number = 0; number < 9; number++) await file(`file${number}`, 'x');
    };
    expect(await refused(many)).toBe('a snippet can have at most 10 files');
    expect(await refused(() => file('large', 'x'.repeat(21 * 1024 ** 2)))).toMatch(/at most \d+ bytes together/);
    expect(await refused(() => symlink('/etc/passwd', path.join(work, 'link')))).toMatch(/symbolic links/);
    expect(await refused(() => file('binary', Buffer.from([1, 0, 2])))).toBe('binary is not a text in UTF-8');
    expect(await refused(() => file('latin', Buffer.from([0xe4])))).toBe('latin is not a text in UTF-8');
    expect(await refused(() => run(work, 'rm', '--quiet', '-r', '.'))).toBe('a snippet has at least one file');
    const submodule = async () => {
      const head = await run(work, 'rev-parse', 'HEAD');
      await run(work, 'update-index', '--add', '--cacheinfo', `160000,${head},sub`);
      await mkdir(path.join(work, 'sub'));
    };
    expect(await refused(submodule)).toBe('a snippet cannot have submodules');
    // Programs write what the git program does not: the tree has the name `..`.
    const oid = await run(work, 'hash-object', '-w', 'lib/two.rb');
    const tree = Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(oid, 'hex')]);
    await file('tree', tree);
    const hash = await run(work, 'hash-object', '-t', 'tree', '-w', '--literally', 'tree');
    const commit = await run(work, 'commit-tree', hash, '-p', 'origin/main', '-m', 'Out');
    expect((await gitClient(work, 'push', 'origin', `${commit}:main`)).code).not.toBe(0);
    expect((await gitClient(work, 'push', 'origin', ':main')).said).toMatch(
      /Cannot remove HEAD branch|cannot be deleted/,
    );
    const { body } = await mine.get(`/snippets/${snippet.id}`);
    expect(await textsOf(body)).toEqual({ 'one.rb': 'puts 1\n', 'lib/two.rb': 'puts 2\n' });
    expect(git(directoryOf(snippet), ['for-each-ref', '--format=%(refname)']).trim()).toBe('refs/heads/main');
  });

  it('takes changes at once one after another, and a push that came late is told', LONG, async () => {
    const snippet = await personal();
    const work = await clone(addressOf(snippet, author));
    const changes = await Promise.all(
      Array.from({ length: 6 }, (_none, number) =>
        mine.put(`/snippets/${snippet.id}`, {
          files: [{ action: 'create', file_path: `file${number}`, content: `${number}` }],
        }),
      ),
    );
    expect(changes.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(git(directoryOf(snippet), ['rev-list', '--count', 'main']).trim()).toBe('7');
    expect((await mine.get(`/snippets/${snippet.id}`)).body.files).toHaveLength(8);
    await commitFile(work, 'late', 'late');
    expect((await gitClient(work, 'push', 'origin', 'main')).said).toMatch(/rejected/);
    await run(work, 'pull', '--quiet', '--rebase', 'origin', 'main');
    await run(work, 'push', '--quiet', 'origin', 'main');
    expect((await mine.get(`/snippets/${snippet.id}`)).body.files).toHaveLength(9);
  });

  it('goes with the snippet, its author and its project', LONG, async () => {
    const gone = await personal();
    await clone(addressOf(gone, author));
    await mine.delete(`/snippets/${gone.id}`);
    const { project, snippet } = await inProject();
    await clone(withCredentials(snippet.http_url_to_repo, author));
    await mine.delete(`/projects/${project.id}`);
    const leaving = await world.user();
    const { body: left } = await world.api(leaving).post('/snippets', { title: 'Left', files: FILES });
    await clone(addressOf(left, leaving));
    await world.api(admin).delete(`/users/${leaving.id}?hard_delete=true`);
    await world.idle();
    await removeRepositories(world);
    for (const one of [gone, snippet, left]) expect(() => git(directoryOf(one), ['rev-parse', 'HEAD'])).toThrow();
    expect(await world.db.removedRepository.count()).toBe(0);
  });
});

describe('A snippet of a server of the version before', () => {
  /** What that server does: it knows the rows alone. */
  const write = (id: number, name: string, content: string) =>
    world.db
      .$executeRaw`UPDATE snippets SET file_name = ${name}, content = ${content}, updated_at = now() WHERE id = ${id}`;

  it('keeps every file and text, under names that a repository can have', LONG, async () => {
    const snippet = await personal('private', { files: [...FILES, { file_path: 'c', content: 'c' }] });
    await write(snippet.id, '../.git/config', 'evil');
    await world.db.$executeRaw`UPDATE snippet_files SET name = 'c/d' WHERE snippet_id = ${snippet.id} AND position = 1`;
    const copy = await clone(addressOf(snippet, author));
    const names = (await run(copy, 'ls-files')).split('\n');
    expect(names).toHaveLength(3);
    const { body } = await mine.get(`/snippets/${snippet.id}`);
    expect(body.files.map(({ path: name }: Json) => name).sort()).toEqual(names.sort());
    expect(Object.values(await textsOf(body)).sort()).toEqual(['c', 'evil', 'puts 2\n']);
  });

  it('gets a commit for what that server changed beside this one', LONG, async () => {
    const snippet = await personal();
    const copy = await clone(addressOf(snippet, author));
    await write(snippet.id, 'one.rb', 'by the old server\n');
    await run(copy, 'pull', '--quiet', 'origin', 'main');
    expect(await run(copy, 'show', 'HEAD:one.rb')).toBe('by the old server');
    expect(await run(copy, 'rev-list', '--count', 'HEAD')).toBe('2');
    await world.db.$executeRaw`DELETE FROM snippet_files WHERE snippet_id = ${snippet.id}`;
    await run(copy, 'pull', '--quiet', 'origin', 'main');
    expect(await run(copy, 'ls-files')).toBe('one.rb');
  });

  it('has what git has where a crash came between git and the database', LONG, async () => {
    const snippet = await personal();
    const work = await clone(addressOf(snippet, author));
    await commitFile(work, 'one.rb', 'pushed\n');
    const head = await run(work, 'rev-parse', 'HEAD');
    git(directoryOf(snippet), ['fetch', '--quiet', work, 'main']);
    git(directoryOf(snippet), ['update-ref', 'refs/heads/main', head]);
    await run(work, 'pull', '--quiet', 'origin', 'main');
    const { body } = await mine.get(`/snippets/${snippet.id}`);
    expect(await textsOf(body)).toEqual({ 'one.rb': 'pushed\n', 'lib/two.rb': 'puts 2\n' });
    expect(git(directoryOf(snippet), ['rev-parse', 'main']).trim()).toBe(head);
  });
});
