/** A heading of a text. */
export interface Heading {
  /** From 1 for the largest to 6. */
  level: number;
  text: string;
  /** The ID of its element. */
  anchor: string;
}

/** Headings of the longest table of contents. */
const MAX_HEADINGS = 200;

const HEADING = /<h([1-6])(?=[\s>])[^>]*\sid="([^"]*)"[^>]*>(.*?)<\/h\1>/gs;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The headings of rendered Markdown, which has been sanitised: all its elements are closed. */
export function headingsOf(html: string): Heading[] {
  const headings: Heading[] = [];
  for (const [, level, anchor = '', held = ''] of html.matchAll(HEADING)) {
    if (headings.length === MAX_HEADINGS) break;
    const text = held
      .replace(/<[^<>]*>/g, '')
      .replace(/&(amp|lt|gt|quot|#39);/g, (written, name: string) => ENTITIES[name] ?? written)
      .trim();
    if (text !== '') headings.push({ level: Number(level), text, anchor });
  }
  return headings;
}
