import { describe, expect, it } from 'vitest';
import { autolinksIn } from '#src/domain/tracking/markdown/autolinks.ts';
import { renderHtml } from '#src/domain/tracking/markdown/html.ts';

const rendered = (text: string, flavour: 'gfm' | 'commonmark' = 'gfm') =>
  renderHtml({ text, flavour, links: new Map(), baseUrl: 'https://gantry.example', project: null, images: true }) ?? '';

/** What a text shows: without tags, and with characters for their references. */
const shown = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** The texts and addresses of the links in a text. */
const linksOf = (text: string) =>
  [...rendered(text).matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, href, said]) => [
    shown(said ?? ''),
    href,
  ]);

const NINE = ['title', 'textarea', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'script', 'plaintext'];

describe('Tags that would hide the rest of a text', () => {
  it.each(NINE)('are text, and so is what they surround: <%s>', (tag) => {
    for (const flavour of ['gfm', 'commonmark'] as const) {
      for (const text of [
        `Use <${tag}> before **it**`,
        `<${tag}>\n\n**b** and more`,
        `<${tag.toUpperCase()} class="a">b</${tag}>`,
        `<div>\n<${tag}/x>b\n</div>`,
        `> - <${tag}\n>   id="a">`,
      ]) {
        const said = shown(rendered(text, flavour)).replaceAll('**', '').trim().replace(/\s+/g, ' ');
        expect(said).toBe(
          text
            .replace(/<\/?div>|\*\*|^> - |\n> {2}/g, '')
            .trim()
            .replace(/\s+/g, ' '),
        );
      }
      expect(rendered(`a <${tag}>\n\n**b**`, flavour)).toContain('<strong>b</strong>');
    }
  });

  it('are those nine alone: others are tags, and none of them takes the text that it surrounds', () => {
    expect(rendered('<titles>a</titles> <b>b</b>')).toBe('<p dir="auto">a <b>b</b></p>');
    expect(rendered('a <select><option>b</option></select> c')).toBe('<p dir="auto">a b c</p>');
    expect(rendered('a <option> *b*')).toBe('<p dir="auto">a  <em>b</em></p>');
  });
});

describe('Addresses of links', () => {
  it.each([
    'tel:+49-30-123456',
    'ssh://git@example.org:22/a.git',
    'vscode://file/a/b.ts:3',
    'irc://irc.example.org/channel',
    'matrix:r/room:example.org',
    'ftp://ftp.example.org/a',
    'xmpp:ann@example.org',
    'sms:+4930123456',
    'git://example.org/a.git',
    'mailto:ann@example.org',
    'https://example.org/a',
  ])('are kept: %s', (address) => {
    for (const text of [`[a](${address})`, `<a href="${address}">a</a>`, `[a]\n\n[a]: ${address}`]) {
      for (const flavour of ['gfm', 'commonmark'] as const) {
        expect(rendered(text, flavour)).toMatch(new RegExp(`<a href="${address.replace(/[+.]/g, '\\$&')}"[^>]*>a</a>`));
      }
    }
    expect(rendered(`<${address}>`)).toContain(`href="${address}"`);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,a',
    'vbscript:a',
    'file:///etc/passwd',
    'blob:a',
    'view-source:a',
    'ftp:a',
    'jar:a',
  ])('are dropped: %s', (address) => {
    for (const text of [`[a](${address})`, `<a href="${address}">a</a>`, `<${address}>`, address]) {
      expect(rendered(text)).not.toMatch(/<a [^>]*href/);
    }
  });

  it('of images are those of the web alone', () => {
    for (const address of ['ftp://example.org/a.png', 'vscode://a', 'tel:1'])
      expect(rendered(`![a](${address})`)).toBe('<p dir="auto"><img alt="a" /></p>');
  });
});

const www = (address: string) => [address, `http://${address}`];
const same = (address: string) => [address, address];
const mail = (address: string) => [address, `mailto:${address}`];

