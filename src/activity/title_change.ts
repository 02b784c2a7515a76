import { isWorkInProgress, withoutWorkInProgress } from '#src/merge_requests/work_in_progress.ts';

/** What the notes say of a changed title: of a merge request whether it is work in progress now, too. */
export function titleWords(type: 'Issue' | 'MergeRequest', from: string, to: string): string[] {
  if (type === 'Issue') return [markedTitles(from, to)];
  const [was, is] = [isWorkInProgress(from), isWorkInProgress(to)];
  const marked = was === is ? [] : [`${is ? 'marked' : 'unmarked'} as a **Work In Progress**`];
  const isRenamed = withoutWorkInProgress(from) !== withoutWorkInProgress(to);
  return [...marked, ...(isRenamed ? [markedTitles(from, to)] : [])];
}

/** What a note says of a changed title: both titles, with the part marked that differs, `{-old-}` and `{+new+}`. */
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
