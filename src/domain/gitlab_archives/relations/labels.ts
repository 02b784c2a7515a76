import type { At } from '#src/domain/gitlab_archives/relations/output.ts';
import { isFirst, type Take, type Translation } from '#src/domain/gitlab_archives/relations/relation.ts';
import {
  flag,
  type Given,
  integer,
  labelColor,
  named,
  object,
  objects,
  text,
  times,
} from '#src/domain/gitlab_archives/relations/values.ts';

/** The ID of a label, by its title: those of a project and those of its groups have one list here. Null if it is no label. */
export async function labelId(translation: Translation, given: unknown, at: At): Promise<number | null> {
  const record = object(given);
  const title = named(record?.title);
  if (!record || title === undefined) return null;
  const known = translation.labels.get(title);
  if (known !== undefined) return known;
  const { out } = translation;
  const id = out.id('labels');
  const [{ priority } = { priority: null }] = objects(record.priorities);
  const isThere = await out.add(
    'labels',
    {
      ...{ id, title, color: labelColor(record), description: text(record.description), priority: integer(priority) },
      ...{ archived: flag(record.archived), ...times(record) },
    },
    at,
  );
  if (!isThere) return null;
  translation.labels.set(title, id);
  return id;
}

export const takeLabel: Take = async (translation, record, at) => {
  await labelId(translation, record, at);
};

/** The ID of a milestone, by its title. Null if it is no milestone. */
export async function milestoneId(translation: Translation, given: unknown, at: At): Promise<number | null> {
  const record = object(given);
  const title = named(record?.title);
  if (!record || title === undefined) return null;
  const known = translation.milestones.get(title);
  if (known !== undefined) return known;
  const { out } = translation;
  const id = out.id('milestones');
  const day = (value: unknown) => (typeof value === 'string' ? value.slice(0, 10) : null);
  const isThere = await out.add(
    'milestones',
    {
      ...{ id, iid: integer(record.iid), title, description: text(record.description) },
      ...{ state: record.state === 'closed' ? 'closed' : 'active' },
      ...{ startDate: day(record.start_date), dueDate: day(record.due_date), ...times(record) },
    },
    at,
  );
  if (!isThere) return null;
  translation.milestones.set(title, id);
  return id;
}

export const takeMilestone: Take = async (translation, record, at) => {
  await milestoneId(translation, record, at);
};

/** What labels an issue or a merge request has; its ID is the one of the columns. */
export async function takeLabelLinks(
  translation: Translation,
  kind: 'issue_labels' | 'merge_request_labels',
  owner: { issueId: number } | { mergeRequestId: number },
  given: unknown,
  at: At,
): Promise<void> {
  const seen = new Set<number>();
  for (const link of objects(given)) {
    const id = await labelId(translation, link.label, at);
    if (id === null || seen.has(id)) continue;
    seen.add(id);
    await translation.out.add(kind, { ...owner, labelId: id }, at);
  }
}

/** The boards of a project, with their lists of labels; its other lists are no records of their own here. */
export const takeBoard: Take = async (translation, record, at) => {
  const { out } = translation;
  const id = out.id('boards');
  const { hide_backlog_list: hideBacklogList, hide_closed_list: hideClosedList } = record;
  const switches = { hideBacklogList: flag(hideBacklogList), hideClosedList: flag(hideClosedList) };
  if (!(await out.add('boards', { id, name: named(record.name) ?? 'Development', ...switches }, at))) return;
  for (const [position, list] of objects(record.lists).entries()) {
    if (['backlog', 'closed'].includes(String(list.list_type))) continue;
    const label = await labelId(translation, list.label, at);
    if (label === null) {
      out.leaveOut({ ...at, relation: 'boards.lists' }, 'Boards have lists of labels alone here.');
      continue;
    }
    if (!isFirst(translation, `list ${id} ${label}`, at)) continue;
    const rank = integer(list.position) ?? position;
    await out.add('board_lists', { id: out.id('board_lists'), boardId: id, labelId: label, rank }, at);
  }
};

/** What an event says of a label or milestone: that it was put on, or taken off. */
export function eventAction({ action }: Given): 'add' | 'remove' | null {
  if (action === 'add' || action === 1) return 'add';
  return action === 'remove' || action === 2 ? 'remove' : null;
}
