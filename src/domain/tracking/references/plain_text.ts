/** Characters of a text that are scanned for references. */
const MAX_SCANNED_CHARACTERS = 65_536;

/**
 * A text without quotations: fenced code blocks, inline code, and quoted lines. Names there are not references. Each part is
 * scanned once, whatever the text.
 */
export function plainText(text: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of text.slice(0, MAX_SCANNED_CHARACTERS).split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,}|>>>)/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      kept.push('');
    } else if (mark !== null) {
      fence = mark;
      kept.push('');
    } else {
      kept.push(/^ {0,3}>/.test(line) ? '' : line);
    }
  }
  return kept
    .join('\n')
    .split(/(\n[ \t\r]*\n)/)
    .map(withoutCode)
    .join('');
}

/** A paragraph without the code between two equal runs of backticks. */
function withoutCode(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  if (runs.length < 2) return paragraph;
  // Positions per run length in descending order, so that the next one is always at the end.
  const byLength = new Map<number, number[]>();
  for (const { length, index } of runs.toReversed()) {
    const places = byLength.get(length) ?? [];
    places.push(index);
    byLength.set(length, places);
  }
  let kept = '';
  let from = 0;
  for (const { length, index } of runs) {
    if (index < from) continue;
    const places = byLength.get(length) ?? [];
    while (places.length > 0 && (places.at(-1) ?? 0) <= index) places.pop();
    const end = places.at(-1);
    if (end === undefined) continue;
    kept += `${paragraph.slice(from, index)} `;
    from = end + length;
  }
  return kept + paragraph.slice(from);
}
