import { expect, it } from 'vitest';
import { hunksOf } from '#src/git/diff/hunks.ts';

const PATCH = `--- a/a
+++ b/a
@@ -1,2 +1,2 @@ first
 same
-old
+new
@@ -10 +10,2 @@
-@@ -1 +1 @@
\\ No newline at end of file
+x
+y
`;

it('gives the lines of a patch by hunks, whatever the lines look like', () => {
  expect(hunksOf(PATCH, 100)).toMatchObject([
    {
      header: '@@ -1,2 +1,2 @@ first',
      truncated: false,
      lines: [
        { type: 'unchanged', oldLine: 1, newLine: 1, text: 'same', isUnterminated: false },
        { type: 'removed', oldLine: 2, newLine: null, text: 'old' },
        { type: 'added', oldLine: null, newLine: 2, text: 'new' },
      ],
    },
    {
      header: '@@ -10 +10,2 @@',
      lines: [
        { type: 'removed', oldLine: 10, text: '@@ -1 +1 @@', isUnterminated: true },
        { newLine: 10, text: 'x', isUnterminated: false },
        { newLine: 11, text: 'y' },
      ],
    },
  ]);
});

it('stops at the number of lines that was asked for, and says so', () => {
  const hunks = hunksOf(PATCH, 4);
  expect(hunks.map(({ lines }) => lines.length)).toEqual([3, 1]);
  expect(hunks.map(({ truncated }) => truncated)).toEqual([false, true]);
  expect(hunksOf(PATCH, 3).map(({ truncated }) => truncated)).toEqual([true]);
  expect(hunksOf(PATCH, 6).map(({ truncated }) => truncated)).toEqual([false, false]);
});

it('cuts very long lines', () => {
  const [hunk] = hunksOf(`@@ -0,0 +1 @@\n+${'x'.repeat(5_000)}\n`, 10);
  expect(hunk?.lines[0]?.text).toHaveLength(1_000);
});
