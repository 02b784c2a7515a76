import { autolinkAtStart, autolinksIn } from '#src/domain/tracking/markdown/autolinks.ts';
import { renderHtml } from '#src/domain/tracking/markdown/html.ts';
import { referencesIn } from '#src/domain/tracking/markdown/references.ts';
import { isProse } from '#src/domain/tracking/markdown/render.ts';
import { sanitize } from '#src/domain/tracking/markdown/sanitize.ts';
import { textOfHtml } from '#src/domain/tracking/markdown/text_of_html.ts';
import { requireHarmless } from '../harmless.ts';
import { holds, type Target } from '../target.ts';

const surroundings = {
  baseUrl: 'http://gantry.example',
  project: { url: 'http://gantry.example/group/project', defaultBranch: 'main' },
  images: true,
};
const links = new Map([
  ['#1', { type: 'issue', url: 'http://gantry.example/group/project/-/issues/1', title: 'a "b" <c>', id: 1 }],
  ['@ann', { type: 'user', url: 'http://gantry.example/ann', title: 'Ann', id: 2 }],
] as const);

const MARKDOWN = [
  '# Heading\n\nA [link](http://a.example "t") and ![image](b.png) `code` **b** _e_ ~~s~~\n\n- [ ] task\n- [x] done\n\n1. one\n   > quote\n',
  '| a | b |\n|:--|--:|\n| 1 | 2 |\n\n```js\nlet a = 1;\n```\n\n$`x^2`$ $$y$$\n\n```math\nz\n```\n\n[^1]: note\n\nText[^1] #1 @ann :tada: www.example.org\n',
  '> [!NOTE]\n> text\n\n[[_TOC_]]\n\n[[page|Title]]\n\n<details open><summary>a</summary>\n\n*b*\n\n</details>\n\n<script>alert(1)</script>\n',
  '<a href="javascript:alert(1)" onclick=x>a</a><img src=x onerror=alert(1)><svg><style><img title="</style><img src=x onerror=a>">',
  '[a]: <http://b> "c"\n\n[a] [a][] [x][a] ![a] <http://c.d> <e@f.g> &amp; &#x41; \\* \\<\n\n***\n\nSetext\n===\n\n    indented\n',
];

const WORDS = [
  ...[
    '# ',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '> ',
    '```',
    '~~~',
    '`',
    '*',
    '**',
    '_',
    '__',
    '~~',
    '[',
    '](',
    ')',
    '![',
    '](<',
    '"',
    '|',
    '|-|\n',
    ':--',
    '    ',
    '\t',
  ],
  ...[
    '[^1]',
    '[^1]: ',
    '^[',
    '$$',
    '$`',
    '`$',
    '[[',
    ']]',
    '[[_TOC_]]',
    '> [!NOTE]\n',
    '- [ ] ',
    '#1',
    '@ann',
    ':tada:',
    'http://',
    'www.',
    'a@b.c',
    '&lt;',
    '&#106;',
  ],
  ...[
    '<a href="',
    '<img src=',
    '<!--',
    '-->',
    '<![CDATA[',
    '<?',
    '<svg>',
    '<math>',
    '<style>',
    '<script>',
    '</',
    '/>',
    'javascript:',
    'data:text/html,',
    ' onerror=',
    ' style="',
    ' id="',
    '<details>',
    '<table>',
    '<textarea>',
    '<noscript>',
    '<template>',
    '<iframe srcdoc="',
    '\\',
    '  \n',
  ],
];

const PAIRS = [
  ['[', ']'],
  ['[', '](a)'],
  ['![', '](a)'],
  ['<b>', '</b>'],
  ['*', '*'],
  ['**', '**'],
  ['_', '_'],
  ['> ', '\n'],
  ['- ', '\n'],
  ['`', '`'],
  ['<a href="', '">'],
  ['<!--', '-->'],
  ['^[', ']'],
  ['(', ')'],
] as const;

const HTML = [
  '<p>a <b>b</b> <a href="http://c">d</a> <img src="e" alt="f"></p><ul><li>g</li></ul>',
  '<a href="javascript:alert(1)">x</a><a href=" &#106;avascript:a">y</a><a href="//evil">z</a>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<svg><p><style><g title="</style><img src=x onerror=alert(1)>"></svg><noscript><p title="</noscript><img src=x onerror=a>">',
  '<form action=x><input type=text><button formaction=javascript:a>b</button></form><table><td style="text-align:left">c',
];

