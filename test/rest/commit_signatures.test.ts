// One part in depth, which the long run has.
// @module-tag long
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import { git } from '../support/git_program.ts';
import { gpgFixtures } from '../support/gpg.ts';

/** code-and-ci.md, Signature: what the server says of commits that were signed with GPG. */
const { world, owner: ann, developer: bob, filled } = await startCommittingWorld();
const { signed, ...keys } = gpgFixtures;
const { project, directory } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a' }]);

/** Writes a commit with its signature; returns its hash. */
function write({ content, signature }: { content: string; signature: string }): string {
  git(directory, ['hash-object', '-t', 'tree', '-w', '/dev/null']);
  const whole = content.replace('\n\n', `\ngpgsig ${signature.replaceAll('\n', '\n ')}\n\n`);
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  const sha = execFileSync('git', args, { cwd: directory, input: whole }).toString().trim();
  git(directory, ['update-ref', `refs/heads/b${sha}`, sha]);
  return sha;
}

const signatureOf = async (sha: string, who = ann) =>
  (await world.api(who).get(`/projects/${project.id}/repository/commits/${sha}/signature`)).body;
const statusOf = async (sha: string) => (await signatureOf(sha)).verification_status;
const add = async (key: string, user = ann) => (await world.api(user).post('/user/gpg_keys', { key })).body;
const confirm = (email: string, userId = ann.id) =>
  world.db.email.create({ data: { userId, email, confirmedAt: new Date() } });

async function clear() {
  await world.db.gpgKey.deleteMany();
  await world.db.email.deleteMany();
}

