// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { alertsOn, type Browser } from '../support/browser.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { git, gitLines } from '../support/git_program.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, master, developer, reporter, filled, committed } = await startCommittingWorld();

async function opened() {
  const made = await filled([
    { action: 'create', file_path: 'a.txt', content: 'one\ntwo\n' },
    { action: 'create', file_path: 'dir/b.txt', content: 'b\r\nc\r\n' },
    { action: 'create', file_path: 'c.md', content: '# C\n' },
    { action: 'create', file_path: 'd.bin', content: 'AAE=', encoding: 'base64' },
  ]);
  return { ...made, base: `/${made.project.fullPath}/-` };
}

const decoded = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_all, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as string] ?? '',
  );

type Fields = Record<string, string[]>;

/** The fields of the form with several files, as a browser would send them: those of the same name in their order. */
function fieldsOf(page: string): Fields {
  const [, form = ''] = /<form class="stack file-form several"[^>]*>([\s\S]*?)<\/form>/.exec(page) ?? [];
  const fields: Fields = {};
  const expression =
    /<input(?![^>]*type="(?:file|checkbox)")[^>]*>|<textarea[^>]*name="([^"]*)"[^>]*>\n?([\s\S]*?)<\/textarea>|<select[^>]*name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g;
  for (const [element, area, text, select, options] of form.matchAll(expression)) {
    const name = area ?? select ?? /name="([^"]*)"/.exec(element)?.[1] ?? '';
    const chosen = options && (/value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1]);
    const value = text?.replace(/\r?\n/g, '\r\n') ?? chosen ?? /value="([^"]*)"/.exec(element)?.[1] ?? '';
    fields[name] = [...(fields[name] ?? []), decoded(value)];
  }
  return fields;
}

async function press(browser: Browser, address: string, button: string, fields: Fields = fieldsOf(browser.page)) {
  await browser.submit(address, { ...fields, do: button });
  expect([button, browser.answer.status]).toEqual([button, 200]);
}

it('several files are changed, added, renamed and deleted in one form without scripts, and committed at once', async () => {
  const { base, directory } = await opened();
  const browser = await signedIn(world, developer);
  await browser.get(`${base}/tree/master`);
  expect(browser.page).not.toContain('</b>No file');
  const address = `${base}/edit_files/master`;
  await (await signedIn(world, owner)).get(address);
  const editor = await signedIn(world, master);
  await editor.get(`${base}/tree/master`);
  expect(editor.page).toContain(`href="${address}"`);
  await editor.get(address);
  for (const path of ['a.txt', 'dir/b.txt', 'c.md', 'd.bin']) await press(editor, address, `open:${path}`);
  await press(editor, address, 'open:a.txt');
  await press(editor, address, 'new', { ...fieldsOf(editor.page), newPath: ['new/e ü.txt'] });
  const fields = fieldsOf(editor.page);
  expect(fields.previousPath).toEqual(['a.txt', 'dir/b.txt', 'c.md', 'd.bin', '']);
  expect(fields.content?.slice(0, 2)).toEqual(['one\r\ntwo\r\n', 'b\r\nc\r\n']);
  const changed: Fields = {
    ...fields,
    path: ['a.txt', 'moved/b.txt', 'c.md', 'd2.bin', 'new/e ü.txt'],
    action: ['UPDATE', 'UPDATE', 'DELETE', 'UPDATE', 'UPDATE'],
    content: ['ONE\r\ntwo\r\n', 'b\r\nC\r\n', '# C\r\n', '', 'e\r\n'],
  };
  await press(editor, address, 'preview', changed);
  expect(editor.page).toContain('5 files changed');
  expect(editor.page).toContain('renamed from dir/b.txt');
  expect(fieldsOf(editor.page)).toMatchObject({ path: changed.path, content: changed.content });
  await press(editor, address, 'search', { ...fieldsOf(editor.page), search: ['dir'] });
  expect(editor.page).not.toContain('value="open:c.md"');
  await editor.submit(`${base}/commit_files/master`, fieldsOf(editor.page));
  expect(editor.answer.headers.location).toBe(`${base}/tree/master`);
  expect(gitLines(directory, ['-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', 'master'])).toEqual([
    'a.txt',
    'd2.bin',
    'moved/b.txt',
    'new/e ü.txt',
  ]);
  expect(git(directory, ['show', 'master:a.txt'])).toBe('ONE\ntwo\n');
  expect(git(directory, ['show', 'master:moved/b.txt'])).toBe('b\r\nC\r\n');
  expect(git(directory, ['show', 'master:d2.bin'])).toBe('\0\x01');
  expect(git(directory, ['rev-list', '--count', 'master']).trim()).toBe('2');
});

