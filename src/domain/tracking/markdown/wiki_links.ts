import type { StateInline } from 'markdown-it';

/** Characters of the longest link. */
const MAX_LINK_LENGTH = 500;

const LINK = /\[\[([^[\]|\n]+)(?:\|([^[\]|\n]+))?\]\]/y;

/** Where the table of contents is to be: pages show it beside the text. */
const CONTENTS = '_TOC_';

/** `[[Page]]` and `[[what is shown|Page]]`, in pages of wikis alone: links to a page by its title, from the root of the wiki. */
export function readWikiLink(state: StateInline, silent: boolean): boolean {
  if (!state.env.wiki || !state.src.startsWith('[[', state.pos)) return false;
  LINK.lastIndex = state.pos;
  const [whole, first = '', second] = LINK.exec(state.src.slice(0, state.pos + MAX_LINK_LENGTH)) ?? [];
  if (whole === undefined || state.pos + whole.length > state.posMax) return false;
  if (!silent && first !== CONTENTS) {
    const [shown, target] = [first, second ?? first].map((part) => part.trim());
    const [page = '', anchor] = (target ?? '').split(/#(.*)/s);
    const href = `/${page.trim().split(/\s+/).join('-').split('/').map(encodeURIComponent).join('/')}`;
    state.push('link_open', 'a', 1).attrSet('href', anchor === undefined ? href : `${href}#${anchor}`);
    state.push('text', '', 0).content = shown ?? '';
    state.push('link_close', 'a', -1);
  }
  state.pos += whole.length;
  return true;
}
