// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { git } from '../support/git_program.ts';
import { signedIn } from '../support/oauth.ts';
import { commitSigned, keyPair, signed } from '../support/signed_commits.ts';

const { world, owner, filled, committed } = await startCommittingWorld();

const HOSTILE = '<script>alert(1)</script>';
const numbers = (most: number) => Array.from({ length: most }, (_, at) => `line ${at + 1}\n`).join('');

it('shows a diff unified and side by side, with the words that differ, and what is not compared in words', async () => {
  const { project, at } = await filled([
    { action: 'create', file_path: 'a.txt', content: 'one\nconst total = count(1);\nthree' },
    { action: 'create', file_path: 'old.txt', content: numbers(20) },
    { action: 'create', file_path: 'gone.txt', content: 'x\n' },
  ]);
  const { id } = await committed(at, [
    { action: 'update', file_path: 'a.txt', content: `one\nconst total = count(2);\nthree\n${HOSTILE}` },
    { action: 'move', file_path: 'new.txt', previous_path: 'old.txt', content: numbers(20) },
    { action: 'delete', file_path: 'gone.txt' },
    {
      action: 'create',
      file_path: 'picture.png',
      content: Buffer.from([137, 80, 0, 0]).toString('base64'),
      encoding: 'base64',
    },
  ]);
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/commit/${id}`);
  expect(browser.answer.status).toBe(200);
  const { page } = browser;
  expect(page).toContain('const total = count(<b>1</b>);');
  expect(page).toContain('const total = count(<b>2</b>);');
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toContain(HOSTILE);
  expect(page).toContain('no newline at end of file');
  expect(page).toContain('renamed from old.txt');
  expect(page).toContain('The file was renamed without changes.');
  expect(page).toMatch(/<figcaption>(Before|After)<\/figcaption><img src="[^"]+\.png"/);
  expect(page).toContain('>deleted</span>');
  expect(page).toContain('4 files changed');
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, one]) => one);
  expect(new Set(ids).size).toBe(ids.length);
  await browser.get(`/${project.fullPath}/-/commit/${id}?view=split`);
  expect(browser.page).toContain('<table class="diff split"');
  const splitIds = [...browser.page.matchAll(/ id="([^"]*)"/g)].map(([, one]) => one);
  expect(new Set(splitIds).size).toBe(splitIds.length);
});

it('leaves out the lines of files that would make a page too long, and shows each on a page of its own', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a' }]);
  const { id } = await committed(
    at,
    [1, 2, 3, 4, 5].map((one) => ({ action: 'create', file_path: `long${one}.txt`, content: numbers(450) })),
  );
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/commit/${id}`);
  expect(browser.page.match(/Show more/g)).toHaveLength(3);
  expect(browser.page.match(/left out to keep the page short/g)).toHaveLength(2);
  const [, address = ''] = /href="([^"]*)">Show them<span class="unseen"> of long5/.exec(browser.page) ?? [];
  await browser.get(address.replaceAll('&amp;', '&'));
  expect(browser.page).toContain('line 450');
  expect(browser.page).not.toContain('long1.txt');
});

it('lists commits by day to those who may read them, searches messages, and narrows to a path', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a' }], {
    visibility: 'public',
  });
  await committed(at, [{ action: 'create', file_path: 'dir/b.txt', content: 'b' }], {
    commit_message: `Add ${HOSTILE} here\n\nBecause <b>of</b> it`,
  });
  const address = `/${project.fullPath}/-/commits/master`;
  const stranger = new Browser(world.send);
  expect((await stranger.get(address)).status).toBe(200);
  const reader = await signedIn(world, await world.user());
  await reader.get(address);
  expect(reader.page).toContain('Add &lt;script&gt;alert(1)&lt;/script&gt; here');
  expect(reader.page).toContain('Because &lt;b&gt;of&lt;/b&gt; it');
  expect(reader.page).toContain('>Change<');
  expect(reader.page).not.toContain(HOSTILE);
  await reader.get(`${address}/dir/b.txt`);
  expect(reader.page).toContain('dir/b.txt');
  expect(reader.page).not.toContain('>Change<');
  await reader.get(`${address}?search=script`);
  expect(reader.page).toContain('Because &lt;b&gt;of&lt;/b&gt; it');
  expect(reader.page).not.toContain('>Change<');
  expect((await reader.get(`/${project.fullPath}/-/commits/nowhere`)).status).toBe(404);
});

