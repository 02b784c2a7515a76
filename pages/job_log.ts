import { AnsiLines } from '#pages/engine/ansi.ts';
import { escaped, seconds } from '#pages/engine/helpers.ts';

/** Lines of a log, the first of which has that number. */
interface Lines {
  firstLine: number;
  content: string;
}

/** The marks with which runners begin and end a section: when, its name, and options such as `collapsed=true`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences follow the marks.
const MARKS = /section_(start|end):(\d{1,12}):([\w.-]{1,200})(\[[^\]\r\n]{0,200}\])?\r?(?:\x1b\[0K)?/g;

/** What runners write where a line has nothing but a mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences may stand there.
const NOTHING = /^(?:\s|\x1b\[[\d;]{0,16}[mK])*$/;

/** Sections within each other that fold. */
const MAX_SECTION_DEPTH = 10;

interface Section {
  name: string;
  begun: number;
  /** In seconds; null for one that goes on. */
  length: number | null;
  isFolded: boolean;
}

/** What stands in the log, in order: a line; a line with a mark alone, which is not shown; that a section begins with the next line, or has ended. */
type Piece = { text: string } | { begins: Section } | 'ends' | 'mark';

/**
 * The lines of a log as HTML: each has its number, by which it can be linked to (`#L12`), and its colors; sections fold, with their
 * first lines as titles. All text is escaped.
 */
export function logHtml({ firstLine, content }: Lines): string {
  const ansi = new AnsiLines();
  const parts: string[] = [];
  let number = firstLine;
  let title: Section | null = null;
  for (const piece of piecesOf(content)) {
    if (piece === 'ends') parts.push('</details>');
    else if (piece === 'mark') number += 1;
    else if ('begins' in piece) title = piece.begins;
    else {
      const html = ansi.html(piece.text);
      if (title) parts.push(`${opening(title)}<summary>${titleHtml(number, html)}${lasted(title)}</summary>`);
      else parts.push(lineHtml(number, html));
      title = null;
      number += 1;
    }
  }
  return parts.join('');
}

function lineHtml(number: number, html: string): string {
  return `<span class="line" id="L${number}"><a href="#L${number}">${number}</a><span>${html}</span></span>`;
}

/** The first line of a section, which is what folds it: it can hold no link. */
function titleHtml(number: number, html: string): string {
  return `<span class="line" id="L${number}"><span>${number}</span><span>${html}</span></span>`;
}

const opening = ({ isFolded }: Section) => `<details class="log-section"${isFolded ? '' : ' open'}>`;

function lasted({ length }: Section): string {
  return length === null ? '' : `<span class="log-length">${escaped(seconds(length))}</span>`;
}

/** Lines without the marks in them, which begin and end sections: each that begins has a line, and ends. */
function piecesOf(content: string): Piece[] {
  const pieces: Piece[] = [];
  const open: Section[] = [];
  const lines = (content.endsWith('\n') ? content.slice(0, -1) : content).split('\n');
  let begins: Section | null = null;
  for (const line of content === '' ? [] : lines) {
    let isMarked = false;
    for (const [, kind, time, name = '', options] of line.matchAll(MARKS)) {
      isMarked = true;
      if (kind === 'end') {
        const at = open.findLastIndex((section) => section.name === name);
        if (at < 0) continue;
        for (const section of open.splice(at)) {
          section.length = section.name === name ? Math.max(0, Number(time) - section.begun) : null;
          if (section === begins) begins = null;
          else pieces.push('ends');
        }
      } else if (begins === null && open.length < MAX_SECTION_DEPTH) {
        begins = { name, begun: Number(time), length: null, isFolded: /collapsed=true/.test(options ?? '') };
        open.push(begins);
      }
    }
    const text = isMarked ? line.replace(MARKS, '') : line;
    if (begins) pieces.push({ begins });
    if (isMarked && NOTHING.test(text)) pieces.push(begins ? { text: begins.name } : 'mark');
    else pieces.push({ text });
    begins = null;
  }
  return [...pieces, ...open.map(() => 'ends' as const)];
}
