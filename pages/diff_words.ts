import { escaped } from '#pages/engine/helpers.ts';

/** A line as the graph has it: its text, and the same as HTML with colours where they are known. */
interface Line {
  text: string;
  html: string | null;
}

/** The text of a line in three parts, of which the one in the middle differs from the line that it is compared with; empty if all of it does. */
export type Parts = readonly [string, string, string];

/** The line as HTML, with what differs in `<b>`. */
export function htmlOf({ text, html }: Line, [before, marked, after]: Parts): string {
  // Where the colours are of another text, lines are shown without: carriage returns within lines are left out of it.
  if (html === null || text.trimEnd().includes('\r')) {
    return `${escaped(before)}${marked && `<b>${escaped(marked)}</b>`}${escaped(after)}`;
  }
  return marked === '' ? html : withMark(html, before.length, before.length + marked.length);
}

/** HTML of a line in which the characters from one to another are in `<b>`, which begins anew within each element. */
function withMark(html: string, from: number, to: number): string {
  let [at, isOpen, made] = [0, false, ''];
  const mark = (wanted: boolean) => {
    if (wanted !== isOpen) made += wanted ? '<b>' : '</b>';
    isOpen = wanted;
  };
  for (const [token] of html.matchAll(/<[^<>]*>|&[^&;<]*;|[^<&]/g)) {
    const isTag = token.startsWith('<');
    mark(!isTag && at >= from && at < to);
    made += token;
    if (!isTag) at += 1;
  }
  mark(false);
  return made;
}

/** Word characters, which a difference does not begin or end among. */
const WORD = /[\p{L}\p{N}\p{M}\p{Cs}_]/u;

/** What differs between two lines, if they have something in common. */
export function wordsBetween(before: string, after: string | undefined): [Parts, Parts] | null {
  if (after === undefined) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  while (start > 0 && splitsWord(before, after, start)) start -= 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  while (end > 0 && splitsWord(before, after, -end)) end -= 1;
  // Lines that share no more than their indentation are shown as different as they are.
  if ((before.slice(0, start) + before.slice(before.length - end)).trim() === '') return null;
  const cut = (text: string): Parts => {
    return [text.slice(0, start), text.slice(start, text.length - end), text.slice(text.length - end)];
  };
  return [cut(before), cut(after)];
}

/** Whether a cut is within a word of either line; counted from the end if it is negative. */
function splitsWord(before: string, after: string, at: number): boolean {
  return [before, after].some((text) => {
    const cut = at < 0 ? text.length + at : at;
    return WORD.test(text[cut - 1] ?? ' ') && WORD.test(text[cut] ?? ' ');
  });
}
