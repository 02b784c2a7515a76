// One part in depth, which the long run has.
// @module-tag long
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { badgePicture } from '#pages/badge_picture.ts';
import { receiveLfsObject } from '#src/domain/uploads/lfs/objects.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { commitFile, run, workingCopy } from '../support/git_client.ts';
import { signedIn } from '../support/oauth.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import type { TestUser } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const { world, owner, developer, guest, filled, committed } = await startCommittingWorld();
const outsider = await world.user();

/** What a program gets at an address, with a token of the user or as a visitor. */
async function read(address: string, who?: TestUser, headers: Record<string, string> = {}) {
  const token: Record<string, string> = who === undefined ? {} : { 'PRIVATE-TOKEN': who.token };
  const {
    status,
    headers: answered,
    body,
  } = await world.send('GET', address, {
    headers: { Accept: '*/*', ...token, ...headers },
  });
  return { status, headers: answered, text: body == null ? '' : String(body) };
}

/** A project with two commits on a branch, and a merge request for it. */
async function proposed(visibility: 'private' | 'public' = 'private') {
  const made = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }], { visibility });
  await world.api(owner).post(`${made.at}/branches`, { branch: 'topic', ref: 'master' });
  const more = { branch: 'topic', author_name: 'Ada', author_email: 'ada@example.com' };
  const first = { ...more, commit_message: 'Add two\n\nIt follows one.' };
  await committed(made.at, [{ action: 'update', file_path: 'a.txt', content: 'one\ntwo\n' }], first);
  await committed(made.at, [{ action: 'create', file_path: 'b.txt', content: 'b\n' }], {
    ...more,
    commit_message: 'Add b',
  });
  const merging = { source_branch: 'topic', target_branch: 'master', title: 'Two' };
  const { body } = await world.api(owner).post(`/projects/${made.project.id}/merge_requests`, merging);
  return { ...made, base: `/${made.project.fullPath}/-`, iid: body.iid as number };
}

