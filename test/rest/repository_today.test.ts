// One part in depth, which the long run has.
// @module-tag long
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { trailersOf } from '#src/domain/repository/commits/trailers.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { signedIn } from '../support/oauth.ts';
import { part } from '../support/repository.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner, master, developer, reporter, filled, committed } = await startCommittingWorld();
const api = world.api(owner);
const file = (path: string, content = 'one\n', more = {}) => ({ action: 'create', file_path: path, content, ...more });

describe('Branches, tags and commits', () => {
  it('have the addresses of their pages, which lead there', async () => {
    const { project, at } = await filled([file('a.txt')], { visibility: 'public' });
    await api.post(`${at}/branches`, { branch: 'feature/ü#1', ref: 'master' });
    const { body: branch } = await api.get(`${at}/branches/${part('feature/ü#1')}`);
    expect(branch.web_url).toBe(`${world.url}/${project.fullPath}/-/tree/feature/%C3%BC%231`);
    expect(branch.commit.web_url).toBe(`${world.url}/${project.fullPath}/-/commit/${branch.commit.id}`);
    const { body: compared } = await api.get(`${at}/compare?from=master&to=${branch.commit.id}`);
    const straight = await api.get(`${at}/compare?from=master&to=${branch.commit.id}&straight=true`);
    expect(straight.body.web_url).toBe(`${compared.web_url}?straight=true`);
    const browser = await signedIn(world, owner);
    for (const address of [branch.web_url, branch.commit.web_url, compared.web_url]) {
      expect([address, (await browser.get(new URL(address).pathname)).status]).toEqual([address, 200]);
    }
  });

  it('say which branch is the default one, and who can push', async () => {
    const { at } = await filled([file('a.txt')], { visibility: 'public' });
    await api.post(`${at}/branches`, { branch: 'topic', ref: 'master' });
    await api.put(`${at}/branches/master/protect`);
    const seen = async (who?: TestUser) =>
      (await world.api(who).get(`${at}/branches`)).body.map((one: Json) => [one.name, one.default, one.can_push]);
    expect(await seen(master)).toEqual([
      ['master', true, true],
      ['topic', false, true],
    ]);
    expect(await seen(developer)).toEqual([
      ['master', true, false],
      ['topic', false, true],
    ]);
    for (const who of [reporter, await world.user(), undefined]) {
      expect(await seen(who)).toEqual([
        ['master', true, false],
        ['topic', false, false],
      ]);
    }
  });

  it('say what a tag points to, when it was made, and whether it is protected', async () => {
    const { project, at, directory } = await filled([file('a.txt')]);
    await api.post(`${at}/tags`, { tag_name: 'light', ref: 'master' });
    await api.post(`${at}/tags`, { tag_name: 'v1.0', ref: 'master', message: 'First' });
    await api.post(`/projects/${project.id}/protected_tags`, { name: 'v*' });
    const head = git(directory, ['rev-parse', 'master']).trim();
    expect((await api.get(`${at}/tags`)).body).toMatchObject([
      {
        name: 'v1.0',
        target: git(directory, ['rev-parse', 'v1.0']).trim(),
        protected: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        commit: { id: head },
      },
      { name: 'light', target: head, protected: false, created_at: null },
    ]);
  });

  it.each([
    'Title\n\nSigned-off-by: A <a@example.com>\nReviewed-by: B\nReviewed-by: C\n',
    'Title\n\nBody: not the last\n\nKey: a value\n  that is folded\nOther:x\n\n',
    'Title: no trailer\n',
    'Title\nKey: in the first paragraph\n',
    'Title\n\nWords and then\nKey: value\n',
    'Title\n\nWords and then\nKey: value\nSigned-off-by: A\n',
    'Title\n\nA\nB\nC\nD\nE\nF\nG\nSigned-off-by: A\n',
    'Title\n\nnot-a key : value\nKey : spaced\n',
    'Title\n\nKey: value\n(cherry picked from commit 0123)\n',
    '',
    'Title\n\n  Key: indented\n',
  ])('have the trailers that git finds in %j', (message) => {
    const { directory } = history;
    const lines = git(directory, ['interpret-trailers', '--parse', '--no-divider'], message)
      .split('\n')
      .filter((line) => line !== '');
    const own = [...trailersOf(message)].flatMap(([key, values]) => values.map((value) => `${key}: ${value}`));
    expect(own.toSorted()).toEqual(lines.toSorted());
  });

  it('carry trailers in their records, each with the last value, and all values', async () => {
    const { at } = await filled();
    const commit_message = 'Title\n\nReviewed-by: A\nReviewed-by: B\nKey: x\n';
    const { body } = await api.post(`${at}/commits`, { branch: 'master', commit_message, actions: [file('a.txt')] });
    expect((await api.get(`${at}/commits/${body.id}`)).body).toMatchObject({
      trailers: { 'Reviewed-by': 'B', Key: 'x' },
      extended_trailers: { 'Reviewed-by': ['A', 'B'], Key: ['x'] },
    });
  });
});