/** A text, and its links by the rules of GFM for autolinks without marks. */
const AUTOLINKS: [string, string[][]][] = [
  ['www.example.org', [www('www.example.org')]],
  ['See www.example.org/a/b?c=d for it.', [www('www.example.org/a/b?c=d')]],
  ['*www.example.org* (www.example.net)', [www('www.example.org'), www('www.example.net')]],
  ['WWW.example.org', [www('WWW.example.org')]],
  ['notwww.example.org, a/www.example.org and www. alone', []],
  ['www.exa_mple.org', []],
  ['www.example_a.b.org', [www('www.example_a.b.org')]],
  ['www.example.org. www.example.org/c.d.', [www('www.example.org'), www('www.example.org/c.d')]],
  ['www.example.org/a?! www.example.org/b:,', [www('www.example.org/a'), www('www.example.org/b')]],
  ['www.example.org/a_(b)', [www('www.example.org/a_(b)')]],
  ['(www.example.org/a_(b))', [www('www.example.org/a_(b)')]],
  ['www.example.org/a_(b)))', [www('www.example.org/a_(b)')]],
  ['www.example.org/(a))+b', [www('www.example.org/(a))+b')]],
  ['www.example.org/?a=b&c=d', [['www.example.org/?a=b&c=d', 'http://www.example.org/?a=b&amp;c=d']]],
  ['www.example.org/?a=b&nothing;', [www('www.example.org/?a=b')]],
  ['www.example.org/a<b', [www('www.example.org/a')]],
  ['http://example.org and https://example.org/a', [same('http://example.org'), same('https://example.org/a')]],
  ['ftp://ftp.example.org/a', [same('ftp://ftp.example.org/a')]],
  ['(See https://example.org/a?b=c+(d))', [same('https://example.org/a?b=c+(d)')]],
  ['http://localhost:8080/a', [same('http://localhost:8080/a')]],
  ['http:// and https://.', []],
  ['xhttp://example.org', []],
  [
    '{"url":"https://example.org/a","b":1} [https://example.org/b]',
    [same('https://example.org/a'), same('https://example.org/b')],
  ],
  ['ann@example.org', [mail('ann@example.org')]],
  ['ann+x@example.org is one, ann@exa+mple.org and ann@example are none', [mail('ann+x@example.org')]],
  ['a.b-c_d@e.f', [mail('a.b-c_d@e.f')]],
  ['Write to a.b-c_d@e.f.', [mail('a.b-c_d@e.f')]],
  ['a.b-c_d@e.f- a.b-c_d@e.f_', []],
  ['react@18.2.0 and @ann', []],
  ['mailto:ann@example.org', [same('mailto:ann@example.org')]],
  ['mailto:ann@example.org/a', [same('mailto:ann@example.org')]],
  ['xmpp:ann@example.org/a@b.', [same('xmpp:ann@example.org/a@b')]],
  ['mailto:ann and xmpp:', []],
  ['`www.example.org` \\www.example.org', []],
  [`www.${'a'.repeat(256)} https://${'a.'.repeat(128)}org`, []],
];

describe('Addresses without marks', () => {
  it.each(AUTOLINKS)('are links as in GFM: %s', (text, links) => {
    expect(linksOf(text)).toEqual(links);
  });

  it('are none within other links', () => {
    expect(rendered('[www.example.org](https://example.net)').match(/<a /g)).toHaveLength(1);
    expect(rendered('<a href="https://example.net">ann@example.org</a>').match(/<a /g)).toHaveLength(1);
  });

  it('are found in time by the length of the text', () => {
    for (const piece of [
      'www.',
      'http://',
      'a@',
      'mailto:',
      'xmpp:a@',
      '&a',
      ';',
      'www.a.b)',
      '_.',
      ' www.a',
      '(www.a',
      '(',
      'a.',
    ])
      autolinksIn(piece.repeat(131_072 / piece.length));
  });
});
