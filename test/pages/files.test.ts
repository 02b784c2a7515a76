// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { alertsOn, Browser } from '../support/browser.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { git, gitBytes, gitLines } from '../support/git_program.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, master, developer, reporter, guest, filled, committed } = await startCommittingWorld();
const outsider = await world.user();

async function opened() {
  const made = await filled([
    { action: 'create', file_path: 'a.txt', content: 'one\n' },
    { action: 'create', file_path: 'dir/b.txt', content: 'b\n' },
  ]);
  return { ...made, base: `/${made.project.fullPath}/-` };
}

/** The first values of the fields of the form that a browser shows, as it would send them. */
function fieldsOf(page: string): Record<string, string> {
  const decoded = (text: string) =>
    text.replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_all, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as string] ?? '',
    );
  const [, form = ''] = /<form class="stack[^"]*"[^>]*>([\s\S]*?)<\/form>/.exec(page) ?? [];
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const [, name = ''] = /name="([^"]*)"/.exec(input) ?? [];
    if (!/type="(checkbox|file)"/.test(input)) fields[name] = decoded(/value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  for (const [, name = '', value = ''] of form.matchAll(
    /<textarea[^>]*name="([^"]*)"[^>]*>\n?([\s\S]*?)<\/textarea>/g,
  )) {
    fields[name] = decoded(value).replace(/\r?\n/g, '\r\n');
  }
  return fields;
}

/** Opens a form and sends it with other values; where the browser is led, or what is wrong. */
async function sent(browser: Browser, address: string, changes: Record<string, string | string[]>) {
  await browser.get(address);
  expect([address, browser.answer.status]).toEqual([address, 200]);
  const { status, headers } = await browser.submit(address, { ...fieldsOf(browser.page), ...changes });
  return status === 303 ? headers.location : alertsOn(browser.page);
}