describe('Files', () => {
  it('have headers about themselves, on GET and HEAD, also of raw content and blame', async () => {
    const { at, directory } = await filled([file('dir/ü.txt', 'x\n')], { visibility: 'public' });
    await committed(at, [file('other.txt')]);
    const head = git(directory, ['rev-parse', 'master']).trim();
    const first = git(directory, ['log', '--format=%H', '-1', '--', 'dir/ü.txt']).trim();
    const wanted = {
      'x-gitlab-blob-id': git(directory, ['rev-parse', 'master:dir/ü.txt']).trim(),
      'x-gitlab-commit-id': head,
      'x-gitlab-content-sha256': createHash('sha256').update('x\n').digest('hex'),
      'x-gitlab-encoding': 'base64',
      'x-gitlab-execute-filemode': 'false',
      'x-gitlab-file-name': 'ü.txt',
      'x-gitlab-file-path': 'dir/ü.txt',
      'x-gitlab-last-commit-id': first,
      'x-gitlab-ref': 'master',
      'x-gitlab-size': '2',
    };
    const address = `${at}/files/${part('dir/ü.txt')}`;
    for (const path of [address, `${address}/raw`, `${address}/blame`]) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await world.send(method, `/api/v4${path}?ref=master`);
        const found = Object.keys(wanted).map((name) => {
          return [name, Buffer.from(String(headers[name]), 'latin1').toString()];
        });
        expect([path, method, status, Object.fromEntries(found)]).toEqual([path, method, 200, wanted]);
        expect(headers['access-control-expose-headers']).toContain('X-Gitlab-Last-Commit-Id');
      }
    }
    expect((await api.get(`${address}?ref=master`)).body).toMatchObject({
      content_sha256: wanted['x-gitlab-content-sha256'],
      execute_filemode: false,
    });
    for (const [path, status] of [
      [`${at}/files/none?ref=master`, 404],
      [`${address}?ref=none`, 404],
    ] as const) {
      const { headers, ...answer } = await world.send('HEAD', `/api/v4${path}`);
      expect([answer.status, headers['x-gitlab-size']]).toEqual([status, undefined]);
    }
  });

  it('have no line break of their names in a header', async () => {
    const { at, directory } = await filled([file('a.txt')]);
    const blob = git(directory, ['hash-object', '-w', '--stdin'], 'x').trim();
    const tree = git(directory, ['mktree', '-z'], `100755 blob ${blob}\ta\nX-Evil: 1\0`).trim();
    const commit = git(directory, [
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@b.c',
      'commit-tree',
      '-m',
      'x',
      tree,
    ]).trim();
    git(directory, ['update-ref', 'refs/heads/master', commit]);
    const { status, headers } = await api.get(`${at}/files/${part('a\nX-Evil: 1')}?ref=master`);
    expect([status, headers['x-evil'], headers['x-gitlab-file-name']]).toEqual([200, undefined, 'a_X-Evil: 1']);
    expect(headers['x-gitlab-execute-filemode']).toBe('true');
  });

  it('are blamed as git does it, as a whole and in a range', async () => {
    const { project, at, directory } = await filled([file('a.txt', 'one\ntwo\nthree\nfour\n')], {
      visibility: 'public',
    });
    await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'one\n2\n3\nfour\nfive' }]);
    const blame = `${at}/files/a.txt/blame`;
    const lines = git(directory, ['blame', '-l', '--root', '-s', 'master', '--', 'a.txt'])
      .split('\n')
      .flatMap((line) => /^(\w{40}) +\d+\) (.*)$/.exec(line)?.slice(1) ?? []);
    const shown = (body: Json) =>
      body.flatMap((one: Json) => one.lines.flatMap((line: string) => [one.commit.id, line]));
    const { status, body } = await world.api().get(`${blame}?ref=master`);
    expect([status, shown(body)]).toEqual([200, lines]);
    expect(Object.keys(body[0].commit)).toEqual([
      ...['id', 'message', 'parent_ids', 'authored_date', 'author_name', 'author_email', 'committed_date'],
      ...['committer_name', 'committer_email'],
    ]);
    const some = await world.api().get(`${blame}?ref=master&range[start]=2&range[end]=4`);
    expect(shown(some.body)).toEqual(lines.slice(2, 8));
    expect((await api.get(`${blame}?ref=master&range[start]=9&range[end]=12`)).body).toEqual([]);
    expect(await api.get(`${blame}?ref=master&range[start]=4&range[end]=2`)).toMatchObject({
      status: 400,
      body: { error: 'range[start] must be less than or equal to range[end]' },
    });
    for (const wrong of [
      'range[start]=1',
      'range[end]=1',
      'range[start]=0&range[end]=1',
      'range[start]=x&range[end]=1',
    ]) {
      expect([wrong, (await api.get(`${blame}?ref=master&${wrong}`)).status]).toEqual([wrong, 400]);
    }
    expect((await api.get(blame)).status).toBe(400);
    expect(await api.get(`${blame}?ref=none`)).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    });
    expect(await api.get(`${at}/files/none/blame?ref=master`)).toMatchObject({
      status: 404,
      body: { message: '404 File Not Found' },
    });
    await world.db.project.update({ where: { id: project.id }, data: { visibility: 'private' } });
    expect((await world.api().get(`${blame}?ref=master`)).status).toBe(404);
    expect((await world.api(await world.user()).get(`${blame}?ref=master`)).status).toBe(404);
    expect((await world.api(reporter).get(`${blame}?ref=master`)).status).toBe(200);
  });

  it('are blamed up to 2 MB, and 20,000 lines at once', async () => {
    const { at } = await filled([
      file('long.txt', 'x\n'.repeat(20_001)),
      file('large.txt', 'y'.repeat(2 * 1024 * 1024 + 1)),
    ]);
    expect((await api.get(`${at}/files/large.txt/blame?ref=master`)).status).toBe(413);
    expect((await api.get(`${at}/files/long.txt/blame?ref=master`)).status).toBe(413);
    const { body } = await api.get(`${at}/files/long.txt/blame?ref=master&range[start]=2&range[end]=20001`);
    expect(body[0].lines).toHaveLength(20_000);
  });
});

