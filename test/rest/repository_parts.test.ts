// One part in depth, which the long run has.
// @module-tag long
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { git, scratch } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { part } from '../support/repository.ts';
import { commitSigned, keyPair, signed } from '../support/signed_commits.ts';
import type { TestUser } from '../support/world.ts';

const { world, owner, developer, reporter, filled, committed } = await startCommittingWorld();
const api = world.api(owner);
const emails = new Map<number, string>();
for (const user of [owner, developer, reporter]) emails.set(user.id, await readEmail(user));
const emailOf = ({ id }: TestUser) => emails.get(id) ?? '';

/** The address of a user. */
async function readEmail({ id }: TestUser): Promise<string> {
  return (await world.db.user.findUniqueOrThrow({ where: { id } })).email;
}

const file = (name: string, content = `${name}\n`) => ({ action: 'create', file_path: name, content });

describe('GET /projects/:id/repository/commits/:sha/signature', () => {
  const signatureOf = (at: string, sha: string, who: TestUser = owner) =>
    world.api(who).get(`${at}/commits/${sha}/signature`);

  it('is verified if a key of the committer made it, and shows the key to its owner alone', async () => {
    const { at, directory } = await filled([file('a.txt')]);
    const pair = keyPair();
    const { body: key } = await api.post('/user/keys', { title: 'Work', key: pair.text });
    const sha = commitSigned(directory, emailOf(owner), (content) => signed(content, pair));
    const { status, body } = await signatureOf(at, sha);
    expect([status, body]).toEqual([
      200,
      {
        signature_type: 'SSH',
        verification_status: 'verified',
        commit_source: 'gitaly',
        gpg_key_id: null,
        gpg_key_primary_keyid: null,
        gpg_key_user_name: null,
        gpg_key_user_email: null,
        gpg_key_subkey_id: null,
        key: {
          ...{
            id: key.id,
            title: 'Work',
            created_at: key.created_at,
            expires_at: null,
            usage_type: 'auth_and_signing',
          },
          key: expect.stringContaining(pair.text),
        },
      },
    ]);
    expect((await signatureOf(at, sha, reporter)).body).toMatchObject({ verification_status: 'verified', key: null });
  });

  it('says what is wrong with others', async () => {
    const { at, directory } = await filled([file('a.txt')]);
    const [pair, foreign] = [keyPair(), keyPair()];
    await world.api(developer).post('/user/keys', { title: 'Work', key: pair.text });
    const status = async (email: string, make: (content: string) => string, title: string) =>
      (await signatureOf(at, commitSigned(directory, email, make, title))).body.verification_status;
    expect(await status(emailOf(owner), (content) => signed(content, pair), 'Of another user')).toBe('other_user');
    expect(await status(emailOf(owner), (content) => signed(content, foreign), 'Of nobody')).toBe('unknown_key');
    expect(await status(emailOf(developer), () => signed('something else', pair), 'Of other content')).toBe(
      'unverified',
    );
    expect(await status(emailOf(developer), () => '-----BEGIN SSH SIGNATURE-----\nnothing', 'Broken')).toBe(
      'unverified',
    );
    expect(await status(emailOf(owner), () => '-----BEGIN SIGNED MESSAGE-----', 'X.509')).toBe('unverified');
  });

  it('names the key of a PGP signature, which is unknown here', async () => {
    const { at, directory } = await filled([file('a.txt')]);
    // Version 4, of a binary document, EdDSA, SHA-512; hashed subpackets: the fingerprint of the issuer.
    const fingerprint = Buffer.from('0123456789abcdef0123456789abcdef01234567', 'hex');
    const subpacket = Buffer.concat([Buffer.from([22, 33, 4]), fingerprint]);
    const body = Buffer.concat([
      Buffer.from([4, 0, 22, 10, 0, subpacket.length]),
      subpacket,
      Buffer.from([0, 0, 1, 2]),
    ]);
    const packet = Buffer.concat([Buffer.from([0xc2, body.length]), body]).toString('base64');
    const armor = `-----BEGIN PGP SIGNATURE-----\n\n${packet}\n=abcd\n-----END PGP SIGNATURE-----`;
    expect(
      (
        await signatureOf(
          at,
          commitSigned(directory, emailOf(owner), () => armor),
        )
      ).body,
    ).toMatchObject({
      signature_type: 'PGP',
      verification_status: 'unknown_key',
      gpg_key_primary_keyid: '89ABCDEF01234567',
      key: null,
    });
  });

  it('is not there for a commit without one', async () => {
    const { at } = await filled([file('a.txt')]);
    const { status, body } = await signatureOf(at, 'master');
    expect([status, body]).toEqual([404, { message: '404 Signature Not Found' }]);
  });

  const hasKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined;

  it.runIf(hasKeygen).each(['ed25519', 'rsa', 'ecdsa'])('verifies what git signs with a key of %s', async (type) => {
    const { at, directory } = await filled([file('a.txt')]);
    const key = path.join(scratch(), 'key');
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', key]);
    const text = execFileSync('cat', [`${key}.pub`]).toString();
    await api.post('/user/keys', { title: type, key: text });
    const configured = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`, '-c', `user.email=${emailOf(owner)}`];
    const args = [...configured, '-c', 'user.name=X', 'commit-tree', '-S', '-m', 'Signed', 'master^{tree}'];
    const env = { PATH: process.env.PATH };
    const sha = execFileSync('git', args, { cwd: directory, env }).toString().trim();
    expect((await signatureOf(at, sha)).body).toMatchObject({ signature_type: 'SSH', verification_status: 'verified' });
  });
});

describe('PUT /projects/:id/repository/submodules/:submodule', () => {
  it('moves a submodule to another commit', async () => {
    const { at, directory } = await filled([file('a.txt')]);
    const [first, second] = ['1', '2'].map((digit) => digit.repeat(40));
    const index = { GIT_INDEX_FILE: path.join(scratch(), 'index'), PATH: process.env.PATH };
    const inIndex = (...args: string[]) => execFileSync('git', args, { cwd: directory, env: index }).toString().trim();
    inIndex('read-tree', 'master');
    inIndex('update-index', '--add', '--cacheinfo', `160000,${first},lib/other`);
    const author = ['-c', 'user.name=X', '-c', 'user.email=x@example.com'];
    const commit = inIndex(...author, 'commit-tree', '-p', 'master', '-m', 'Add', inIndex('write-tree'));
    git(directory, ['update-ref', 'refs/heads/master', commit]);
    const address = `${at}/submodules/${part('lib/other')}`;
    const put = (values: Json, who = owner) => world.api(who).put(address, { branch: 'master', ...values });
    const moved = await put({ commit_sha: second });
    expect(moved).toMatchObject({ status: 200, body: { title: `Update submodule lib/other with oid ${second}` } });
    expect(git(directory, ['ls-tree', 'master', 'lib/other'])).toContain(`160000 commit ${second}`);
    expect((await put({ commit_sha: second })).status).toBe(400);
    expect((await put({ commit_sha: 'abc' })).status).toBe(400);
    expect((await put({ commit_sha: first }, reporter)).status).toBe(403);
    const none = { branch: 'master', commit_sha: first };
    expect((await api.put(`${at}/submodules/a.txt`, none)).body).toEqual({ message: 'Invalid submodule path' });
    expect(git(directory, ['rev-parse', 'master']).trim()).toBe(moved.body.id);
  });
});

describe('Archives of parts', () => {
  const fetched = async (address: string) => {
    const response = await fetch(`${world.url}/api/v4${address}`, { headers: { 'PRIVATE-TOKEN': owner.token } });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const names = (bytes: Buffer, flag: string) => {
    const directory = scratch();
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'archive'), bytes);
    const listed = execFileSync('tar', [`-t${flag}f`, 'archive'], { cwd: directory }).toString();
    return listed
      .split('\n')
      .flatMap((name) => (name === '' || name.endsWith('/') ? [] : [name.replace(/^[^/]+\//, '')]));
  };

  it('have a directory alone, or leave some out, and say so in their names', LONG, async () => {
    const { project, at, directory } = await filled(
      ['a.txt', 'dir/b.txt', 'dir/sub/c.txt', 'directory/d.txt'].map((name) => file(name)),
    );
    const sha = git(directory, ['rev-parse', 'master']).trim();
    const one = await fetched(`${at}/archive.tar?path=dir/`);
    expect(one.response.headers.get('content-disposition')).toContain(`${project.path}-master-${sha}-dir.tar`);
    expect(names(one.bytes, '')).toEqual(['dir/b.txt', 'dir/sub/c.txt']);
    const without = await fetched(`${at}/archive.tbz2?exclude_paths=dir/sub,a.txt`);
    expect(names(without.bytes, 'j')).toEqual(['dir/b.txt', 'directory/d.txt']);
    const both = await fetched(`${at}/archive.tgz?path=dir&exclude_paths=dir/b.txt`);
    expect(names(both.bytes, 'z')).toEqual(['dir/sub/c.txt']);
    for (const wrong of ['nowhere', '../a', ':(exclude)a.txt', '*']) {
      expect((await fetched(`${at}/archive?path=${encodeURIComponent(wrong)}`)).response.status).toBe(404);
    }
    // Without a git program, too.
    const reader = new IsomorphicReader(directory);
    const stream = await reader.archive(sha, 'tar', 'p/', { path: 'dir', exclude: ['dir/b.txt'] });
    expect(names(Buffer.concat(await stream.toArray()), '')).toEqual(['dir/sub/c.txt']);
    await reader.close();
  });
});

describe('Lists', () => {
  it('of branches take a regular expression, whose time is limited', LONG, async () => {
    const { at } = await filled([file('a.txt')]);
    for (const branch of ['feature/1', 'feature/x', 'Feature/2', 'a'.repeat(60)]) {
      await api.post(`${at}/branches`, { branch, ref: 'master' });
    }
    const matching = async (regex: string) => {
      const { status, body } = await api.get(`${at}/branches?regex=${encodeURIComponent(regex)}`);
      return status === 200 ? body.map(({ name }: Json) => name) : [status, body];
    };
    expect(await matching('/[0-9]+$')).toEqual(['Feature/2', 'feature/1']);
    expect(await matching('^feature')).toEqual(['feature/1', 'feature/x']);
    expect(await matching('(?i)^feature/\\d')).toEqual(['Feature/2', 'feature/1']);
    const invalid = [400, { error: 'regex is an invalid regular expression' }];
    expect(await matching('(')).toEqual(invalid);
    expect(await matching('^(a+)+$|^(a|aa)+b(a+)+$')).toBeDefined();
    expect(await matching('^(a+)+!$')).toEqual(invalid);
    expect((await api.get(`${at}/branches?regex=a&search=b`)).status).toBe(400);
  });

  it('of commits keep lines of history together if they are asked to', async () => {
    const { at, directory } = await filled([file('a.txt')]);
    const commit = (parents: string[], seconds: number, title: string) => {
      const tree = git(directory, ['rev-parse', 'master^{tree}']).trim();
      const env = {
        PATH: process.env.PATH,
        ...{ GIT_AUTHOR_NAME: 'X', GIT_AUTHOR_EMAIL: 'x@x', GIT_COMMITTER_NAME: 'X', GIT_COMMITTER_EMAIL: 'x@x' },
        ...{ GIT_AUTHOR_DATE: `${seconds} +0000`, GIT_COMMITTER_DATE: `${seconds} +0000` },
      };
      const args = ['commit-tree', '-m', title, ...parents.flatMap((one) => ['-p', one]), tree];
      return execFileSync('git', args, { cwd: directory, env }).toString().trim();
    };
    const root = commit([], 1_700_000_000, 'root');
    const left = commit([commit([root], 1_700_000_010, 'left 1')], 1_700_000_030, 'left 2');
    const right = commit([commit([root], 1_700_000_020, 'right 1')], 1_700_000_040, 'right 2');
    const merge = commit([left, right], 1_700_000_050, 'merge');
    git(directory, ['update-ref', 'refs/heads/knot', merge]);
    const titles = async (query: string) =>
      (await api.get(`${at}/commits?ref_name=knot${query}`)).body.map(({ title }: Json) => title);
    const expected = git(directory, ['log', '--topo-order', '--format=%s', 'knot']).trim().split('\n');
    expect(await titles('&order=topo')).toEqual(expected);
    expect(await titles('')).toEqual(['merge', 'right 2', 'left 2', 'right 1', 'left 1', 'root']);
    const reader = new IsomorphicReader(directory);
    const own = await reader.log({ start: merge, topological: true });
    expect(own.map(({ message }) => message.trim())).toEqual(expected);
    await reader.close();
  });
});

describe('The changelog', () => {
  /** A project with a release and commits after it. */
  async function stage() {
    const { project, at, directory } = await filled([file('a.txt')]);
    await api.post(`${at}/tags`, { tag_name: 'v1.0.0', ref: 'master' });
    await api.post(`${at}/tags`, { tag_name: 'v1.1.0-rc1', ref: 'master' });
    const change = (name: string, message: string) => committed(at, [file(name)], { commit_message: message });
    return { project, at, directory, change, path: `${at}/changelog` };
  }

  it('lists the commits since the last release by the value of their trailer', LONG, async () => {
    const { project, change, path: address } = await stage();
    const one = await change('1', 'Add one [thing]\n\nChangelog: added');
    await change('2', 'No trailer');
    const bug = await change('3', 'Fix a bug\n\nChangelog: fixed');
    const wrong = await change('4', 'Add a mistake\n\nChangelog: added');
    await change('5', `Revert "Add a mistake"\n\nThis reverts commit ${wrong.id}.`);
    const two = await change('6', 'Add two\n\nChangelog: added');
    const { status, body } = await api.get(`${address}?version=1.1.0&date=2026-11-27T10:00:00Z`);
    const url = (sha: string) => `${world.url}/${project.fullPath}/-/commit/${sha}`;
    expect([status, body.notes]).toEqual([
      200,
      `## 1.1.0 (2026-11-27)

### added (2 changes)

- [Add one \\[thing\\]](${url(one.id)})
- [Add two](${url(two.id)})

### fixed (1 change)

- [Fix a bug](${url(bug.id)})
`,
    ]);
    const only = await api.get(`${address}?version=1.1.0&from=${bug.id}&to=${two.id}&trailer=Changelog`);
    expect(only.body.notes).toContain('### added (1 change)');
    expect((await api.get(`${address}?version=2.0.0&trailer=Other`)).body.notes).toContain('No changes.');
  });

  it('names authors who are no members, and the merge requests that brought the commits', LONG, async () => {
    const { project, at, change, path: address } = await stage();
    const stranger = await world.user();
    emails.set(stranger.id, await readEmail(stranger));
    const values = { commit_message: 'By a stranger\n\nChangelog: added' };
    const author = { branch: 'topic', start_branch: 'master', author_email: emailOf(stranger), author_name: 'S' };
    await committed(at, [file('1')], { ...values, ...author });
    const request = { source_branch: 'topic', target_branch: 'master', title: 'Topic' };
    const { body: mergeRequest } = await api.post(`/projects/${project.id}/merge_requests`, request);
    await world.idle();
    await api.put(`/projects/${project.id}/merge_requests/${mergeRequest.iid}/merge`);
    await world.idle();
    await change('2', 'By the owner\n\nChangelog: added');
    const { body } = await api.get(`${address}?version=1.1.0`);
    const link = `([merge request](${world.url}/${project.fullPath}/-/merge_requests/${mergeRequest.iid}))`;
    expect(body.notes).toMatch(/\[By a stranger\]\(\S+\) by @(\S+) /);
    expect(body.notes).toContain(`by @${stranger.username} ${link}`);
    expect(body.notes).toMatch(/\[By the owner\]\(\S+\)\n/);
  });

  it('names members of groups that the configuration names, where who asks can see them', LONG, async () => {
    const { change, path: address } = await stage();
    const [open, hidden] = [
      await world.group({ owner: developer, visibility: 'public' }),
      await world.group({ owner: developer, visibility: 'private' }),
    ];
    for (const group of [open, hidden]) {
      const content = `include_groups: [${group.fullPath}]\n`;
      await committed(address.replace('/changelog', ''), [file(`${group.id}.yml`, content)]);
    }
    await committed(address.replace('/changelog', ''), [file('1')], {
      commit_message: 'One\n\nChangelog: added',
      author_email: emailOf(developer),
      author_name: 'D',
    });
    await change('2', 'Two\n\nChangelog: added');
    const notes = async (user: TestUser, group: { id: number }) =>
      (await world.api(user).get(`${address}?version=1.1.0&config_file=${group.id}.yml`)).body.notes;
    const credit = `by @${developer.username}`;
    expect(await notes(owner, open)).toContain(credit);
    expect(await notes(developer, hidden)).toContain(credit);
    expect(await notes(owner, hidden)).not.toContain(credit);
  });

  it('is written by the configuration of the project, within limits', LONG, async () => {
    const { change, path: address } = await stage();
    const configured = async (content: string) => {
      const name = `config-${world.unique('c')}.yml`;
      await committed(address.replace('/changelog', ''), [file(name, content)]);
      const { status, body } = await api.get(`${address}?version=1.1.0&config_file=${name}&date=2026-11-07T10:00:00Z`);
      return status === 200 ? body.notes : body.message;
    };
    await change('1', 'One\n\nChangelog: added');
    const template = '{% each categories %}{{ title }}: {% each entries %}{{ title }}!{% end %}{% end %}';
    expect(await configured(`date_format: '%-d %B %Y'\ncategories: { added: New }\ntemplate: '${template}'\n`)).toBe(
      '## 1.1.0 (7 November 2026)\n\nNew: One!\n',
    );
    const failed = 'Failed to generate the changelog: ';
    expect(await configured("template: '{% each categories %}'\n")).toBe(
      `${failed}There is an {% each %} without an {% end %}`,
    );
    expect(await configured('- list\n')).toBe(`${failed}the configuration is not a map`);
    expect(await configured("tag_regex: '('\n")).toBe(`${failed}tag_regex is an invalid regular expression`);
    expect(await configured("tag_regex: '^(.+)+!$'\n")).toContain('no previous tag could be found');
    const many = '{% each categories %}'.repeat(30) + '{% end %}'.repeat(30);
    expect(await configured(`template: '${many}'\n`)).toBe(`${failed}The template nests too deeply`);
  });

  it('is committed at the top of a file, by those who may push to the branch', LONG, async () => {
    const { project, directory, change, path: address } = await stage();
    await change('1', 'One\n\nChangelog: added');
    const made = await api.post(address, { version: '1.1.0' });
    expect([made.status, made.body]).toEqual([200, null]);
    expect(git(directory, ['log', '-1', '--format=%s', 'master']).trim()).toBe('Add changelog for version 1.1.0');
    await api.post(`${address.replace('/changelog', '')}/tags`, { tag_name: 'v1.1.0', ref: 'master' });
    await change('2', 'Two\n\nChangelog: added');
    await api.post(address, { version: '1.2.0', message: 'Notes', branch: 'master', file: 'CHANGELOG.md' });
    const text = git(directory, ['show', 'master:CHANGELOG.md']);
    expect(text.match(/^## .*?(?= )|^- \[\w+/gm)).toEqual(['## 1.2.0', '- [Two', '## 1.1.0', '- [One']);
    await api.put(`/projects/${project.id}/repository/branches/master/protect`);
    const refused = await world.api(developer).post(address, { version: '1.3.0' });
    const message = '403 Forbidden - You are not allowed to commit a changelog on this branch';
    expect([refused.status, refused.body.message.replace(/ +/g, ' ')]).toEqual([403, message]);
  });

  it('says why it cannot be made', async () => {
    const { at } = await filled([file('a.txt')]);
    const { status, body } = await api.get(`${at}/changelog?version=1.0.0`);
    expect([status, body.message]).toEqual([
      422,
      'Failed to generate the changelog: The commit start range is unspecified, and no previous tag could be found to use instead',
    ]);
    expect((await api.get(`${at}/changelog?version=one`)).status).toBe(422);
    expect((await api.get(`${at}/changelog`)).status).toBe(400);
  });
});
