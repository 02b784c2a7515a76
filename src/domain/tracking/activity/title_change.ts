import { asReady, isDraft } from '#src/domain/tracking/subjects/draft.ts';

/** The notes about a changed title: for a merge request also whether it is a draft now. */
export function titleWords(type: 'Issue' | 'MergeRequest', from: string, to: string): string[] {
  if (type === 'Issue') return [markedTitles(from, to)];
  const [was, is] = [isDraft(from), isDraft(to)];
  const marked = was === is ? [] : [`marked this merge request as **${is ? 'draft' : 'ready'}**`];
  const isRenamed = asReady(from) !== asReady(to);
  return [...marked, ...(isRenamed ? [markedTitles(from, to)] : [])];
}

/** The text about a changed title: both titles, with the differing part marked as `{-old-}` and `{+new+}`. */
export function markedTitles(from: string, to: string): string {
  const [old, now] = [[...from], [...to]];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  const marked = (title: string[], sign: string) => {
    const middle = title.slice(start, title.length - end).join('');
    const difference = middle === '' ? '' : `{${sign}${middle}${sign}}`;
    return `${title.slice(0, start).join('')}${difference}${title.slice(title.length - end).join('')}`;
  };
  return `changed title from **${marked(old, '-')}** to **${marked(now, '+')}**`;
}
