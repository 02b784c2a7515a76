import type { MarkdownIt as Parser, StateCore, StateInline, Token } from 'markdown-it';

/** Kinds of alerts, which are quotations that begin with `[!NOTE]` and the like, and their titles. */
const ALERTS: Readonly<Record<string, string>> = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
};

const ALERT = /^\[!(note|tip|important|warning|caution)\](?:[ \t]+(\S[^\n]*))?(?:\n|$)/i;

/** Makes alerts of quotations whose first line says so. What else is on that line is the title of the alert. */
export function makeAlerts(state: StateCore): void {
  const made: Token[] = [];
  const quotations: Token[] = [];
  for (let at = 0; at < state.tokens.length; at++) {
    const token = state.tokens[at] as Token;
    made.push(token);
    if (token.type === 'blockquote_close') token.tag = quotations.pop()?.tag ?? token.tag;
    if (token.type !== 'blockquote_open') continue;
    quotations.push(token);
    const [paragraph, first] = state.tokens.slice(at + 1, at + 3);
    if (paragraph?.type !== 'paragraph_open' || first?.type !== 'inline') continue;
    const [line, kind = '', title] = ALERT.exec(first.content) ?? [];
    if (line === undefined) continue;
    const name = kind.toLowerCase();
    token.tag = 'div';
    token.attrSet('class', `markdown-alert markdown-alert-${name}`);
    made.push(...titleOf(title ?? ALERTS[name] ?? '', first, state));
    first.content = first.content.slice(line.length);
    // A title alone leaves no paragraph behind it.
    if (first.content === '') at += 3;
  }
  state.tokens = made;
}

function titleOf(content: string, { level, map }: Token, { Token: Made }: StateCore): Token[] {
  const opening = Object.assign(new Made('paragraph_open', 'p', 1), { block: true, level: level - 1, map });
  opening.attrSet('class', 'markdown-alert-title');
  const text = Object.assign(new Made('inline', '', 0), { block: true, content, children: [], level, map });
  const closing = Object.assign(new Made('paragraph_close', 'p', -1), { block: true, level: level - 1 });
  return [opening, text, closing];
}

/** Headings that a table of contents lists. */
const MAX_HEADINGS = 500;

const CONTENTS = /^\[(?:\[_TOC_\]|TOC)\]$/i;

/** The first paragraph that is `[[_TOC_]]` or `[TOC]` becomes a list of the headings, which have their IDs already. */
export function makeContents(state: StateCore): void {
  const { tokens } = state;
  const at = tokens.findIndex(({ type, content }) => type === 'inline' && CONTENTS.test(content));
  if (at < 1 || tokens[at - 1]?.type !== 'paragraph_open') return;
  const headings = tokens.flatMap((token, index) => {
    const id = token.type === 'heading_open' ? token.attrGet('id') : null;
    return id === null ? [] : [{ depth: Number(token.tag.slice(1)), id: String(id), text: textOf(tokens[index + 1]) }];
  });
  tokens.splice(at - 1, 3, ...listOf(headings.slice(0, MAX_HEADINGS), state));
}

/** What is read of the text of a heading. */
export function textOf(heading: Token | undefined): string {
  const words = (heading?.children ?? []).filter(({ type }) => type === 'text' || type === 'code_inline');
  return words.map(({ content }) => content).join('');
}

function listOf(headings: readonly { depth: number; id: string; text: string }[], { Token: Made }: StateCore): Token[] {
  const made: Token[] = [];
  const open: number[] = [];
  const add = (type: string, tag: string, nesting: -1 | 0 | 1) => {
    const token = Object.assign(new Made(type, tag, nesting), { block: true });
    made.push(token);
    return token;
  };
  const close = () => {
    open.pop();
    add('list_item_close', 'li', -1);
    add('bullet_list_close', 'ul', -1);
  };
  for (const { depth, id, text } of headings) {
    while (open.length > 1 && depth < (open.at(-1) ?? 0)) close();
    if (open.length === 0 || depth > (open.at(-1) ?? 0)) {
      const list = add('bullet_list_open', 'ul', 1);
      if (open.length === 0) list.attrSet('class', 'section-nav');
      open.push(depth);
    } else {
      add('list_item_close', 'li', -1);
    }
    add('list_item_open', 'li', 1);
    const line = add('inline', '', 0);
    const link = new Made('link_open', 'a', 1);
    link.attrSet('href', `#${id}`);
    line.children = [link, Object.assign(new Made('text', '', 0), { content: text }), new Made('link_close', 'a', -1)];
  }
  while (open.length > 0) close();
  return made;
}

/** Characters of a formula in a line. */
const MAX_FORMULA_LENGTH = 1_000;

const WORD = /[\p{L}\p{N}\\$]/u;

/** Adds formulas in the notation of TeX to lines: `$a^2$`, `` $`a^2`$ `` and, for one by itself, `$$a^2$$`. */
export function formulas(parser: Parser): void {
  parser.inline.ruler.before('escape', 'formula', readFormula);
  parser.renderer.rules.formula = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {};
    return `<code class="${info}">${parser.utils.escapeHtml(content)}</code>`;
  };
}

function readFormula(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '$' || (pos > 0 && WORD.test(src[pos - 1] ?? ''))) return false;
  const [opening, closing] = src[pos + 1] === '`' ? ['$`', '`$'] : src[pos + 1] === '$' ? ['$$', '$$'] : ['$', '$'];
  const begin = pos + opening.length;
  const length = src.slice(begin, Math.min(state.posMax, begin + MAX_FORMULA_LENGTH)).indexOf(closing);
  const content = src.slice(begin, begin + length);
  if (length < 1 || content.trim() === '') return false;
  const end = begin + length + closing.length;
  // What costs $5 and $6 is no formula, nor is what follows $HOME.
  if (opening === '$' && (/^\s|\s$|\\$/.test(content) || WORD.test(src[end] ?? ''))) return false;
  if (!silent) {
    const token = state.push('formula', 'code', 0);
    Object.assign(token, { content, info: opening === '$$' ? 'math math-display' : 'math' });
  }
  state.pos = end;
  return true;
}