/** An oracle for what comes out of the sanitiser: it is harmless, and another time changes nothing more. */
function requireClean(html: string, isFinal: boolean): void {
  requireHarmless(html);
  if (!isFinal) return;
  const again = sanitize(html, surroundings);
  requireHarmless(again);
  holds(sanitize(again, surroundings) === again, 'Sanitised HTML changes each time it is sanitised');
}

export const targets: Target[] = [
  ...(['gfm', 'commonmark', 'line'] as const).map(
    (flavour): Target => ({
      name: `markdown.${flavour}`,
      seeds: MARKDOWN,
      words: WORDS,
      pairs: PAIRS,
      // In a thread that may take a second.
      milliseconds: 500,
      megabytes: 190,
      read(input) {
        const text = input.toString();
        const html = renderHtml({ ...surroundings, text, flavour, links });
        if (html !== null) requireClean(html, false);
        if (isProse(text)) holds(!/[<>&]/.test(text), 'A text that counts as words has signs of HTML');
      },
    }),
  ),
  {
    name: 'markdown.wiki',
    seeds: MARKDOWN,
    words: WORDS,
    pairs: PAIRS,
    milliseconds: 500,
    read(input) {
      const wiki = { url: 'http://gantry.example/group/project/-/wikis', directory: 'a b' };
      const html = renderHtml({ ...surroundings, wiki, text: input.toString(), flavour: 'gfm', links });
      if (html !== null) requireClean(html, false);
    },
  },
  {
    name: 'markdown.sanitizer',
    seeds: HTML,
    words: WORDS.slice(25),
    pairs: PAIRS,
    milliseconds: 500,
    read: (input) => requireClean(sanitize(input.toString(), surroundings), true),
  },
  {
    name: 'markdown.notebook',
    seeds: [
      JSON.stringify({
        nbformat: 4,
        metadata: { kernelspec: { language: 'python' } },
        cells: [
          { cell_type: 'markdown', source: ['# a\n', 'b'] },
          { cell_type: 'code', source: 'print(1)', outputs: [{ output_type: 'stream', text: '\u001b[31mred' }] },
          {
            cell_type: 'code',
            source: '',
            outputs: [{ output_type: 'display_data', data: { 'text/html': '<b onclick=a>' } }],
          },
          {
            cell_type: 'code',
            source: '',
            outputs: [
              { output_type: 'error', traceback: ['a', 'b'] },
              { data: { 'image/png': 'AAAA', 'text/latex': '$x$' } },
            ],
          },
          { cell_type: 'raw', source: 'c' },
        ],
      }),
    ],
    words: [
      '"cells":',
      '"source":',
      '"outputs":',
      '"data":',
      '"text/html":',
      '"text/markdown":',
      '\\u001b[',
      '{',
      '[',
      ']',
      '}',
      ',',
    ],
    milliseconds: 500,
    read(input) {
      const html = renderHtml({ ...surroundings, text: input.toString(), flavour: 'notebook', links });
      if (html !== null) requireHarmless(html);
    },
  },
  {
    name: 'markdown.autolinks',
    seeds: ['see www.a.example/b_(c), http://x.y?z=1&amp; and m@n.o.', 'https://[::1]:80/a mailto:a@b.c xmpp:a@b/c'],
    words: ['www.', 'http://', 'https://', '@', '.', '_', '(', ')', '&amp;', ';', '*', '~', ',', '<'],
    read(input) {
      const text = input.toString();
      for (const { index, lastIndex } of autolinksIn(text))
        holds(index < lastIndex && lastIndex <= text.length, 'A link ends before it begins');
      autolinkAtStart(text);
    },
  },
  {
    name: 'markdown.references',
    seeds: ['#1 group/p!2 @ann ~bug ~"a b" %m %"n o" 0123abc group/p@0123abcd', 'PROJ-12 &3 $4 [vulnerability:5] a#1b'],
    words: ['#', '!', '@', '~', '~"', '%', '/', '.', '-', '0123abcdef', '"', ' ', '(', ')'],
    read: (input) => [...referencesIn(input.toString())],
  },
  {
    name: 'markdown.text_of_html',
    seeds: HTML,
    words: ['<p>', '</p>', '<br>', '<blockquote>', '<style>', '&amp;', '&#65;', '<!--', '-->', '<a href="'],
    pairs: [
      ['<div>', '</div>'],
      ['<blockquote>', '</blockquote>'],
      ['<ul><li>', '</li></ul>'],
    ],
    // In a thread with a limit of its own.
    milliseconds: 300,
    read: (input) => textOfHtml(input.toString()),
  },
];
