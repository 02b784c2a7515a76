import { createHash } from 'node:crypto';
import { nameToEmoji } from 'gemoji';
import highlighter from 'highlight.js/lib/common';
import MarkdownIt, { type MarkdownIt as Parser, type StateCore, type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { autolinkAtStart, autolinksIn } from '#src/domain/tracking/markdown/autolinks.ts';
import { formulas, makeAlerts, makeContents, textOf } from '#src/domain/tracking/markdown/blocks.ts';
import { notebookHtml } from '#src/domain/tracking/markdown/notebook.ts';
import { referencesIn } from '#src/domain/tracking/markdown/references.ts';
import { type Surroundings, sanitize } from '#src/domain/tracking/markdown/sanitize.ts';
import { readWikiLink } from '#src/domain/tracking/markdown/wiki_links.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';

/** What a reference leads to. */
export interface Link {
  type: 'issue' | 'merge_request' | 'user' | 'group' | 'label' | 'milestone' | 'commit' | 'external_issue';
  url: string;
  /** Shown for the link where there is a pointer. */
  title: string;
  /** Numeric ID of the record; null for commits and what is elsewhere. */
  id: number | null;
  /** Shown in place of what is written. */
  text?: string;
}

/** A text to be rendered. */
export interface Rendering extends Surroundings {
  text: string;
  /**
   * `commonmark` has tables as well; `gfm` is all that descriptions and comments can have; `line` is text with references and emoji;
   * `notebook` is a Jupyter notebook, whose texts are `gfm`.
   */
  flavour: 'commonmark' | 'gfm' | 'line' | 'notebook';
  /** What the references in the text lead to, by how they are written; others stay text. */
  links: ReadonlyMap<string, Link>;
}

/** Characters of HTML that a text may become: many links may share one long address. */
const MAX_HTML_LENGTH = 1024 * 1024;
/** Characters of a block of code that is highlighted: others are shown without. */
const MAX_HIGHLIGHTED_LENGTH = 32_768;
/** Quotations and lists within each other. */
const maxNesting = 50;

const parsers = { commonmark: commonmark(), gfm: gfm(), line: line() };

/** The sanitised HTML of a text; null if it would be too large, or is no notebook. Takes long for some texts: for a thread. */
export function renderHtml(rendering: Rendering): string | null {
  const { text, flavour, links, wiki } = rendering;
  if (flavour === 'notebook') {
    return notebookHtml(text, {
      markdown: (part) => renderHtml({ ...rendering, text: part, flavour: 'gfm' }),
      html: (part) => sanitize(part, rendering),
      code: (part, language) => highlight(part, language) || escapeHtml(part),
    });
  }
  const parser = parsers[flavour];
  const env = { links, wiki, docId: createHash('sha256').update(text).digest('hex').slice(0, 8) };
  const tokens = flavour === 'line' ? parser.parseInline(text, env) : parser.parse(text, env);
  if (sizeOf(tokens) > MAX_HTML_LENGTH) return null;
  const raw = parser.renderer.render(tokens, parser.options, env);
  if (raw.length > MAX_HTML_LENGTH) return null;
  const html = sanitize(raw, rendering).trimEnd().toWellFormed();
  return html.length > MAX_HTML_LENGTH ? null : html;
}

function commonmark(): Parser {
  const parser = new MarkdownIt('commonmark', { maxNesting }).enable('table');
  parser.core.ruler.push('disallowed_html', makeDisallowedText);
  return parser;
}

function gfm(): Parser {
  const parser = new MarkdownIt('default', { html: true, linkify: true, maxNesting, highlight })
    .use(footnotes)
    .use(formulas);
  Object.assign(parser.linkify, {
    test: (text: string) => /[:@]|www\./i.test(text),
    match: autolinksIn,
    matchAtStart: autolinkAtStart,
  });
  parser.core.ruler.after('block', 'alerts', makeAlerts);
  parser.core.ruler.push('disallowed_html', makeDisallowedText);
  parser.inline.ruler.before('link', 'wiki_link', readWikiLink);
  parser.core.ruler.before('linkify', 'task_lists', makeTaskLists);
  parser.core.ruler.push('head_cells', makeEmptyHeadsCells);
  parser.core.ruler.after('linkify', 'references', makeLinks);
  parser.core.ruler.push('anchors', makeAnchors);
  parser.core.ruler.push('contents', makeContents);
  return parser;
}

/** The tags of HTML that change how all that follows is read, wherever they stand. */
const DISALLOWED = /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)(?:[\s/>]|$))/gi;

/** GFM's disallowed raw HTML is text, so that it hides nothing of what is behind it. */
function makeDisallowedText({ tokens }: StateCore): void {
  for (const token of tokens) {
    for (const part of [token, ...(token.children ?? [])]) {
      if (part.type === 'html_block' || part.type === 'html_inline') {
        part.content = part.content.replace(DISALLOWED, '&lt;');
      }
    }
  }
}

function line(): Parser {
  const parser = new MarkdownIt('zero');
  parser.core.ruler.after('inline', 'references', makeLinks);
  return parser;
}

