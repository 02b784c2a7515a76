/** Usernames in an argument such as `@ann @bob`; `me` is the caller. */
export function usernames(argument: string): string[] {
  return argument.split(/[\s,]+/).flatMap((word) => {
    const name = word.replace(/^@/, '');
    return name === '' ? [] : [name];
  });
}

/** Titles of labels in an argument such as `~bug ~"needs work"`. */
export function labelTitles(argument: string): string[] {
  return titles(argument, '~');
}

/** The title of a milestone in an argument such as `%v1` or `%"next version"`. */
export function milestoneTitle(argument: string): string | null {
  return titles(argument, '%')[0] ?? null;
}

/** Titles after a sigil. The text is scanned once, from its start: an unterminated quote is no name. */
function titles(argument: string, mark: '~' | '%'): string[] {
  const found: string[] = [];
  for (let at = argument.indexOf(mark); at >= 0; at = argument.indexOf(mark, at)) {
    const isQuoted = argument[at + 1] === '"';
    const start = at + (isQuoted ? 2 : 1);
    const end = isQuoted ? argument.indexOf('"', start) : endOfWord(argument, start, mark);
    if (end < 0) break;
    if (end > start) found.push(argument.slice(start, end));
    at = end;
  }
  return found;
}

function endOfWord(text: string, start: number, mark: string): number {
  let end = start;
  while (end < text.length && !/[\s,]/.test(text.charAt(end)) && text[end] !== mark) end += 1;
  return end;
}
