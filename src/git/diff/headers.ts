/** The diff of a file without the lines that name it before the first hunk; as it is if there is no hunk. */
export function withoutHeaders(diff: string): string {
  if (!diff.startsWith('--- ')) return diff;
  const hunk = diff.indexOf('\n@@ ');
  return hunk < 0 ? diff : diff.slice(hunk + 1);
}
