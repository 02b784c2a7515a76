/** A change of lines as a text suggests it. */
export interface SuggestedLines {
  /** How many lines above and below that of the thread it replaces. */
  linesAbove: number;
  linesBelow: number;
  /** The new lines, each with its end; empty to remove the lines. */
  toContent: string;
}

/** Maximum number of suggestions of a note; further blocks are text. */
const MAX_SUGGESTIONS = 50;
/** Maximum number of lines above, and below. */
const MAX_LINES = 100;

/**
 * The suggestions of a text: its fenced blocks with the info string `suggestion`, or `suggestion:-2+1` for two lines above and
 * one below. A block that is not closed ends with the text.
 */
export function parseSuggestions(text: string): SuggestedLines[] {
  if (!text.includes('suggestion')) return [];
  const found: SuggestedLines[] = [];
  let block: { fence: string; suggested: SuggestedLines | null; lines: string[] } | null = null;
  const close = () => {
    if (block?.suggested)
      found.push({ ...block.suggested, toContent: block.lines.map((line) => `${line}\n`).join('') });
    block = null;
  };
  for (const line of text.split(/\r?\n/)) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    if (block === null) {
      if (found.length === MAX_SUGGESTIONS) break;
      // The info string of backticks has none.
      if (fence !== '' && !(fence.startsWith('`') && info.includes('`'))) {
        block = { fence, suggested: suggestedBy(info.trim()), lines: [] };
      }
    } else if (fence.startsWith(block.fence) && info.trim() === '') close();
    else if (block.suggested) block.lines.push(line);
  }
  close();
  return found;
}

function suggestedBy(info: string): SuggestedLines | null {
  const [whole, above = '0', below = '0'] = /^suggestion(?::-(\d{1,9})\+(\d{1,9}))?$/.exec(info) ?? [];
  if (whole === undefined) return null;
  const most = (lines: string) => Math.min(Number(lines), MAX_LINES);
  return { linesAbove: most(above), linesBelow: most(below), toContent: '' };
}