describe('The changes of a merge request', () => {
  it('are sent as a diff that git applies, and as mails that git turns into the same commits', async () => {
    const { base, iid, project } = await proposed();
    const diff = await read(`${base}/merge_requests/${iid}.diff`, owner);
    expect(diff.status).toBe(200);
    expect(diff.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(diff.text).toContain('diff --git a/b.txt b/b.txt\nnew file mode 100644\n');
    const mails = await read(`${base}/merge_requests/${iid}.patch`, owner);
    expect(mails.text).toMatch(/^From [0-9a-f]{40} .*\nFrom: Ada <ada@example.com>\n/);
    const work = await workingCopy();
    await commitFile(work, 'a.txt', 'one\n');
    writeFileSync(path.join(work, 'all.diff'), diff.text);
    await run(work, 'apply', '--check', 'all.diff');
    writeFileSync(path.join(work, 'all.patch'), mails.text);
    await run(work, 'am', '--quiet', 'all.patch');
    expect(await run(work, 'log', '-2', '--format=%an <%ae> %s')).toBe(
      'Ada <ada@example.com> Add b\nAda <ada@example.com> Add two',
    );
    expect(await run(work, 'show', '-s', '--format=%b', 'HEAD~1')).toContain('It follows one.');
    // A browser that asks again is told that nothing has changed.
    const again = { 'If-None-Match': String(mails.headers.etag) };
    expect((await read(`${base}/merge_requests/${iid}.patch`, owner, again)).status).toBe(304);
    const page = await signedIn(world, owner);
    await page.get(`${base}/merge_requests/${iid}/diffs`);
    expect(page.page).toContain(`href="/${project.fullPath}/-/merge_requests/${iid}.patch"`);
  });

  it('are for those alone who may read the code', async () => {
    const { base, iid } = await proposed();
    for (const address of ['diff', 'patch'].flatMap((kind) => [
      `${base}/merge_requests/${iid}.${kind}`,
      `${base}/commit/topic.${kind}`,
    ])) {
      expect([address, (await read(address, developer)).status]).toEqual([address, 200]);
      for (const who of [undefined, outsider, guest]) {
        const { status, text } = await read(address, who);
        expect([address, [303, 403, 404].includes(status)]).toEqual([address, true]);
        expect(text).not.toContain('two');
      }
    }
  });

  it('are those of a commit at its address, the first one included', async () => {
    const { base } = await proposed();
    expect((await read(`${base}/commit/topic.patch`, owner)).text).toContain('Subject: [PATCH] Add b');
    const { text } = await read(`${base}/commit/master.diff`, owner);
    expect(text).toMatch(/^diff --git a\/a\.txt b\/a\.txt\nnew file mode 100644\n/);
    expect((await read(`${base}/commit/master.patch`, owner)).text).toContain('+one\n');
    expect((await read(`${base}/commit/none.patch`, owner)).status).toBe(404);
  });
});

describe('The artifacts of a branch', () => {
  it('are found by the name of their job, whole or one file, and lead to the pages of the job', async () => {
    const { project, base } = await proposed();
    const old = await takenJob(world, owner, project, { name: 'docs' });
    const decoy = await takenJob(world, owner, project, { name: 'other' });
    const job = await takenJob(world, owner, project, { name: 'docs' });
    for (const one of [old, decoy, job]) {
      await endJob(world, one.id);
      await world.db.pipeline.update({ where: { id: one.pipelineId }, data: { status: 'success' } });
      const content = await zip({ 'site/raw/index.html': `of job ${one.id}` });
      await storeArtifacts(world, { id: one.id, projectId: project.id }, { content });
    }
    const at = `${base}/jobs/artifacts/master`;
    const whole = await read(`${at}/download?job=docs`, owner);
    expect([whole.status, whole.headers['content-type']]).toEqual([200, 'application/octet-stream']);
    const file = await read(`${at}/raw/site/raw/index.html?job=docs`, owner);
    expect([file.status, file.text]).toEqual([200, `of job ${job.id}`]);
    for (const place of ['browse', 'browse/site/raw', 'file/site/raw/index.html']) {
      const { status, headers } = await read(`${at}/${place}?job=docs`, owner);
      expect([status, headers.location]).toEqual([302, `${base}/jobs/${job.id}/artifacts/${place}`]);
    }
    const browser = await signedIn(world, owner);
    await browser.get(`${at}/file/site/raw/index.html?job=docs`);
    expect((await browser.follow()).status).toBe(200);
    expect((await read(`${at}/download?job=none`, owner)).status).toBe(404);
    expect((await read(`${at}/download`, owner)).status).toBe(404);
    for (const who of [outsider, undefined]) {
      for (const place of ['download', 'raw/site/raw/index.html', 'browse']) {
        const { status, text } = await read(`${at}/${place}?job=docs`, who);
        expect([303, 404]).toContain(status);
        expect(text).not.toContain('of job');
      }
    }
  });
});

describe('A badge', () => {
  /** What somebody reads on a badge. */
  const title = (text: string) => /<title>(.*)<\/title>/.exec(text)?.[1];

  it('says how the latest pipeline of a branch is, how much is covered and what the latest release is', async () => {
    const { project, base, at } = await proposed('public');
    const old = `/${project.fullPath}/badges`;
    const badge = async (address: string) => title((await read(address)).text);
    expect(await badge(`${old}/master/pipeline.svg`)).toBe('pipeline: unknown');
    expect(await badge(`${old}/master/coverage.svg`)).toBe('coverage: unknown');
    expect(await badge(`${base}/badges/release.svg`)).toBe('Latest Release: none');
    const { body } = await world.api(owner).get(`${at}/branches/master`);
    const by = {
      projectId: project.id,
      userId: owner.id,
      ref: 'master',
      sha: body.commit.id as string,
      source: 'push' as const,
    };
    const passed = await world.db.pipeline.create({ data: { ...by, status: 'success' } });
    const job = { projectId: project.id, userId: owner.id, pipelineId: passed.id, stage: 'test', stageIndex: 0 };
    await world.db.job.create({ data: { ...job, name: 'unit', status: 'success', coverage: 92.5 } });
    await world.db.job.create({ data: { ...job, name: 'other', status: 'success', coverage: 40 } });
    // Decoys: of another branch, and of jobs that were skipped.
    await world.db.pipeline.create({ data: { ...by, ref: 'topic', status: 'failed' } });
    expect(await badge(`${old}/master/pipeline.svg`)).toBe('pipeline: passed');
    await world.db.pipeline.create({ data: { ...by, status: 'skipped' } });
    expect(await badge(`${base}/badges/master/pipeline.svg`)).toBe('pipeline: skipped');
    expect(await badge(`${old}/master/pipeline.svg?ignore_skipped=true`)).toBe('pipeline: passed');
    expect(await badge(`${old}/master/coverage.svg?job=unit`)).toBe('coverage: 92.50%');
    expect(await badge(`${old}/master/coverage.svg?job=none`)).toBe('coverage: unknown');
    await world.api(owner).post(`/projects/${project.id}/releases`, { tag_name: 'v1', ref: 'master', name: 'One' });
    expect(await badge(`${base}/badges/release.svg`)).toBe('Latest Release: v1');
  });

  it('is a picture that is asked for again in vain, with the texts and widths of its address', async () => {
    const { project } = await proposed('public');
    const address = `/${project.fullPath}/badges/master/pipeline.svg?key_text=${encodeURIComponent('a<b>&"')}&key_width=120`;
    const { status, headers, text } = await read(address);
    expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(headers['content-security-policy']).toBe('sandbox');
    expect(title(text)).toBe('a&lt;b&gt;&amp;&quot;: unknown');
    expect(text).toContain('<rect width="120" height="20" fill="#555"/>');
    expect((await read(address, undefined, { 'If-None-Match': String(headers.etag) })).status).toBe(304);
  });

  it('is no longer than a line: texts are cut off, and widths that are no widths are not taken', () => {
    const badge = { label: 'x'.repeat(10_000), value: 'y', color: '#4c1' };
    const drawn = badgePicture(badge, { isSquare: false, keyWidth: 100_000, valueWidth: -1 });
    expect(drawn.length).toBeLessThan(2_000);
    expect(Number(/ width="(\d+)"/.exec(drawn)?.[1])).toBeLessThan(600);
  });

  it('of a private project is there for its members alone', async () => {
    const { project, base } = await proposed();
    for (const address of [
      `/${project.fullPath}/badges/master/pipeline.svg`,
      `/${project.fullPath}/badges/master/coverage.svg`,
      `${base}/badges/release.svg`,
    ]) {
      expect([address, (await read(address, developer)).status]).toEqual([address, 200]);
      for (const who of [undefined, outsider]) expect([303, 404]).toContain((await read(address, who)).status);
    }
  });
});

describe('The keys of a user', () => {
  const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI';

  it('are told to everyone, those that let the user in alone, and without their titles', async () => {
    const user = await world.user();
    const keyOf = (letter: string) => `${KEY}${letter.repeat(43)}`;
    const expiresAt = new Date(Date.now() - 1_000);
    const rows = [
      { letter: 'A', more: {} },
      { letter: 'B', more: { usageType: 'signing' as const } },
      { letter: 'C', more: { expiresAt } },
      { letter: 'D', more: { usageType: 'auth' as const } },
    ];
    for (const { letter, more } of rows) {
      const key = `${keyOf(letter)} private@laptop`;
      const prints = { fingerprint: world.unique('f'), fingerprintSha256: world.unique('s') };
      await world.db.sshKey.create({ data: { userId: user.id, title: 'Laptop', key, ...prints, ...more } });
    }
    const { status, headers, text } = await read(`/${user.username}.keys`);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toBe(`${keyOf('A')}\n${keyOf('D')}\n`);
    await world.db.user.update({ where: { id: user.id }, data: { state: 'blocked' } });
    expect((await read(`/${user.username}.keys`, owner)).text).toBe('');
    expect((await read('/nobody-is-called-so.keys')).status).toBe(404);
    expect((await read(`/${owner.username}.keys`)).text).toBe('');
  });

  it('are those of OpenPGP, too, as far as they name an address that the user has confirmed', async () => {
    const user = await world.user();
    const add = async (key: string, more: { emails: string[]; revoked?: boolean }) => {
      const ids = { fingerprint: world.unique('F'), primaryKeyId: world.unique('P') };
      await world.db.gpgKey.create({ data: { userId: user.id, key, names: ['x'], ...ids, ...more } });
    };
    const { email } = await world.db.user.findUniqueOrThrow({ where: { id: user.id } });
    await add('KEY ONE', { emails: [email.toLowerCase()] });
    await add('KEY OF ANOTHER ADDRESS', { emails: ['other@example.com'] });
    await add('REVOKED', { emails: [email.toLowerCase()], revoked: true });
    expect((await read(`/${user.username}.gpg`)).text).toBe('KEY ONE\n');
    await world.db.user.update({ where: { id: user.id }, data: { privateProfile: true } });
    expect((await read(`/${user.username}.gpg`)).status).toBe(404);
    expect((await read(`/${user.username}.gpg`, outsider)).text).toBe('');
    expect((await read(`/${user.username}.gpg`, user)).text).toBe('KEY ONE\n');
  });
});

describe('Addresses of pages that programs build', () => {
  it('show a tag with its archives, which the list of tags links as well', async () => {
    const { project, base, at } = await proposed('public');
    await world.api(owner).post(`${at}/tags`, { tag_name: 'rel/1.0', ref: 'master', message: 'The first' });
    const name = `${project.fullPath.split('/').at(-1)}-rel-1.0`;
    for (const address of [`${base}/tags/rel/1.0`, `${base}/tags?sort=updated_desc`]) {
      const { status, text } = await read(address);
      expect([address, status]).toEqual([address, 200]);
      expect(text).toContain('The first');
      const [, link = ''] = new RegExp(`href="([^"]*/-/archive/rel/1.0/${name}\\.tar\\.gz)"`).exec(text) ?? [];
      expect((await read(link)).status).toBe(200);
    }
    expect((await read(`${base}/tags/none`)).status).toBe(404);
  });

  it('lead from networks to the commits of a ref, and from graphs to its insight', async () => {
    const { project, base } = await proposed('public');
    for (const [place, target] of [
      ['graphs/topic/charts', 'graphs/topic'],
      ['network/topic', 'commits/topic'],
    ]) {
      const { status, headers } = await read(`${base}/${place}`);
      expect([status, headers.location]).toEqual([302, `${base}/${target}`]);
    }
    expect((await read(`${base}/graphs/topic`)).status).toBe(200);
    expect((await read(`/${project.fullPath}/graphs/topic`)).headers.location).toBe(`${base}/graphs/topic`);
    expect((await read(`${base}/graphs/none`)).status).toBe(404);
  });

  it('lead to the files of the default branch where a choice names no ref', async () => {
    const { base } = await proposed('public');
    const { status, headers } = await read(`${base}/switch`);
    expect([status, headers.location]).toEqual([302, `${base}/tree/master`]);
  });

  it('send what a file of Git LFS has in place of its pointer', async () => {
    const { project, base, at } = await proposed('public');
    const bytes = Buffer.from('a picture, so to speak');
    const oid = createHash('sha256').update(bytes).digest('hex');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`;
    const source = (async function* () {
      yield bytes;
    })();
    await receiveLfsObject(world.as(owner), project, { oid, size: bytes.length }, source);
    await committed(at, [{ action: 'create', file_path: 'a.png', content: pointer }]);
    const { status, headers, text } = await read(`${base}/raw/master/a.png`);
    expect([status, headers['content-type'], text]).toEqual([200, 'image/png', bytes.toString()]);
  });
});
