import { integer } from '#src/domain/gitlab_archives/relations/values.ts';
import type { StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, isGiven, objectsIn, textIn, timeIn } from '#src/domain/remote_imports/base/values.ts';
import { labelRecord } from '#src/domain/remote_imports/gitlab/records.ts';

/** A board with its lists of labels; other lists are no records here. */
export function boardRecords(given: Given): StagedRecord[] {
  const id = idIn(given, 'id');
  const record = {
    id,
    name: textIn(given, 'name', 255).trim() || 'Development',
    hide_backlog_list: given.hide_backlog_list === true,
    hide_closed_list: given.hide_closed_list === true,
  };
  const seen = new Set<unknown>();
  const lists = objectsIn(given, 'lists').flatMap((list, position) => {
    if (!isGiven(list.label)) return [];
    const label = labelRecord(list.label);
    if (seen.has(label.record.id)) return [];
    seen.add(label.record.id);
    const rank = integer(list.position) ?? position;
    const row = { id: idIn(list, 'id'), board_id: id, label_id: label.record.id, rank };
    return [label, { kind: 'board_lists', record: row }];
  });
  return [{ kind: 'boards', record }, ...lists];
}

/** A badge of the project itself. */
export function badgeRecords(given: Given): StagedRecord[] {
  if (given.kind === 'group') return [];
  const record = {
    id: idIn(given, 'id'),
    name: textIn(given, 'name', 255).trim() || null,
    link_url: textIn(given, 'link_url', 2_000),
    image_url: textIn(given, 'image_url', 2_000),
    created_at: timeIn(given, 'created_at'),
  };
  return [{ kind: 'badges', record }];
}
