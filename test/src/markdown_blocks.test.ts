import { describe, expect, it } from 'vitest';
import { renderHtml } from '#src/domain/tracking/markdown/html.ts';

const how = { links: new Map(), baseUrl: 'https://gantry.example', project: null, images: true };
const rendered = (text: string) => renderHtml({ ...how, text, flavour: 'gfm' }) ?? '';

describe('A quotation that begins with a kind in brackets', () => {
  it.each(['note', 'tip', 'important', 'warning', 'caution'])('is an alert: %s', (kind) => {
    const title = kind.charAt(0).toUpperCase() + kind.slice(1);
    for (const written of [kind, kind.toUpperCase()]) {
      expect(rendered(`> [!${written}]\n> Read *this*.`)).toBe(
        `<div class="markdown-alert markdown-alert-${kind}">\n` +
          `<p dir="auto" class="markdown-alert-title">${title}</p>\n<p dir="auto">Read <em>this</em>.</p>\n</div>`,
      );
    }
  });

  it('has a title of its own if there is one, and may hold others', () => {
    expect(rendered('> [!NOTE] Mind the *gap*\n> Between\n>\n> > [!TIP]\n> > Jump')).toBe(
      '<div class="markdown-alert markdown-alert-note">\n<p dir="auto" class="markdown-alert-title">Mind the <em>gap</em></p>\n' +
        '<p dir="auto">Between</p>\n<div class="markdown-alert markdown-alert-tip">\n' +
        '<p dir="auto" class="markdown-alert-title">Tip</p>\n<p dir="auto">Jump</p>\n</div>\n</div>',
    );
  });

  it('is a quotation where the kind is unknown, or something is before it', () => {
    for (const text of ['> [!HINT]\n> a', '> a\n> [!NOTE]', '> - [!NOTE]\n> a', '[!NOTE]\na']) {
      expect(rendered(text)).not.toContain('markdown-alert');
    }
  });
});

describe('A table of contents', () => {
  it('lists the headings by their depth, with links that lead to them', () => {
    const html = rendered('[[_TOC_]]\n\n# One\n\n### Deep `code`\n\n## Less\n\n# Two <b>x</b>\n\n[TOC]');
    expect(html.replace(/\n/g, '')).toMatch(
      /^<ul dir="auto" class="section-nav"><li><a href="#user-content-one">One<\/a><ul dir="auto"><li><a href="#user-content-deep-code">Deep code<\/a><\/li><\/ul><ul dir="auto"><li><a href="#user-content-less">Less<\/a><\/li><\/ul><\/li><li><a href="#user-content-two-x">Two x<\/a><\/li><\/ul><h1/,
    );
    for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(html).toContain(`id="${id}"`);
    // One table is enough.
    expect(html).toContain('<p dir="auto">[TOC]</p>');
  });

  it('is nothing where there are no headings, and needs a paragraph of its own', () => {
    expect(rendered('[TOC]')).toBe('');
    expect(rendered('# A\n\nSee [TOC]')).toContain('See [TOC]');
    expect(rendered('# A\n\n- [TOC]')).toContain('section-nav');
  });
});

describe('Formulas', () => {
  it.each([
    ['$a^2$', '<code class="math">a^2</code>'],
    ['$`a<b`$', '<code class="math">a&lt;b</code>'],
    ['$$\\sum_i a_i$$', '<code class="math math-display">\\sum_i a_i</code>'],
    ['so $x*y*z$, and', 'so <code class="math">x*y*z</code>, and'],
  ])('are kept as they are written: %s', (text, html) => {
    expect(rendered(text)).toBe(`<p dir="auto">${html}</p>`);
  });

  it('are blocks of code in the language math', () => {
    expect(rendered('```math\na < b\n```')).toBe('<pre><code class="language-math">a &lt; b\n</code></pre>');
  });

  it.each(['$5 and $6', '$HOME/$USER', 'US$5$', '\\$a$', '$ a $', '$$', '$a\\$', 'a$b$c', '$a$1'])(
    'are no amounts or variables: %s',
    (text) => expect(rendered(text)).not.toContain('math'),
  );
});

describe('A notebook', () => {
  const shown = (notebook: object) => renderHtml({ ...how, text: JSON.stringify(notebook), flavour: 'notebook' });
  const of = (...cells: object[]) => shown({ nbformat: 4, metadata: { language_info: { name: 'python' } }, cells });
  const output = (data: object) =>
    of({ cell_type: 'code', source: 'a', outputs: [{ output_type: 'display_data', data }] });

  it('shows its texts as Markdown, its code in colours, and what was printed', () => {
    const html = of(
      { cell_type: 'markdown', source: ['# Title\n', 'and **more**'] },
      {
        cell_type: 'code',
        source: 'def f(): return 1',
        outputs: [
          { output_type: 'stream', text: ['one\n', 'two < three'] },
          { output_type: 'error', traceback: ['\u001b[0;31mValueError\u001b[0m: no'] },
        ],
      },
      { cell_type: 'raw', source: '<b>raw</b>' },
    );
    expect(html).toContain('<h1 dir="auto" id="user-content-title">Title</h1>');
    expect(html).toContain('<strong>more</strong>');
    expect(html).toContain('<span class="hljs-keyword">def</span>');
    expect(html).toContain('<pre>one\ntwo &#60; three</pre>');
    expect(html).toContain('<pre>ValueError: no</pre>');
    expect(html).toContain('<pre>&#60;b&#62;raw&#60;/b&#62;</pre>');
  });

  it('shows images and tables of outputs, and nothing that runs', () => {
    expect(output({ 'image/png': 'iVBORw0K\nGgo=', 'text/plain': 'figure' })).toContain(
      '<img src="data:image/png;base64,iVBORw0KGgo=" alt="">',
    );
    expect(output({ 'text/html': '<table onclick="a()"><tr><td>1</td></tr></table><script>b()</script>' })).toContain(
      '<table dir="auto"><tr><td>1</td></tr></table>',
    );
    for (const data of [
      { 'image/png': '"><script>b()</script>' },
      { 'image/svg+xml': '<svg onload="b()"/>' },
      { 'text/html': '<img src="x" onerror="b()"><iframe srcdoc="b()"></iframe><style>*{}</style>' },
      { 'application/javascript': 'b()' },
    ]) {
      expect(output(data)).not.toMatch(/b\(\)|<style|<svg/);
    }
  });

  it('is none if it is not JSON of that form', () => {
    expect(renderHtml({ ...how, text: 'not json', flavour: 'notebook' })).toBeNull();
    for (const other of [{}, [], { nbformat: 3, cells: [] }, { nbformat: 4, cells: {} }])
      expect(shown(other)).toBeNull();
  });

  it('leaves out what is odd, and is cut where it is long', () => {
    expect(of({ cell_type: 'code', source: 5, outputs: 'x' }, [] as never, null as never, { cell_type: 'x' })).toBe(
      '<div class="notebook-cell"></div>',
    );
    const many = of(...Array.from({ length: 600 }, () => ({ cell_type: 'raw', source: 'a' }))) ?? '';
    expect(many.match(/notebook-cell/g)).toHaveLength(500);
    expect(many).toMatch(/<p>…<\/p>$/);
    const long = of({ cell_type: 'raw', source: 'a'.repeat(30_000) }) ?? '';
    expect(long).toContain(`${'a'.repeat(20_000)}…</pre>`);
  });
});