it('narrows to a path of a branch with slashes in its name, and to one that is gone', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a' }]);
  const branch = { branch: 'feature/new', start_branch: 'master', commit_message: 'Add b' };
  await committed(at, [{ action: 'create', file_path: 'dir/b.txt', content: 'b' }], branch);
  await committed(at, [{ action: 'delete', file_path: 'a.txt' }], { commit_message: 'Remove a' });
  const browser = await signedIn(world, owner);
  const address = `/${project.fullPath}/-/commits`;
  for (const path of ['dir', 'dir/b.txt']) {
    expect((await browser.get(`${address}/feature/new/${path}`)).status).toBe(200);
    expect(browser.page).toContain('>Add b<');
    expect(browser.page).toContain(`<code>${path}</code>`);
    expect(browser.page).not.toContain('>Change<');
  }
  expect((await browser.get(`${address}/feature/nothing/dir`)).status).toBe(404);
  expect((await browser.get(`${address}/master/a.txt`)).status).toBe(200);
  expect(browser.page).toContain('>Remove a<');
});

it('a list of commits costs the same number of statements however long it is', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: '0' }]);
  const browser = await signedIn(world, owner);
  const count = async () => (await world.statements(() => browser.get(`/${project.fullPath}/-/commits/master`))).length;
  await count();
  const few = await count();
  for (const content of ['1', '2', '3']) await committed(at, [{ action: 'update', file_path: 'a.txt', content }]);
  await count();
  expect(await count()).toBe(few);
});

it('takes comments on a commit and on its lines, answers them, and says beside the field what is wrong', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\ntwo\n' }]);
  const { id } = await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'one\n2\n' }]);
  const address = `/${project.fullPath}/-/commit/${id}`;
  const browser = await signedIn(world, owner);
  await browser.get(address);
  await browser.submit(address, { note: `Whole ${HOSTILE}` });
  expect(browser.answer.headers.location).toMatch(/#note_\d+$/);
  const [, line = ''] = /href="[^"]*line=(f[0-9a-f]{8}__2)#form"/.exec(browser.page) ?? [];
  await browser.get(`${address}?line=${line}`);
  expect(browser.page).toContain('Comment on line 2');
  await browser.submit(`${address}?line=${line}`, { note: '', filePath: 'a.txt', fileLine: '2', lineType: 'new' });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toMatch(/field-problem/);
  await browser.submit(`${address}?line=${line}`, {
    note: 'On *two*',
    filePath: 'a.txt',
    fileLine: '2',
    lineType: 'new',
  });
  expect(browser.answer.headers.location).toMatch(/\/-\/commit\/[0-9a-f]+#note_\d+$/);
  await browser.follow();
  expect(browser.page).toMatch(/<td class="talk"[\s\S]*On <em>two<\/em>/);
  expect(browser.page).not.toContain(HOSTILE);
  const threads = [...browser.page.matchAll(/name="discussionId" value="([^"]*)"/g)].map(([, one]) => one ?? '');
  expect(threads).toHaveLength(2);
  await browser.submit(address, { note: 'An answer', discussionId: threads[0] ?? '' });
  await browser.follow();
  expect(browser.page).toContain('An answer');
  expect([...browser.page.matchAll(/name="discussionId"/g)]).toHaveLength(2);
});