describe('The signature of a commit by GPG', () => {
  it('is verified if the key has the committer’s address, and the user has confirmed that', async () => {
    await clear();
    const { id } = await add(keys.ann.key);
    await add(keys.bob.key, bob);
    await confirm(keys.ann.email);
    expect(await signatureOf(write(signed.primary))).toEqual({
      signature_type: 'PGP',
      verification_status: 'verified',
      commit_source: 'gitaly',
      gpg_key_id: id,
      gpg_key_primary_keyid: keys.ann.fingerprint.slice(-16),
      gpg_key_user_name: 'Ann Example',
      gpg_key_user_email: keys.ann.email,
      gpg_key_subkey_id: null,
      key: null,
    });
    const { id: subkeyId } = await world.db.gpgSubkey.findFirstOrThrow({ where: { gpgKeyId: id } });
    expect(await signatureOf(write(signed.subkey))).toMatchObject({
      verification_status: 'verified',
      gpg_key_id: id,
      gpg_key_primary_keyid: keys.ann.fingerprint.slice(-16),
      gpg_key_subkey_id: subkeyId,
    });
  });

  it('follows keys and addresses as they come and go', async () => {
    await clear();
    const sha = write(signed.primary);
    expect(await statusOf(sha)).toBe('unknown_key');
    const { id } = await add(keys.ann.key);
    expect(await statusOf(sha)).toBe('unverified_key');
    const email = await world.db.email.create({ data: { userId: ann.id, email: keys.ann.email } });
    expect(await statusOf(sha)).toBe('unverified_key');
    await world.db.email.update({ where: { id: email.id }, data: { confirmedAt: new Date() } });
    expect(await statusOf(sha)).toBe('verified');
    await world.api(ann).delete(`/user/emails/${email.id}`);
    expect(await statusOf(sha)).toBe('unverified_key');
    await confirm(keys.ann.email);
    expect(await statusOf(sha)).toBe('verified');
    await world.api(ann).post(`/user/gpg_keys/${id}/revoke`, {});
    expect(await statusOf(sha)).toBe('unknown_key');
  });

  it('tells other addresses of the user from those of others', async () => {
    await clear();
    await add(keys.ann.key);
    await confirm(keys.ann.email);
    const sha = write(signed.otherAddress);
    expect(await statusOf(sha)).toBe('other_user');
    await confirm('ann@other.example', bob.id);
    expect(await statusOf(sha)).toBe('other_user');
    await world.db.email.updateMany({ where: { email: 'ann@other.example' }, data: { userId: ann.id } });
    expect(await statusOf(sha)).toBe('same_user_different_email');
  });

  it('is not verified for other content, several signatures, or a key that was revoked', async () => {
    await clear();
    for (const key of [keys.ann.key, keys.bob.key]) await add(key);
    for (const { email } of [keys.ann, keys.bob, keys.revoked]) await confirm(email);
    const forged = { content: signed.bob.content.replace('By Bob', 'By nobody'), signature: signed.bob.signature };
    expect(await statusOf(write(signed.bob))).toBe('verified');
    expect(await statusOf(write(forged))).toBe('unverified');
    expect(await statusOf(write(signed.several))).toBe('multiple_signatures');
    const sha = write(signed.revoked);
    const { id } = await add(keys.revoked.before);
    expect(await statusOf(sha)).toBe('verified');
    await world.api(ann).delete(`/user/gpg_keys/${id}`);
    await add(keys.revoked.key);
    expect(await statusOf(sha)).toBe('revoked_key');
  });

  it('names the key to others who read the commit, with an address that the user has confirmed', async () => {
    await clear();
    const { id } = await add(keys.ann.key);
    await confirm(keys.ann.email);
    const query = `query($path: ProjectRef!, $sha: String!) { project(ref: $path) { repository { commit(ref: $sha) {
      signature { verificationStatus gpgUserEmail gpgKey { databaseId fingerprint } } } } } }`;
    const ask = async (sha: string) =>
      (await world.graphql(query, { path: project.fullPath, sha }, bob)).body.data.project.repository.commit.signature;
    const gpgKey = { databaseId: id, fingerprint: keys.ann.fingerprint };
    const shown = { gpgUserEmail: keys.ann.email, gpgKey };
    expect(await ask(write(signed.primary))).toEqual({ verificationStatus: 'VERIFIED', ...shown });
    expect(await ask(write(signed.otherAddress))).toEqual({ verificationStatus: 'OTHER_USER', ...shown });
  });

  it('takes as many statements for many commits as for one', async () => {
    await clear();
    await add(keys.ann.key);
    await confirm(keys.ann.email);
    git(directory, ['update-ref', 'refs/heads/many', write(signed.primary)]);
    let parent = git(directory, ['rev-parse', 'many']).trim();
    const query = `query($path: ProjectRef!, $limit: Int!) { project(ref: $path) { repository {
      commits(ref: "many", limit: $limit) { nodes { signature { verificationStatus } } } } } }`;
    const count = (limit: number) =>
      world.statements(() => world.graphql(query, { path: project.fullPath, limit }, ann));
    for (let at = 0; at < 5; at += 1) {
      const content = signed.primary.content.replace('\nauthor', `\nparent ${parent}\nauthor`);
      parent = write({ content, signature: signed.primary.signature });
    }
    git(directory, ['update-ref', 'refs/heads/many', parent]);
    await count(6);
    expect((await count(6)).length).toBe((await count(1)).length);
  });

  const hasGpg = spawnSync('gpg', ['--version']).status === 0;

  it.runIf(hasGpg)('is verified if git made it with the program itself', async () => {
    await clear();
    const home = mkdtempSync('/tmp/gpg-');
    try {
      const options = ['--homedir', home, '--batch', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', ''];
      const email = 'fresh@signed.example';
      execFileSync('gpg', [...options, '--quick-gen-key', `Fresh <${email}>`, 'ed25519', 'sign', 'never'], {
        stdio: 'ignore',
      });
      await add(execFileSync('gpg', [...options, '--armor', '--export', email]).toString());
      await confirm(email);
      const env = { PATH: process.env.PATH, GNUPGHOME: home };
      const who = ['-c', 'user.name=Fresh', '-c', `user.email=${email}`, '-c', `user.signingkey=${email}`];
      const tree = git(directory, ['hash-object', '-t', 'tree', '-w', '/dev/null']).trim();
      const args = [...who, 'commit-tree', '-S', '-m', 'Signed by git', tree];
      const sha = execFileSync('git', args, { cwd: directory, env }).toString().trim();
      git(directory, ['update-ref', 'refs/heads/fresh', sha]);
      expect(await statusOf(sha)).toBe('verified');
    } finally {
      spawnSync('gpgconf', ['--homedir', home, '--kill', 'all']);
      rmSync(home, { recursive: true, force: true });
    }
  });
});

describe('The signature of a commit by SSH', () => {
  it('does not count by a key that is for signing in alone', async () => {
    const { email } = await world.db.user.findUniqueOrThrow({ where: { id: ann.id } });
    const content = signed.primary.content.replaceAll(keys.ann.email, email);
    const home = mkdtempSync('/tmp/ssh-');
    try {
      if (spawnSync('ssh-keygen', ['-?']).error !== undefined) return;
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', `${home}/key`]);
      const key = execFileSync('cat', [`${home}/key.pub`]).toString();
      const sign = ['-Y', 'sign', '-n', 'git', '-f', `${home}/key`];
      const signature = execFileSync('ssh-keygen', sign, { input: content, stdio: ['pipe', 'pipe', 'ignore'] });
      const sha = write({ content, signature: signature.toString().trim() });
      const { id } = (await world.api(ann).post('/user/keys', { title: 'one', key, usage_type: 'auth' })).body;
      expect(await statusOf(sha)).toBe('unknown_key');
      await world.api(ann).delete(`/user/keys/${id}`);
      await world.api(ann).post('/user/keys', { title: 'two', key, usage_type: 'signing' });
      expect(await statusOf(sha)).toBe('verified');
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