describe('A file', () => {
  it('is edited by a commit on its branch, and keeps all that was not changed', async () => {
    const { base, at, directory } = await opened();
    const text = '\n\n  <b>&amp;</b> "x"\n\ttab\n</textarea><script>alert(1)</script>\nno end';
    await committed(at, [{ action: 'update', file_path: 'a.txt', content: text }]);
    const browser = await signedIn(world, master);
    await browser.get(`${base}/blob/master/a.txt`);
    expect(browser.page).toContain(`href="${base}/edit/master/a.txt"`);
    await browser.get(`${base}/edit/master/a.txt`);
    expect(browser.page).not.toContain('<script>alert');
    const shown = fieldsOf(browser.page).content ?? '';
    expect(shown.replaceAll('\r\n', '\n')).toBe(text);
    const to = await sent(browser, `${base}/edit/master/a.txt`, { content: `${shown}\r\n`, message: 'End <i>it</i>' });
    expect(to).toBe(`${base}/blob/master/a.txt`);
    expect(gitBytes(directory, ['show', 'master:a.txt']).toString()).toBe(`${text}\n`);
    expect(git(directory, ['log', '-1', '--format=%s|%an', 'master'])).toBe(
      `End <i>it</i>|Name of ${master.username}\n`,
    );
    expect(await sent(browser, `${base}/edit/master/a.txt`, { content: '' })).toBe(to);
    expect(gitBytes(directory, ['show', 'master:a.txt'])).toHaveLength(0);
  });

  it('keeps the line ends that it has', async () => {
    const { base, at, directory } = await opened();
    await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'one\r\ntwo\r\n' }]);
    const browser = await signedIn(world, owner);
    await browser.get(`${base}/edit/master/a.txt`);
    await sent(browser, `${base}/edit/master/a.txt`, { content: 'one\r\nTWO\r\n' });
    expect(gitBytes(directory, ['show', 'master:a.txt']).toString()).toBe('one\r\nTWO\r\n');
    await sent(browser, `${base}/edit/master/dir/b.txt`, { content: 'b\r\nc\r\n' });
    expect(gitBytes(directory, ['show', 'master:dir/b.txt']).toString()).toBe('b\nc\n');
  });

  it('is not overwritten if it has changed since it was opened, unless its editor says so', async () => {
    const { base, at, directory } = await opened();
    const browser = await signedIn(world, master);
    const address = `${base}/edit/master/a.txt`;
    await browser.get(address);
    const { authenticity_token: _, ...before } = fieldsOf(browser.page);
    await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'theirs\n' }]);
    await browser.submit(address, { ...before, content: 'mine <b>\r\n', message: 'My message' });
    expect(browser.answer.status).toBe(422);
    expect(browser.page).toContain('The file has changed since you started editing it: a.txt');
    expect(fieldsOf(browser.page)).toMatchObject({ ...before, content: 'mine <b>\r\n', message: 'My message' });
    await browser.submit(address, fieldsOf(browser.page));
    expect(browser.answer.status).toBe(422);
    expect(git(directory, ['show', 'master:a.txt'])).toBe('theirs\n');
    const now = /type="checkbox" name="lastCommitId" value="([0-9a-f]{40})"/.exec(browser.page)?.[1] ?? '';
    const again = fieldsOf(browser.page);
    await browser.submit(address, { ...again, lastCommitId: [again.lastCommitId ?? '', now] });
    expect(browser.answer.status).toBe(303);
    expect(git(directory, ['show', 'master:a.txt'])).toBe('mine <b>\n');
  });

  it('is committed to a new branch, from where a merge request is opened', async () => {
    const { base, directory } = await opened();
    const browser = await signedIn(world, master);
    const to = await sent(browser, `${base}/edit/master/a.txt`, { content: 'two\r\n', branch: 'feature/ä&b' });
    expect(to).toBe(
      `${base}/merge_requests/new?merge_request%5Bsource_branch%5D=feature%2F%C3%A4%26b&merge_request%5Btarget_branch%5D=master`,
    );
    await browser.follow();
    expect(browser.answer.status).toBe(200);
    expect(browser.page).toContain('feature/ä&amp;b');
    expect(git(directory, ['show', 'master:a.txt'])).toBe('one\n');
    expect(git(directory, ['show', 'feature/ä&b:a.txt'])).toBe('two\n');
    const taken = await sent(browser, `${base}/edit/master/a.txt`, { content: 'three\r\n', branch: 'feature/ä&b' });
    expect(taken).toEqual([expect.stringContaining('already exists')]);
    expect(fieldsOf(browser.page)).toMatchObject({ content: 'three\r\n', branch: 'feature/ä&b' });
    expect(await sent(browser, `${base}/edit/feature/%C3%A4%26b/a.txt`, { content: '4\r\n' })).toBe(
      `${base}/blob/feature/%C3%A4%26b/a.txt`,
    );
  });

  it('is created in a folder, not where one is, and not outside of the repository', async () => {
    const { base, directory } = await opened();
    const browser = await signedIn(world, master);
    await browser.get(`${base}/tree/master/dir`);
    expect(browser.page).toContain(`href="${base}/new/master/dir"`);
    expect(await sent(browser, `${base}/new/master/dir`, { path: 'dir/a#%?.md', content: '# Hi\r\n' })).toBe(
      `${base}/blob/master/dir/a%23%25%3F.md`,
    );
    expect(git(directory, ['show', 'master:dir/a#%?.md'])).toBe('# Hi\n');
    for (const path of ['a.txt', '../x', 'dir/../../x', '.git/config', 'a.txt/below', 'x'.repeat(300), 'a//b']) {
      const alerts = await sent(browser, `${base}/new/master`, { path, content: 'kept\r\n' });
      expect([path, alerts]).toEqual([path, [expect.stringContaining('not ')]]);
      expect(browser.page).toContain('id="path-problem"');
      expect(fieldsOf(browser.page)).toMatchObject({ path, content: 'kept\r\n' });
    }
    expect(gitLines(directory, ['ls-tree', '-r', '--name-only', 'master'])).toEqual([
      'a.txt',
      'dir/a#%?.md',
      'dir/b.txt',
    ]);
    expect((await browser.get(`${base}/new/master/none`)).status).toBe(404);
    expect((await browser.get(`${base}/new/master/a.txt`)).status).toBe(404);
    await browser.get(`${base}/new/master?file_name=README.md`);
    expect(fieldsOf(browser.page).path).toBe('README.md');
  });

  it('is the first one of an empty repository', async () => {
    const { project, directory } = await filled();
    const browser = await signedIn(world, owner);
    await browser.get(`/${project.fullPath}`);
    expect(browser.page).toContain(`/${project.fullPath}/-/new/main`);
    const to = await sent(browser, `/${project.fullPath}/-/new/main`, { path: 'README.md', content: 'Hi\r\n' });
    expect(to).toBe(`/${project.fullPath}/-/blob/main/README.md`);
    expect(gitLines(directory, ['branch', '--format=%(refname:short)'])).toEqual(['main']);
    expect((await browser.get(`/${project.fullPath}/-/new/other`)).status).toBe(404);
  });

  it('is uploaded with all of its bytes', async () => {
    const { base, directory } = await opened();
    const browser = await signedIn(world, master);
    const bytes = new Uint8Array([0, 255, 13, 10, 10, 1]);
    const send = async (fields: Record<string, string>, file: File | null) => {
      await browser.get(`${base}/upload/master/dir`);
      expect(browser.page).toContain('enctype="multipart/form-data"');
      const form = new FormData();
      for (const [name, value] of Object.entries({ ...fieldsOf(browser.page), ...fields })) form.set(name, value);
      form.set('contentFile', file ?? new File([], ''));
      const request = new Request('http://x', { method: 'POST', body: form });
      const headers = { 'Content-Type': request.headers.get('Content-Type') ?? '' };
      await browser.request('POST', `${base}/upload/master/dir`, {
        headers,
        body: new Uint8Array(await request.arrayBuffer()),
      });
      return browser.answer.headers.location ?? alertsOn(browser.page);
    };
    expect(await send({}, new File([bytes], 'x & "y".bin'))).toBe(`${base}/blob/master/dir/x%20%26%20%22y%22.bin`);
    expect(Uint8Array.from(gitBytes(directory, ['show', 'master:dir/x & "y".bin']))).toEqual(bytes);
    expect(await send({ path: 'other/z' }, new File([], 'empty'))).toBe(`${base}/blob/master/other/z`);
    expect(await send({}, new File([bytes], 'b.txt'))).toEqual([expect.stringContaining('already exists')]);
    expect(await send({}, new File([bytes], '../../up'))).toEqual([expect.stringContaining('traversal')]);
    expect(await send({ message: 'Nothing' }, null)).toHaveLength(1);
    expect(await send({ authenticity_token: 'wrong' }, new File([bytes], 'n'))).toEqual([]);
    expect(browser.answer.status).toBe(422);
    const large = await send({}, new File([new Uint8Array(11 * 1024 * 1024)], 'large'));
    expect([browser.answer.status, large]).toEqual([413, expect.anything()]);
    const visitor = new Browser(world.send);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const refused = await visitor.request('POST', `${base}/upload/master/dir`, { headers, body: '--x--' });
    expect(refused.headers.location).toMatch(/sign_in/);
    expect(gitLines(directory, ['ls-tree', '-r', '--name-only', 'master'])).toEqual([
      'a.txt',
      'dir/b.txt',
      '"dir/x & \\"y\\".bin"',
      'other/z',
    ]);
  });

  it('is renamed, moved and deleted, each by a commit', async () => {
    const { base, at, directory } = await opened();
    const browser = await signedIn(world, master);
    await browser.get(`${base}/rename/master/a.txt`);
    expect(await sent(browser, `${base}/rename/master/a.txt`, { path: 'dir/b.txt' })).toEqual([
      'Move destination `dir/b.txt` already exists.',
    ]);
    expect(browser.page).toContain('id="path-problem"');
    expect(await sent(browser, `${base}/rename/master/a.txt`, { path: 'new/a <i>.txt' })).toBe(
      `${base}/blob/master/new/a%20%3Ci%3E.txt`,
    );
    const old = `${base}/delete/master/dir/b.txt`;
    await browser.get(old);
    const before = fieldsOf(browser.page);
    await committed(at, [{ action: 'update', file_path: 'dir/b.txt', content: 'changed\n' }]);
    await browser.submit(old, before);
    expect(browser.answer.status).toBe(422);
    expect(browser.page).toContain('The file has changed since you started editing it: dir/b.txt');
    expect(await sent(browser, old, {})).toBe(`${base}/tree/master`);
    await browser.follow();
    expect(browser.answer.status).toBe(200);
    expect(gitLines(directory, ['ls-tree', '-r', '--name-only', 'master'])).toEqual(['new/a <i>.txt']);
    await browser.get(`${base}/delete/master/new/a%20%3Ci%3E.txt`);
    expect(browser.page).toContain('Delete new/a &lt;i&gt;.txt?');
  });

  it('is not edited if it is binary, large, a link or a pointer, and only on branches', async () => {
    const { base, at } = await opened();
    const base64 = (bytes: Buffer) => ({ content: bytes.toString('base64'), encoding: 'base64' });
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 2048\n`;
    const odd = {
      'bin.dat': Buffer.from([1, 0, 2]),
      'latin.txt': Buffer.from([0xe4, 10]),
      'late.txt': Buffer.concat([Buffer.alloc(9000, 'a'), Buffer.from([0])]),
      'large.txt': Buffer.alloc(1024 * 1024 + 1, 'a\n'),
      'lfs.bin': Buffer.from(pointer),
    };
    const actions = Object.entries(odd).map(([file_path, bytes]) => ({
      action: 'create',
      file_path,
      ...base64(bytes),
    }));
    const { id } = await committed(at, actions);
    const browser = await signedIn(world, owner);
    for (const name of Object.keys(odd)) {
      await browser.get(`${base}/blob/master/${name}`);
      expect([name, browser.page.includes(`${base}/edit/`)]).toEqual([name, false]);
      expect(browser.page).toContain(`${base}/delete/master/${name}`);
      const { headers } = await browser.get(`${base}/edit/master/${name}`);
      expect(headers.location).toBe(`${base}/blob/master/${name}`);
    }
    await world.api(owner).post(`${at}/tags`, { tag_name: 'v1', ref: 'master' });
    for (const ref of [id, 'v1']) {
      await browser.get(`${base}/blob/${ref}/a.txt`);
      expect(browser.page).not.toMatch(/\/-\/(edit|rename|delete)\//);
      await browser.get(`${base}/tree/${ref}`);
      expect(browser.page).not.toMatch(/\/-\/(new|upload)\/(?!main)/);
      for (const page of ['edit', 'rename', 'delete']) {
        expect((await browser.get(`${base}/${page}/${ref}/a.txt`)).status).toBe(404);
      }
      expect((await browser.get(`${base}/new/${ref}`)).status).toBe(404);
    }
    for (const place of [
      'master/..%2f..%2fa.txt',
      'master/../a.txt',
      'none/a.txt',
      '-x',
      'master/%00',
      'master%0a/a.txt',
    ]) {
      expect([place, (await browser.get(`${base}/edit/${place}`)).status]).toEqual([place, 404]);
    }
  });
});

describe('Forms about files', () => {
  it('are offered and shown to developers only', async () => {
    const { base, directory } = await opened();
    const [tip] = gitLines(directory, ['rev-parse', 'master']);
    const forms = ['edit/master/a.txt', 'rename/master/a.txt', 'delete/master/a.txt', 'new/master', 'upload/master'];
    for (const who of [reporter, guest, outsider]) {
      const browser = await signedIn(world, who);
      if (who === reporter) {
        await browser.get(`${base}/blob/master/a.txt`);
        expect(browser.answer.status).toBe(200);
        expect(browser.page).not.toMatch(/\/-\/(edit|rename|delete|new|upload)\//);
      }
      await browser.get('/');
      for (const form of forms) {
        const wanted = who === guest ? 403 : 404;
        expect([form, (await browser.get(`${base}/${form}`)).status]).toEqual([form, wanted]);
        const given = {
          path: 'a.txt',
          content: 'x',
          message: 'x',
          branch: 'master',
          lastCommitId: tip ?? '',
          previousPath: 'a.txt',
        };
        expect([403, 404]).toContain((await browser.confirm(`${base}/${form}`, given)).status);
      }
    }
    for (const form of forms) {
      expect((await new Browser(world.send).get(`${base}/${form}`)).headers.location).toMatch(/^\/users\/sign_in/);
    }
    expect(gitLines(directory, ['rev-parse', 'master'])).toEqual([tip]);
  });

  it('are not offered where the project is archived', async () => {
    const { project, base } = await opened();
    await world.api(owner).post(`/projects/${project.id}/archive`);
    const browser = await signedIn(world, owner);
    await browser.get(`${base}/blob/master/a.txt`);
    expect(browser.page).not.toMatch(/\/-\/(edit|rename|delete)\//);
    expect((await browser.get(`${base}/edit/master/a.txt`)).status).toBe(404);
  });

  it('propose a branch of their own to developers where the branch is protected, as the default branch is', async () => {
    const { base, directory } = await opened();
    const browser = await signedIn(world, developer);
    const address = `${base}/edit/master/a.txt`;
    await browser.get(address);
    expect(browser.page).toContain('which is protected');
    const { branch = '' } = fieldsOf(browser.page);
    expect(branch).toMatch(new RegExp(`^${developer.username}-patch-\\d{1,5}$`));
    expect(await sent(browser, address, { branch: 'master', content: 'x\r\n' })).toEqual([
      'You are not allowed to push into this branch',
    ]);
    const to = await sent(browser, address, { branch, content: 'x\r\n' });
    expect(to).toContain(`source_branch%5D=${branch}&`);
    expect(gitLines(directory, ['branch', '--format=%(refname:short)'])).toEqual(['master', branch]);
    const masters = await signedIn(world, owner);
    await masters.get(address);
    expect(fieldsOf(masters.page).branch).toBe('master');
  });
});