describe('A commit over the API', () => {
  const commit = (at: string, given: object, who = owner) =>
    world.api(who).post(`${at}/commits`, { commit_message: 'x', actions: [file(world.unique('f'))], ...given });
  const tipOf = (directory: string, branch: string) => git(directory, ['rev-parse', branch]).trim();

  it('begins a branch at another one or at a commit, and replaces a branch if it is told to', async () => {
    const { at, directory } = await filled([file('a.txt')]);
    const first = tipOf(directory, 'master');
    await committed(at, [file('b.txt')]);
    const second = tipOf(directory, 'master');
    const begun = await commit(at, { branch: 'topic', start_branch: 'master' });
    expect([begun.status, begun.body.parent_ids]).toEqual([201, [second]]);
    const bySha = await commit(at, { branch: 'other', start_sha: first });
    expect(bySha.body.parent_ids).toEqual([first]);
    const taken = "A branch called 'topic' already exists. Switch to that branch in order to make changes";
    for (const start of [{ start_branch: 'master' }, { start_sha: first }]) {
      expect(await commit(at, { branch: 'topic', ...start })).toMatchObject({ status: 400, body: { message: taken } });
    }
    const forced = await commit(at, { branch: 'topic', start_sha: first, force: true });
    expect([forced.body.parent_ids, tipOf(directory, 'topic')]).toEqual([[first], forced.body.id]);
    expect((await commit(at, { branch: 'topic', start_branch: 'topic' })).body.parent_ids).toEqual([forced.body.id]);
    expect(await commit(at, { branch: 'x', start_branch: 'master', start_sha: first })).toMatchObject({
      status: 400,
      body: { error: 'start_branch, start_sha are mutually exclusive' },
    });
    for (const start of [{ start_branch: 'none' }, { start_sha: 'f'.repeat(40) }, { start_sha: 'x' }]) {
      expect([start, (await commit(at, { branch: 'y', ...start })).status]).toEqual([start, 400]);
    }
    expect(git(directory, ['for-each-ref', '--format=%(refname:short)', 'refs/heads']).trim().split('\n')).toEqual([
      ...['master', 'other', 'topic'],
    ]);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  it('replaces a protected branch only where its rule allows forced pushes', async () => {
    const { project, at, directory } = await filled([file('a.txt')]);
    const first = tipOf(directory, 'master');
    await committed(at, [file('b.txt')]);
    const tip = tipOf(directory, 'master');
    const rules = `/projects/${project.id}/protected_branches`;
    await api.post(rules, { name: 'mast*' });
    const given = { branch: 'master', start_sha: first, force: true };
    const refused = 'You are not allowed to force push code to a protected branch on this project.';
    expect(await commit(at, given, master)).toMatchObject({ status: 400, body: { message: refused } });
    expect((await commit(at, given, developer)).status).toBe(400);
    expect(tipOf(directory, 'master')).toBe(tip);
    await api.delete(`${rules}/${part('mast*')}`);
    await api.delete(`${rules}/master`);
    await api.post(rules, { name: 'mast*', allow_force_push: true });
    expect((await commit(at, given, developer)).status).toBe(400);
    expect((await commit(at, given, master)).status).toBe(201);
    const { body: events } = await api.get(`/projects/${project.id}/events`);
    expect(events[0]).toMatchObject({ action_name: 'pushed to' });
  });

  it('changes the mode of files, alone or with their content', async () => {
    const { at, directory } = await filled([file('a.sh'), file('b.sh', 'b', { execute_filemode: true })]);
    const modes = () =>
      Object.fromEntries(
        git(directory, ['ls-tree', 'master'])
          .trim()
          .split('\n')
          .map((line) => [line.split('\t')[1], line.slice(0, 6)]),
      );
    expect(modes()).toEqual({ 'a.sh': '100644', 'b.sh': '100755' });
    const chmod = (path: string, more: object) =>
      commit(at, { branch: 'master', actions: [{ action: 'chmod', file_path: path, ...more }] });
    expect((await chmod('a.sh', { execute_filemode: true })).status).toBe(201);
    expect(modes()).toEqual({ 'a.sh': '100755', 'b.sh': '100755' });
    expect(await chmod('a.sh', {})).toMatchObject({
      status: 400,
      body: { message: 'You must provide execute_filemode.' },
    });
    expect((await chmod('a.sh', { execute_filemode: true })).status).toBe(400);
    expect(await chmod('none', { execute_filemode: true })).toMatchObject({
      status: 400,
      body: { message: 'File to be changed `none` does not exist.' },
    });
    const actions = [
      { action: 'update', file_path: 'a.sh', content: 'two', execute_filemode: false },
      { action: 'move', previous_path: 'b.sh', file_path: 'c.sh', execute_filemode: false },
      { action: 'update', file_path: 'c.sh', content: 'three' },
    ];
    expect((await commit(at, { branch: 'master', actions })).status).toBe(201);
    expect(modes()).toEqual({ 'a.sh': '100644', 'c.sh': '100644' });
    const { body: known } = await api.get(`${at}/files/a.sh?ref=master`);
    await committed(at, [{ action: 'update', file_path: 'a.sh', content: 'four' }]);
    expect(await chmod('a.sh', { execute_filemode: true, last_commit_id: known.last_commit_id })).toMatchObject({
      status: 400,
      body: { message: 'The file has changed since you started editing it: a.sh' },
    });
  });

  it('is made without actions if that is allowed, and has no statistics if they are not wanted', async () => {
    const { at } = await filled([file('a.txt')]);
    const none = { branch: 'master', commit_message: 'Empty' };
    expect(await api.post(`${at}/commits`, none)).toMatchObject({ status: 400, body: { error: 'actions is missing' } });
    const { status, body } = await api.post(`${at}/commits`, { ...none, allow_empty: true });
    expect([status, body.stats]).toEqual([201, { additions: 0, deletions: 0, total: 0 }]);
    const shown = await api.get(`${at}/commits/${body.id}`);
    expect(shown.body).toMatchObject({ title: 'Empty', project_id: expect.any(Number) });
    for (const path of [`${at}/commits/${body.id}?stats=false`, `${at}/commits`]) {
      const { body: found } = await api.get(path);
      expect([path, [found].flat()[0].stats]).toEqual([path, undefined]);
    }
    expect((await api.get(`${at}/commits?with_stats=true`)).body.map(({ stats }: Json) => stats.total)).toEqual([0, 1]);
    const small = await commit(at, { branch: 'master', stats: false });
    expect([small.status, small.body.stats]).toEqual([201, undefined]);
  });
});

describe('A file over the API', () => {
  it('begins a branch, is made executable, and is not written over what somebody else changed', async () => {
    const { at, directory } = await filled([file('a.sh')]);
    const path = `${at}/files/a.sh`;
    const { body: known } = await api.get(`${path}?ref=master`);
    const given = { branch: 'topic', start_branch: 'master', commit_message: 'x' };
    expect(await api.put(path, { ...given, content: 'two', execute_filemode: true })).toMatchObject({
      status: 200,
      body: { file_path: 'a.sh', branch: 'topic' },
    });
    expect(git(directory, ['ls-tree', 'topic', 'a.sh'])).toMatch(/^100755/);
    const later = { branch: 'topic', commit_message: 'x', last_commit_id: known.last_commit_id };
    const changed = { status: 400, body: { message: 'The file has changed since you started editing it: a.sh' } };
    expect(await api.put(path, { ...later, content: 'three' })).toMatchObject(changed);
    expect(await api.delete(path, later)).toMatchObject(changed);
    const made = await api.post(`${at}/files/b.sh`, { ...given, branch: 'next', content: 'b', execute_filemode: true });
    expect(made.status).toBe(201);
    expect(git(directory, ['ls-tree', 'next', 'b.sh'])).toMatch(/^100755/);
  });
});

describe('Lists', () => {
  it('of branches are searched from the beginning and the end of names, and sorted by their latest commits', async () => {
    const { at } = await filled([file('a.txt')]);
    for (const branch of ['zeta', 'Topic-one', 'one-topic', 'topic']) {
      await api.post(`${at}/branches`, { branch, ref: 'master' });
    }
    const names = async (query: string) =>
      (await api.get(`${at}/branches?${query}`)).body.map(({ name }: Json) => name);
    expect(await names('search=TOPIC')).toEqual(['Topic-one', 'one-topic', 'topic']);
    expect(await names('search=^topic')).toEqual(['Topic-one', 'topic']);
    expect(await names('search=topic$')).toEqual(['one-topic', 'topic']);
    expect(await names('search=^topic$')).toEqual(['topic']);
    expect(await names('search=^.*$')).toEqual([]);
    const later = { commit_message: 'x', actions: [file('b.txt')] };
    const { body } = await api.get(`${at}/branches/master`);
    await world.until(async () => Date.now() / 1000 > Date.parse(body.commit.committed_date) / 1000 + 1.1);
    await api.post(`${at}/commits`, { ...later, branch: 'one-topic' });
    expect((await names('sort=updated_desc'))[0]).toBe('one-topic');
    expect((await names('sort=updated_asc')).at(-1)).toBe('one-topic');
    expect(await names('sort=updated_desc&per_page=1&page=1')).toEqual(['one-topic']);
    expect((await api.get(`${at}/branches?sort=size`)).status).toBe(400);
    for (const [branch, status] of [
      ['topic', 204],
      ['none', 404],
    ] as const) {
      const answer = await world.send('HEAD', `/api/v4${at}/branches/${branch}`, {
        headers: { 'PRIVATE-TOKEN': owner.token },
      });
      expect([branch, answer.status]).toEqual([branch, status]);
    }
  });

  it('of tags are searched and sorted by name, version and time', async () => {
    const { at } = await filled([file('a.txt')]);
    for (const tag_name of ['v1.10.0', 'v1.9.0', 'v1.10.0-rc1', 'v1.2', 'other']) {
      await api.post(`${at}/tags`, { tag_name, ref: 'master' });
    }
    const names = async (query: string) => (await api.get(`${at}/tags?${query}`)).body.map(({ name }: Json) => name);
    expect(await names('')).toEqual(['v1.9.0', 'v1.2', 'v1.10.0-rc1', 'v1.10.0', 'other']);
    expect(await names('sort=asc')).toEqual((await names('')).toReversed());
    expect(await names('search=^v&order_by=version')).toEqual(['v1.10.0', 'v1.10.0-rc1', 'v1.9.0', 'v1.2']);
    expect(await names('search=^v&order_by=version&sort=asc')).toEqual(['v1.2', 'v1.9.0', 'v1.10.0-rc1', 'v1.10.0']);
    expect((await names('order_by=updated')).toSorted()).toEqual((await names('')).toSorted());
    expect((await api.get(`${at}/tags?order_by=size`)).status).toBe(400);
  });

  it('of commits have those of all refs, of an author, of first parents, and of a range, as git finds them', async () => {
    const { at, directory } = await filled([file('a.txt')]);
    await committed(at, [file('b.txt')], { author_name: 'Ann Author', author_email: 'ann@example.com' });
    await api.post(`${at}/commits`, {
      ...{ branch: 'aside', start_branch: 'master', commit_message: 'Aside', actions: [file('c.txt')] },
      ...{ author_name: 'Ben', author_email: 'ben.*@example.com' },
    });
    git(directory, [
      ...['-c', 'user.name=Merger', '-c', 'user.email=m@example.com', 'update-ref', 'refs/heads/joined'],
      git(directory, [
        ...['-c', 'user.name=Merger', '-c', 'user.email=m@example.com', 'commit-tree', '-m', 'Join'],
        ...['-p', 'master', '-p', 'aside', 'aside^{tree}'],
      ]).trim(),
    ]);
    const found = async (query: string) => {
      const { status, headers, body } = await api.get(`${at}/commits?${query}`);
      expect([query, status, headers['x-total']]).toEqual([query, 200, String(body.length)]);
      return body.map(({ id }: Json) => id);
    };
    const wanted = (...args: string[]) =>
      git(directory, ['log', '--format=%H', ...args])
        .trim()
        .split('\n');
    // Those of one second are in no order.
    expect((await found('all=true&ref_name=master')).toSorted()).toEqual(wanted('--all').toSorted());
    expect(await found('ref_name=joined')).toEqual(wanted('joined'));
    expect(await found('ref_name=joined&first_parent=true')).toEqual(wanted('--first-parent', 'joined'));
    expect(await found('ref_name=master..joined')).toEqual(wanted('master..joined'));
    expect(await found('ref_name=master..aside&path=c.txt')).toEqual(wanted('master..aside', '--', 'c.txt'));
    expect(await found('ref_name=joined&author=Ann')).toEqual(wanted('--author=Ann', 'joined'));
    expect(await found(`ref_name=joined&author=${part('ben.*@')}`)).toEqual(wanted('-F', '--author=ben.*@', 'joined'));
    expect(await found('ref_name=joined&author=a.*a')).toEqual([]);
    for (const range of ['none..master', 'master..none']) {
      expect([range, (await api.get(`${at}/commits?ref_name=${range}`)).status]).toEqual([range, 404]);
    }
  });
});

const history = await filled([file('a.txt')]);