it('shows long talk about a commit in pages, and leads from the address of a comment to the page that has it', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }], {
    visibility: 'public',
  });
  const { id: sha } = await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'two\n' }]);
  const comment = (note: string, more = {}) =>
    world.db.commitComment.create({ data: { projectId: project.id, authorId: owner.id, sha, note, ...more } });
  const made: { id: number }[] = [];
  for (let at = 0; at < 60; at += 1) made.push(await comment(`Remark ${at + 1}.`));
  const deep = made[54]?.id ?? 0;
  const answers: { id: number }[] = [];
  for (let at = 0; at < 12; at += 1) answers.push(await comment(`Answer ${at + 1}.`, { discussionId: deep }));
  const elsewhere = await comment('On another', { sha: 'a'.repeat(40) });
  const browser = await signedIn(world, owner);
  const address = `/${project.fullPath}/-/commit/${sha}`;
  await browser.get(address);
  expect(browser.page).toContain('Remark 50.');
  expect(browser.page).not.toContain('Remark 51.');
  expect(browser.page).toContain('data-paged');
  const [, next = ''] = /rel="next" href="([^"]*threadsAfter[^"]*)"/.exec(browser.page) ?? [];
  await browser.get(next.replaceAll('&amp;', '&'));
  expect(browser.page).toContain('Remark 51.');
  expect(browser.page).not.toContain('Remark 50.');
  const [, previous = ''] = /rel="prev" href="([^"]*threadsBefore[^"]*)"/.exec(browser.page) ?? [];
  await browser.get(previous.replaceAll('&amp;', '&'));
  expect(browser.page).toContain('Remark 50.');
  await browser.get(address);
  await browser.submit(`${address}?threads=last`, { note: 'The newest' });
  await browser.follow();
  expect(browser.page).toContain('The newest');
  expect(browser.page).not.toContain('Remark 10.');
  const arriveAt = async (id: number) => {
    await browser.get(`${address}?note=${id}`);
    for (let steps = 0; browser.answer.status === 302 && steps < 3; steps += 1) await browser.follow();
    expect([browser.answer.status, browser.page.includes(`id="note_${id}"`)]).toEqual([200, true]);
  };
  await arriveAt(made[0]?.id ?? 0);
  await arriveAt(deep);
  expect(browser.page).not.toContain('Remark 54.');
  await arriveAt(answers[0]?.id ?? 0);
  await arriveAt(answers[11]?.id ?? 0);
  expect(browser.page).toContain('Answer 12.');
  expect(browser.page).not.toContain('Remark 56.');
  // Of a thread whose first comment is gone, the first that is left begins it.
  await world.db.commitComment.delete({ where: { id: deep } });
  await arriveAt(answers[1]?.id ?? 0);
  for (const absent of [String(elsewhere.id), '0', 'x', '99999999999']) {
    expect([absent, (await browser.get(`${address}?note=${absent}`)).status]).toEqual([absent, 200]);
    expect(browser.page).toContain('Remark 1.');
  }
});

it('shows comments on lines that the page does not have below, with their place', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }]);
  const { id } = await committed(at, [
    { action: 'update', file_path: 'a.txt', content: 'two\n' },
    { action: 'create', file_path: 'b.txt', content: 'b\n' },
  ]);
  const remark = { note: 'Look here', path: 'a.txt', line: 1, line_type: 'new' };
  await world.api(owner).post(`/projects/${project.id}/repository/commits/${id}/comments`, remark);
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/commit/${id}?path=b.txt`);
  expect(browser.page).toMatch(/thread-place[\s\S]*<code>a\.txt<\/code> line 1[\s\S]*Look here/);
  await browser.get(`/${project.fullPath}/-/commit/${id}`);
  expect(browser.page.match(/Look here/g)).toHaveLength(1);
  expect(browser.page).not.toContain('thread-place');
});

it('says of commits whose signature is one of their committer that they are verified, and of no others', async () => {
  const { project, directory } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a' }]);
  const pair = keyPair();
  await world.api(owner).post('/user/keys', { title: 'Work', key: pair.text });
  const { email } = await world.db.user.findUniqueOrThrow({ where: { id: owner.id } });
  const commits = {
    own: commitSigned(directory, email, (content) => signed(content, pair), 'Signed by its committer'),
    foreign: commitSigned(directory, email, (content) => signed(content, keyPair()), 'Signed by nobody known'),
    altered: commitSigned(directory, email, () => signed('something else', pair), 'Signed for something else'),
    plain: git(directory, ['rev-parse', 'master']).trim(),
  };
  const browser = await signedIn(world, owner);
  const badges = [];
  for (const [name, sha] of Object.entries(commits)) {
    git(directory, ['update-ref', `refs/heads/${name}`, sha]);
    for (const page of [`commit/${sha}`, `commits/${name}`]) {
      expect((await browser.get(`/${project.fullPath}/-/${page}`)).status).toBe(200);
      if (browser.page.includes('>Verified</span>')) badges.push(page);
    }
  }
  expect(badges).toEqual([`commit/${commits.own}`, 'commits/own']);
});
