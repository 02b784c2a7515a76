import { expect, it } from 'vitest';
import { shownFiles } from '#pages/diff.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, filled, committed } = await startCommittingWorld();

/** The page of a commit that changes a file. */
async function changed(path: string, before: string, after: string) {
  const { project, at } = await filled([{ action: 'create', file_path: path, content: before }]);
  const { id } = await committed(at, [{ action: 'update', file_path: path, content: after }]);
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/commit/${id}`);
  return browser.page;
}

it('lines of a diff have the colours of their language, before and after, with what differs marked', async () => {
  const page = await changed('a.js', 'const one = "<b>";\nlet two = 2;\n', 'const one = "<i>";\nlet two = 2;\n');
  expect(page).toMatch(
    /<td class="u"><span class="hljs-keyword">let<\/span> two = <span class="hljs-number">2<\/span>/,
  );
  expect(page).toMatch(
    /<td class="r"><span class="hljs-keyword">const<\/span> one = <span class="hljs-string">&quot;&lt;<b>b<\/b>&gt;&quot;<\/span>;/,
  );
  expect(page).toMatch(/<td class="a">[^\n]*<b>i<\/b>&gt;&quot;<\/span>;/);
});

it('files of unknown languages are shown as text', LONG, async () => {
  const page = await changed('a.unknown', '<script>one</script>\n', '<script>two</script>\n');
  expect(page).toContain('<td class="r">&lt;script&gt;<b>one</b>&lt;/script&gt;</td>');
  expect(page).not.toContain('<script>two');
});

it('marks are put into coloured text by its characters, and no text of a carriage return is mistaken', () => {
  const line = (type: 'REMOVED' | 'ADDED', text: string, html: string | null) => ({
    ...{ type, text, html, noNewlineAtEnd: false },
    ...{ oldLine: type === 'REMOVED' ? 1 : null, newLine: type === 'ADDED' ? 1 : null },
  });
  const htmlOf = (before: string, after: string, html: string) => {
    const lines = [line('REMOVED', before, null), line('ADDED', after, html)];
    const file = {
      ...{ oldPath: 'a', newPath: 'a', oldMode: '100644', newMode: '100644', additions: 1, deletions: 1 },
      ...{
        newFile: false,
        deletedFile: false,
        renamedFile: false,
        binary: false,
        tooLarge: false,
        generatedFile: false,
        suppressed: false,
      },
      hunks: [{ header: '@@ -1 +1 @@', truncated: false, lines }],
    };
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
    const changes = { fileByFile: false, showsWhitespace: true, isSplit: false };
    const facts = { given: {}, changes, t: (text: string) => text };
    const [shown] = shownFiles({ totalCount: 1, overflow: false, pageInfo, nodes: [file] }, facts);
    return shown?.hunks[0]?.lines[1]?.html;
  };
  expect(htmlOf('x = a & b', 'x = c & d', '<i>x</i> = c &amp; <i>d</i>')).toBe(
    '<i>x</i> = <b>c &amp; </b><i><b>d</b></i>',
  );
  expect(htmlOf('x = a', 'x\r = b', '<i>x</i> = b')).toBe('x<b>\r = b</b>');
});