it('a commit of several files is refused where one of them has changed, and what was written stays', async () => {
  const { base, at, directory } = await opened();
  const browser = await signedIn(world, master);
  const address = `${base}/edit_files/master`;
  await browser.get(`${address}?open=a.txt`);
  const fields = fieldsOf(browser.page);
  expect(fields.path).toEqual(['a.txt']);
  await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'theirs\n' }]);
  const tip = git(directory, ['rev-parse', 'master']);
  await browser.submit(`${base}/commit_files/master`, { ...fields, content: ['mine\r\n'], message: ['Mine'] });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toContain('The file has changed since you started editing it: a.txt');
  expect(fieldsOf(browser.page)).toMatchObject({
    content: ['mine\r\n'],
    message: ['Mine'],
    lastCommitId: fields.lastCommitId,
  });
  expect(git(directory, ['rev-parse', 'master'])).toBe(tip);
  expect((await browser.get(`${base}/commit_files/master`)).headers.location).toBe(address);
  await browser.get(address);
  await browser.submit(`${base}/commit_files/master`, fieldsOf(browser.page));
  expect(alertsOn(browser.page).join()).toContain('nothing to commit');
});

it('several files are committed to a new branch, from where a merge request is opened, and only by those who can push', async () => {
  const { base, directory } = await opened();
  const browser = await signedIn(world, developer);
  await browser.get(`${base}/edit_files/master?open=a.txt`);
  const fields = fieldsOf(browser.page);
  await browser.submit(`${base}/commit_files/master`, { ...fields, content: ['new\r\n'], branch: ['topic'] });
  expect(browser.answer.headers.location).toContain('/-/merge_requests/new?merge_request%5Bsource_branch%5D=topic');
  expect(git(directory, ['show', 'topic:a.txt'])).toBe('new\n');
  const reader = await signedIn(world, reporter);
  expect((await reader.get(`${base}/edit_files/master`)).status).toBe(404);
  const tips = git(directory, ['for-each-ref']);
  await reader.get(`${base}/tree/master`);
  for (const word of ['edit_files', 'commit_files']) {
    const { status } = await reader.submit(`${base}/${word}/master`, { ...fields, content: ['x'] });
    expect([word, [403, 404, 422].includes(status)]).toEqual([word, true]);
  }
  expect(git(directory, ['for-each-ref'])).toBe(tips);
});

it('at most 15 files are open at once', async () => {
  const made = await filled(
    Array.from({ length: 17 }, (_, n) => ({ action: 'create', file_path: `f${n}.txt`, content: `${n}\n` })),
  );
  const browser = await signedIn(world, master);
  const address = `/${made.project.fullPath}/-/edit_files/master`;
  await browser.get(`${address}?${Array.from({ length: 15 }, (_, n) => `open=f${n}.txt`).join('&')}`);
  expect(fieldsOf(browser.page).path).toHaveLength(15);
  await press(browser, address, 'open:f16.txt');
  expect(alertsOn(browser.page)).toEqual([expect.stringContaining('15')]);
  expect(fieldsOf(browser.page).path).toHaveLength(15);
  await press(browser, address, 'drop:0');
  expect(fieldsOf(browser.page).path?.[0]).toBe('f1.txt');
});