/** About the length of the HTML of tokens, which may share long texts. */
function sizeOf(tokens: readonly Token[]): number {
  let size = 0;
  for (const { content, attrs, children } of tokens) {
    size += content.length;
    for (const [, value] of attrs ?? []) size += String(value).length;
    if (children) size += sizeOf(children);
    if (size > MAX_HTML_LENGTH) break;
  }
  return size;
}

function highlight(code: string, language: string): string {
  if (code.length > MAX_HIGHLIGHTED_LENGTH || !highlighter.getLanguage(language)) return '';
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}

/** Items of lists that begin with `[ ]` or `[x]` get a box. */
function makeTaskLists({ tokens, Token, md }: StateCore): void {
  const lists: Token[] = [];
  for (const [at, token] of tokens.entries()) {
    if (/^(bullet|ordered)_list_open$/.test(token.type)) lists.push(token);
    if (/^(bullet|ordered)_list_close$/.test(token.type)) lists.pop();
    const item = tokens[at - 2];
    const [first] = token.children ?? [];
    if (token.type !== 'inline' || item?.type !== 'list_item_open' || first?.type !== 'text') continue;
    const [box, mark] = /^\[([ xX])\](?=[ \t])/.exec(first.content) ?? [];
    if (box === undefined) continue;
    first.content = first.content.slice(box.length);
    const input = new Token('html_inline', '', 0);
    const name = md.utils.escapeHtml(nameOf(token.children ?? []));
    const checked = mark === ' ' ? '' : ' checked';
    input.content = `<input type="checkbox" class="task-list-item-checkbox" aria-label="${name}" disabled${checked}>`;
    token.children?.unshift(input);
    item.attrSet('class', 'task-list-item');
    lists.at(-1)?.attrSet('class', 'task-list');
  }
}

/** Characters of the text of a task by which its box is called. */
const MAX_NAME_LENGTH = 100;

function nameOf(tokens: readonly Token[]): string {
  return tokens
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();
}

/** Heads of tables with nothing in them are no heads. */
function makeEmptyHeadsCells({ tokens }: StateCore): void {
  for (const [at, token] of tokens.entries()) {
    const [text, end] = tokens.slice(at + 1, at + 3);
    if (token.type !== 'th_open' || text?.content !== '' || end?.type !== 'th_close') continue;
    token.tag = 'td';
    end.tag = 'td';
  }
}

/** References that lead somewhere become links, and names of emoji become emoji; both in text alone. */
function makeLinks({ tokens, env, Token }: StateCore): void {
  const links = env.links as Rendering['links'];
  for (const token of tokens) {
    if (token.type !== 'inline' || !token.children) continue;
    let within = 0;
    token.children = token.children.flatMap((child) => {
      if (child.type === 'link_open' || (child.type === 'html_inline' && /^<a[\s>]/i.test(child.content))) within++;
      if (child.type === 'link_close' || (child.type === 'html_inline' && /^<\/a/i.test(child.content))) within--;
      return child.type === 'text' ? linked(child, within > 0 ? new Map() : links, Token) : [child];
    });
  }
}

function linked({ content, level }: Token, links: Rendering['links'], Made: typeof Token): Token[] {
  const made: Token[] = [];
  const add = (type: string, nesting: -1 | 0 | 1, set: Partial<Token>) =>
    made.push(Object.assign(new Made(type, nesting === 0 ? '' : 'a', nesting), { level, ...set }));
  let end = 0;
  for (const { written, index } of links.size === 0 ? [] : referencesIn(content)) {
    const link = links.get(written);
    if (!link) continue;
    const { type, url, title, id, text = written } = link;
    if (index > end) add('text', 0, { content: withEmoji(content.slice(end, index)) });
    const attrs: [string, string][] = [
      ['href', url],
      ['class', `gfm gfm-${type}`],
      ['title', title],
      ['data-reference-type', type],
      ...(id === null ? [] : [['data-id', String(id)] as [string, string]]),
    ];
    add('link_open', 1, { attrs });
    add('text', 0, { content: text });
    add('link_close', -1, {});
    end = index + written.length;
  }
  if (end < content.length) add('text', 0, { content: withEmoji(content.slice(end)) });
  return made;
}

function withEmoji(text: string): string {
  return text.replace(/:([a-z0-9_+-]{1,50}):/g, (written, name) =>
    Object.hasOwn(nameToEmoji, name) ? (nameToEmoji[name] ?? written) : written,
  );
}

/** Headings get an ID of their words, so that links lead to them. */
function makeAnchors({ tokens }: StateCore): void {
  const taken = new Map<string, number>();
  for (const [at, heading] of tokens.entries()) {
    if (heading.type !== 'heading_open') continue;
    const id = textOf(tokens[at + 1])
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\s-]/gu, '')
      .replace(/\s/g, '-');
    if (id === '') continue;
    const before = taken.get(id) ?? 0;
    taken.set(id, before + 1);
    heading.attrSet('id', before === 0 ? id : `${id}-${before}`);
  }
}
