/** Lines that git writes itself, beside which others need not be trailers. */
const BY_GIT = /^(?:Signed-off-by: |\(cherry picked from commit )/;
const TRAILER = /^([A-Za-z0-9-]+)[ \t]*:(.*)$/;
/** Characters of the end of a message that are looked at. */
const MAX_TRAILER_LENGTH = 64 * 1024;

/**
 * The trailers of a message, such as `Signed-off-by`, by key in their order: the lines of its last paragraph, unless that is the first one,
 * with folded lines joined, as `git interpret-trailers --parse` finds them.
 */
export function trailersOf(message: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const line of block(message)) {
    if (/^[ \t]/.test(line) && last) {
      last.push(`${last.pop() ?? ''} ${line.trim()}`.trim());
      continue;
    }
    const [, key, value] = TRAILER.exec(line) ?? [];
    last = undefined;
    if (key === undefined || value === undefined) continue;
    last = found.get(key) ?? [];
    last.push(value.trim());
    found.set(key, last);
  }
  return found;
}

/** The lines of the last paragraph, if they are trailers: all of them, or a quarter beside one that git writes. */
function block(message: string): string[] {
  const text = message.slice(-MAX_TRAILER_LENGTH).toWellFormed().trimEnd();
  const lines = text.split('\n').map((line) => line.trimEnd());
  const begin = lines.lastIndexOf('') + 1;
  // The first paragraph is the title.
  if (begin === 0 || lines.slice(0, begin).every((line) => line === '')) return [];
  const paragraph = lines.slice(begin);
  let [trailers, others, isByGit, follows] = [0, 0, false, false];
  for (const line of paragraph) {
    const isTrailer = TRAILER.test(line) || BY_GIT.test(line);
    if (/^[ \t]/.test(line) && follows) continue;
    follows = isTrailer;
    if (isTrailer) trailers += 1;
    else others += 1;
    isByGit ||= BY_GIT.test(line);
  }
  const isBlock = trailers > 0 && (others === 0 || (isByGit && trailers * 3 >= others));
  return isBlock ? paragraph : [];
}