it('what is written in the editor is previewed, with what a commit of it would change', async () => {
  const { base, directory } = await opened();
  const browser = await signedIn(world, master);
  await browser.get(`${base}/edit/master/c.md`);
  const [, commit = ''] = /name="lastCommitId" value="([0-9a-f]{40})"/.exec(browser.page) ?? [];
  const fields = {
    path: 'c.md',
    lineEnds: 'lf',
    lastCommitId: commit,
    branch: 'master',
    startBranch: 'master',
    message: 'My <i>',
  };
  await browser.submit(`${base}/preview_edit/master/c.md`, {
    ...fields,
    content: '# C\r\n\r\nNew *text* <script>\r\n',
  });
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('<p dir="auto">New <em>text</em> &lt;script&gt;</p>');
  expect(browser.page).toContain('1 file changed');
  expect(browser.page).toContain('My &lt;i&gt;</textarea>');
  expect(browser.page).toMatch(/<textarea class="code file-content"[^>]*>\n# C/);
  expect((await browser.get(`${base}/preview_edit/master/c.md`)).headers.location).toBe(`${base}/edit/master/c.md`);
  await browser.get(`${base}/new/master`);
  const added = { ...fields, path: 'e.txt', content: 'e\r\n' };
  await browser.submit(`${base}/preview_new/master`, added);
  expect(browser.page).toContain('new file');
  await browser.submit(`${base}/preview_new/master`, { ...added, path: 'a.txt' });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toContain('already exists');
  expect(git(directory, ['rev-list', '--count', 'master']).trim()).toBe('1');
});

it('files are uploaded with their paths by one commit, or none of them', async () => {
  const { base, directory } = await opened();
  const browser = await signedIn(world, master);
  const send = async (files: File[], more: Record<string, string> = {}) => {
    await browser.get(`${base}/upload_files/master/dir`);
    expect(browser.page).toContain('At most 90 files');
    const form = new FormData();
    for (const name of ['authenticity_token', 'startBranch', 'branch', 'folder']) {
      form.set(name, decoded(new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(browser.page)?.[1] ?? ''));
    }
    form.set('message', 'Upload');
    for (const [name, value] of Object.entries(more)) form.set(name, value);
    for (const file of files) form.append('files', file);
    const request = new Request('http://x', { method: 'POST', body: form });
    const headers = { 'Content-Type': request.headers.get('Content-Type') ?? '' };
    const body = new Uint8Array(await request.arrayBuffer());
    await browser.request('POST', `${base}/upload_files/master/dir`, { headers, body });
    return browser.answer.headers.location ?? alertsOn(browser.page);
  };
  const bytes = new Uint8Array([0, 255, 10]);
  const two = [new File([bytes], 'site/index.bin'), new File(['x'], 'site/deep/x ü.txt')];
  expect(await send(two)).toBe(`${base}/tree/master/dir`);
  // Files that were dropped have only names.
  expect(await send([new File(['1'], 'one'), new File(['2'], 'two')], { paths: 'p/one\np/q/two' })).toBe(
    `${base}/tree/master/dir`,
  );
  const listed = gitLines(directory, ['-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', 'master', 'dir']);
  expect(listed).toEqual(['dir/b.txt', 'dir/p/one', 'dir/p/q/two', 'dir/site/deep/x ü.txt', 'dir/site/index.bin']);
  expect(git(directory, ['rev-list', '--count', 'master']).trim()).toBe('3');
  expect(await send([new File(['n'], 'new'), new File(['b'], 'b.txt')])).toEqual([
    expect.stringContaining('already exists'),
  ]);
  expect(await send([])).toEqual([expect.stringContaining('No file was chosen')]);
  expect(await send([new File(['x'], '../up')])).toEqual([expect.stringContaining('traversal')]);
  expect(git(directory, ['rev-list', '--count', 'master']).trim()).toBe('3');
});

it('a file has its contents, symbols and the history of its lines beside it', async () => {
  const made = await filled([
    { action: 'create', file_path: 'a.md', content: '# One\n\n## Two & <b>\n' },
    { action: 'create', file_path: 'a.ts', content: 'export class A {\n  run() {\n  }\n}\n' },
  ]);
  await committed(
    made.at,
    [{ action: 'update', file_path: 'a.ts', content: 'export class A {\n  walk() {\n  }\n}\n' }],
    { commit_message: 'Walk' },
  );
  const base = `/${made.project.fullPath}/-`;
  const browser = await signedIn(world, reporter);
  await browser.get(`${base}/blob/master/a.md`);
  expect(browser.page).toMatch(/<li class="contents-1"><a href="#[^"]+">Two &amp;<\/a>/);
  await browser.get(`${base}/blob/master/a.ts`);
  expect(browser.page).toContain(`href="${base}/blob/master/a.ts?symbols=1"`);
  await browser.get(`${base}/blob/master/a.ts?symbols=1`);
  expect(browser.page).toMatch(/<li class="contents-1"><a href="#L2">walk<\/a>/);
  await browser.get(`${base}/blame/master/a.ts`);
  const [, address = ''] = /href="([^"]*line_history[^"]*from=2[^"]*)"/.exec(browser.page) ?? [];
  await browser.get(decoded(address));
  expect(browser.page).toContain('Walk</a>');
  expect(browser.page.match(/<section class="file"/g)).toHaveLength(2);
  expect((await browser.get(`${base}/line_history/master/a.ts?from=0&to=1`)).status).toBe(422);
  await browser.get(`${base}/line_history/master/a.ts?from=9&to=9`);
  expect(browser.page).toContain('does not have these lines');
});
