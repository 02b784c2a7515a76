import { text } from '#pages/engine/fields.ts';
import { localPath } from '#pages/engine/page.ts';
import type { Facts, Shown } from '#pages/engine/row.ts';

/** What a form for chosen rows changes: an empty field changes nothing, and `none` removes what is there. */
export function readChange(given: Facts['given']): Facts['given'] {
  const { ids } = given;
  const said = (name: string) => text(given[name]).trim();
  const cleared = (name: string) => (said(name).toLowerCase() === 'none' ? '' : said(name));
  const lists = ['addLabels', 'removeLabels', 'stateEvent'].filter((name) => said(name) !== '');
  return {
    ids,
    ...Object.fromEntries(lists.map((name) => [name, said(name)])),
    ...(said('assignees') !== '' && { assigneeUsernames: cleared('assignees') }),
    ...(said('milestoneTitle') !== '' && { milestone: cleared('milestoneTitle') }),
  };
}

interface Named {
  title: string;
  webUrl: string;
}

/** What is told where some of the chosen rows were not changed; null where all were. */
export function changedAlike(
  changed: readonly Named[],
  unchanged: readonly { subject: Named | null; message: string }[],
  list: string,
  { given, t }: Facts,
): Shown | null {
  if (unchanged.length === 0) return null;
  const rows = unchanged.map(({ subject, message }) => ({
    title: subject?.title ?? null,
    webUrl: subject?.webUrl ?? null,
    why: message,
  }));
  return {
    view: 'parts/bulk_done',
    title: t('Not everything was changed'),
    values: { changed, unchanged: rows, back: localPath(given.back, list) },
  };
}
