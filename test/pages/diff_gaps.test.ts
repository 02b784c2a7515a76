import { expect, it } from 'vitest';
import { withLinesApart } from '#pages/diff_apart.ts';
import { gapsAround } from '#pages/diff_gaps.ts';
import { withRange } from '#pages/diff_ranges.ts';
import { alertsOn } from '../support/browser.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, reporter, filled, committed } = await startCommittingWorld();

/** Lines of a file, those of the numbers in capitals. */
function numbered(count: number, loud: readonly number[] = []): string {
  return Array.from({ length: count }, (_, at) => (loud.includes(at + 1) ? `LINE ${at + 1}` : `line ${at + 1}`))
    .map((line) => `${line}\n`)
    .join('');
}

const unchanged = (count: number) => Array.from({ length: count }, () => ({ type: 'UNCHANGED' }));
const hunk = (header: string, trailing = 3) => ({
  ...{ header, truncated: false },
  lines: [{ type: 'ADDED' }, ...unchanged(trailing)],
});

it('what a diff leaves out is told by the numbers of the hunks around it', () => {
  const file = { newFile: false, deletedFile: false };
  const hunks = [hunk('@@ -11,6 +11,7 @@ head'), hunk('@@ -20 +21,2 @@'), hunk('@@ -30,0 +33,3 @@')];
  expect(gapsAround(hunks, file)).toEqual({
    before: [
      { old: 1, now: 1, count: 10 },
      { old: 17, now: 18, count: 3 },
      { old: 21, now: 23, count: 10 },
    ],
    rest: { old: 31, now: 36, count: null },
  });
  // Where less stands behind the last change, the file ends.
  expect(gapsAround([hunk('@@ -1,3 +1,4 @@', 2)], file)).toEqual({ before: [null], rest: null });
  expect(gapsAround(hunks, { ...file, newFile: true })).toEqual({ before: [], rest: null });
  expect(gapsAround([{ ...hunk('@@ -1,6 +1,7 @@'), truncated: true }], file).rest).toBeNull();
});

it('lines that something is said of stand alone where they are left out, and only there', () => {
  const shown = { old: 11, now: 11, id: 'f_11_11', kind: 'unchanged', html: 'x', noNewline: false };
  const at = (lines: readonly (readonly [number | null, number | null])[]) => {
    const given = { gap: { old: 1, now: 1, count: 10 }, header: '@@', truncated: false, lines: [shown], pairs: [] };
    const file = { ...{ id: 'f', hunks: [given], rest: { old: 12, now: 12, count: null } } };
    const spokenOf = lines.map(([old, now]) => ({ file: 'f', old, now, text: '<b>' }));
    const [made] = withLinesApart([file as never], spokenOf);
    return [made?.hunks.map(({ gap, lines: own }) => [gap?.count ?? 0, own.map(({ id }) => id)]), made?.rest];
  };
  expect(
    at([
      [null, 1],
      [5, 5],
      [10, 10],
    ]),
  ).toEqual([
    [
      [0, ['f_1_1']],
      [3, ['f_5_5']],
      [4, ['f_10_10']],
      [0, ['f_11_11']],
    ],
    { old: 12, now: 12, count: null },
  ]);
  expect(at([[14, 14]])[1]).toEqual({ old: 15, now: 15, count: null });
  // Other numbers than the change leaves between both sides, and lines of one side alone.
  expect(
    at([
      [4, 5],
      [11, null],
      [11, 11],
    ])[0],
  ).toEqual([[10, ['f_11_11']]]);
});

it('the lines of a comment are named as positions have them', () => {
  const given = { newPath: 'a', oldLine: '', newLine: '7', from: 'f12345678_3_4' };
  const sha = '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8';
  expect(withRange(given)).toMatchObject({
    newLine: '7',
    lineRange: {
      start: { oldLine: 3, newLine: 4, lineCode: `${sha}_3_4`, type: null },
      end: { oldLine: null, newLine: 7, lineCode: `${sha}_0_7`, type: 'NEW' },
    },
  });
  for (const from of ['f12345678__7', 'nonsense', undefined]) {
    expect(withRange({ ...given, from })).not.toHaveProperty('lineRange');
  }
});

it('lines between are read by commit and path, by those who may read the file', LONG, async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'src/a.js', content: 'let a;\n<b>\n\nend' }]);
  const { id } = await committed(at, [{ action: 'create', file_path: 'b.bin', content: 'a\0b' }]);
  const place = `/${project.fullPath}/-/lines/${id}`;
  const browser = await signedIn(world, reporter);
  const read = async (path: string) => (await browser.get(`${place}/${path}`)).body;
  const [first, ...others] = (await read('src/a.js?count=3')).lines;
  expect(first).toContain('hljs-keyword');
  expect(others).toHaveLength(2);
  expect(others[0]).toContain('&lt;');
  expect(others.join()).not.toContain('<b>');
  expect(await read('src/a.js?from=4')).toMatchObject({ from: 4, total: 4, lines: ['end'] });
  expect(await read('src/a.js?from=5')).toMatchObject({ total: 4, lines: [] });
  expect((await browser.get(`${place}/b.bin`)).status).toBe(404);
  expect((await browser.get(`${place}/src/a.js?count=5000`)).status).toBe(422);
  expect((await browser.get(`${place}/src/a.js?from=x`)).status).toBe(400);
  const stranger = await signedIn(world, await world.user());
  expect((await stranger.get(`${place}/src/a.js`)).status).toBe(404);
});

it('a commit takes comments on a whole file and on lines that are left out, and shows them there', LONG, async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: numbered(40) }]);
  const { id } = await committed(at, [{ action: 'update', file_path: 'a.txt', content: numbered(40, [30]) }]);
  const address = `/${project.fullPath}/-/commit/${id}`;
  const browser = await signedIn(world, owner);
  await browser.get(address);
  const [, file = ''] = /\?line=(f[0-9a-f]{8})#form/.exec(browser.page) ?? [];
  expect(browser.page).toContain(`href="/${project.fullPath}/-/blob/${id}/a.txt?plain=1#L26"`);
  await browser.get(`${address}?line=${file}`);
  expect(browser.page).toContain('Comment on the whole file');
  const whole = { filePath: 'a.txt', beforePath: 'a.txt', note: 'About all of it' };
  await browser.submit(`${address}?line=${file}`, whole);
  expect([browser.answer.status, alertsOn(browser.page)]).toEqual([303, []]);
  await browser.get(`${address}?line=${file}_10_10`);
  expect(browser.page).toMatch(new RegExp(`<tr id="${file}_10_10" class="apart">[\\s\\S]*Comment on line 10`));
  await browser.submit(`${address}?line=${file}_10_10`, {
    ...{ filePath: 'a.txt', fileLine: '10', lineType: 'new', note: 'About ten' },
  });
  await browser.get(address);
  expect(browser.page).toMatch(
    /<\/header>\s*<div class="talk">[\s\S]*whole file[\s\S]*About all of it[\s\S]*<table class="diff/,
  );
  expect(browser.page).toMatch(
    new RegExp(`<tr id="${file}_10_10" class="apart">[\\s\\S]*About ten[\\s\\S]*LINE</b> 30`),
  );
  const { body } = await world.api(owner).get(`/projects/${project.id}/repository/commits/${id}/discussions`);
  expect(body.map((one: { notes: { position: object }[] }) => one.notes[0]?.position)).toMatchObject([
    { position_type: 'file', new_path: 'a.txt', new_line: null },
    { position_type: 'text', new_path: 'a.txt', new_line: 10 },
  ]);
});
