/** The default message of a merge commit. */
export function mergeMessage({
  iid,
  title,
  sourceBranch,
  targetBranch,
  closes,
}: {
  iid: number;
  title: string;
  sourceBranch: string;
  targetBranch: string;
  /** References of the issues that the merge closes, such as `#4`. */
  closes: readonly string[];
}): string {
  const paragraphs = [`Merge branch '${sourceBranch}' into '${targetBranch}'`, title];
  if (closes.length > 0) paragraphs.push(`Closes ${list(closes)}`);
  paragraphs.push(`See merge request !${iid}`);
  return `${paragraphs.join('\n\n')}\n`;
}

function list(words: readonly string[]): string {
  if (words.length <= 1) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
