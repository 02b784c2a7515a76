import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { diffAttributes } from '#src/git/diff/attributes.ts';
import { openRepository } from '#src/git/open.ts';
import { pairOf } from '../support/git_diff.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';

/** What this reads of a commit with the files, for paths that need not be there. */
async function read(files: Record<string, string>, paths: readonly string[]) {
  const changes = Object.entries(files).map(([name, content]) => ({ path: name, content }));
  const { directory, to } = pairOf([{ path: 'other', content: 'x\n' }], changes);
  return diffAttributes(await openRepository(directory), to, paths);
}

/** What git says of the same files in a working tree. */
function told(files: Record<string, string>, paths: readonly string[]): Map<string, [string, string]> {
  const place = scratch();
  execFileSync('git', ['init', '--quiet'], { cwd: place });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
    writeFileSync(path.join(place, name), content);
  }
  const args = ['check-attr', '-z', '--stdin', 'linguist-generated', 'diff'];
  const output = execFileSync('git', args, { cwd: place, input: `${paths.join('\0')}\0` });
  const words = output.toString().split('\0');
  const found = new Map<string, [string, string]>();
  for (const name of paths) {
    const own = words.flatMap((word, at) => (word === name && at % 3 === 0 ? [words[at + 2] ?? ''] : []));
    found.set(name, [own[0] ?? '', own[1] ?? '']);
  }
  return found;
}

const FILES = {
  '.gitattributes': [
    '# comment',
    '*.gen.ts linguist-generated',
    '  *.lock   linguist-generated=true -diff',
    '*.lock.md !diff linguist-generated=false',
    '/dist/** linguist-generated',
    'docs/**/out/*.html -diff',
    '**/deep.txt linguist-generated',
    '"with space.txt" -diff',
    '"\\303\\244.txt" linguist-generated',
    '*.png binary',
    '*.svg binary diff',
    'vendor/ -diff',
    '[attr]made linguist-generated -diff',
    '*.made made',
    '*.unmade -made',
    '!*.not -diff',
    '[a-c]?.x -diff',
    'sub/*.y linguist-generated',
    'one\ttwo linguist-generated',
    'a.txt diff=words',
    'crlf.txt -diff\r',
    '',
  ].join('\n'),
  'sub/.gitattributes':
    '*.gen.ts -linguist-generated\n*.png diff\n/top.z -diff\n[attr]late linguist-generated\n*.late late\n',
  'sub/below/.gitattributes': '*.gen.ts !linguist-generated\nx/** -diff\n',
};

const PATHS = [
  'a.gen.ts sub/a.gen.ts sub/below/a.gen.ts x/y/a.gen.ts package.lock a/b/c.lock a.lock.md dist/a dist/a/b.js dist',
  'x/dist/a docs/out/a.html docs/a/b/out/c.html docs/a/out/b/c.html deep.txt a/b/deep.txt a.png sub/a.png a.svg',
  'vendor/a vendor a.made a.unmade b.not ab.x zb.x a/cb.x abc.x sub/a.y sub/b/a.y a/sub/a.y one a.txt crlf.txt',
  'sub/top.z sub/x/top.z top.z sub/a.late sub/below/x/y sub/below/x/y/z sub/below/x README.md',
]
  .flatMap((line) => line.split(' '))
  .concat(['with space.txt', 'a/with space.txt', 'ä.txt', 'é.txt']);

it('attributes of files are those that git reads', async () => {
  const ours = await read(FILES, PATHS);
  const theirs = told(FILES, PATHS);
  const generated = { set: true, unset: false, true: true, false: false, unspecified: null };
  const wrong = PATHS.flatMap((name) => {
    const [isGenerated = '', diff = ''] = theirs.get(name) ?? [];
    const expected = {
      generated: generated[isGenerated as keyof typeof generated],
      suppressed: diff === 'unspecified' ? null : diff === 'unset',
    };
    const found = ours.get(name);
    return JSON.stringify(found) === JSON.stringify(expected) ? [] : [{ name, found, expected }];
  });
  expect(wrong).toEqual([]);
  // Both say something of most of them.
  expect(
    [...ours.values()].filter(({ generated, suppressed }) => generated !== null || suppressed !== null).length,
  ).toBeGreaterThan(20);
});

it('files that are too large, or have too many rules, say nothing, and nor do links', LONG, async () => {
  const rule = '*.a linguist-generated\n';
  expect((await read({ '.gitattributes': rule }, ['x.a'])).get('x.a')).toEqual({ generated: true, suppressed: null });
  expect((await read({ '.gitattributes': rule + '#'.repeat(300 * 1024) }, ['x.a'])).size).toBe(0);
  expect((await read({ '.gitattributes': rule.repeat(600) }, ['x.a'])).size).toBe(0);
  const long = `*.${'b'.repeat(3_000)} -diff\n`;
  expect((await read({ '.gitattributes': long + rule }, ['x.a'])).get('x.a')?.generated).toBe(true);
  const { directory, to } = pairOf(
    [{ path: 'other', content: 'x' }],
    [
      { path: '.gitattributes', content: 'rules', mode: '120000' },
      { path: 'rules', content: rule },
    ],
  );
  expect((await diffAttributes(await openRepository(directory), to, ['x.a'])).size).toBe(0);
});
