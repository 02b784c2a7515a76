import type { ArchivedGroup } from '#src/domain/gitlab_archives/groups/tree.ts';
import type { At, Output } from '#src/domain/gitlab_archives/relations/output.ts';
import { known } from '#src/domain/gitlab_archives/relations/project.ts';
import { isFirst } from '#src/domain/gitlab_archives/relations/relation.ts';
import {
  flag,
  type Given,
  integer,
  labelColor,
  named,
  object,
  objects,
  oneOf,
  text,
  time,
  times,
  visibility,
} from '#src/domain/gitlab_archives/relations/values.ts';
import { GROUPS, LEFT_OUT, type LeftOutKind } from '#src/domain/group_archives/place.ts';
import { groupErrors } from '#src/domain/groups/values.ts';

/** What is known of the groups of an archive while their records are translated. */
export interface GroupTranslation {
  out: Output;
  /** IDs of labels, by the ID of their group and their title. */
  labels: Map<string, number>;
  /** Names that there is one of. */
  taken: Set<string>;
  /** The IDs of a group and of the groups around it, the nearest first. */
  lineage: Map<number, readonly number[]>;
}

type Take = (translation: GroupTranslation, groupId: number, record: Given, at: At) => Promise<void>;

const MAX_DESCRIPTION_LENGTH = 255;
/** Who creates projects, and groups, by the numbers of their columns. */
const PROJECT_CREATORS = { 0: 'noone', 1: 'maintainer', 2: 'developer', 3: 'administrator', 4: 'owner' };
const GROUP_CREATORS = { 0: 'owner', 1: 'maintainer' };

/** Translates a group itself. Names that are not allowed here become what is. */
export async function takeGroup(
  { out, taken, lineage }: GroupTranslation,
  { id, parentId, head }: ArchivedGroup,
  settings: Given,
): Promise<void> {
  lineage.set(id, [id, ...(parentId === null ? [] : (lineage.get(parentId) ?? []))]);
  const at = { relation: 'groups', line: 1 };
  const given = named(head.path) ?? '';
  const isUsable = (value: string) => groupErrors({ path: value }, true).path === undefined;
  const wanted = isUsable(given) ? given : `group-${id}`;
  const isTaken = taken.has(`path ${parentId} ${wanted.toLowerCase()}`);
  const own = isTaken ? `${wanted.slice(0, 200)}-${id}` : wanted;
  if (own !== given) out.leaveOut(at, 'The path of a group is another here, as it is taken or not allowed.');
  taken.add(`path ${parentId} ${own.toLowerCase()}`);
  const title = named(head.name);
  const isName = title !== undefined && groupErrors({ name: title }, true).name === undefined;
  if (!isName) out.leaveOut(at, 'The name of a group is its path here, as it is not allowed.');
  const prevents = flag(settings.prevent_sharing_groups_outside_hierarchy);
  const creators = oneOf(head.project_creation_level, PROJECT_CREATORS);
  const subgroups = oneOf(head.subgroup_creation_level, GROUP_CREATORS);
  await out.line(GROUPS, {
    ...{ id, parentId, name: isName ? title : own, path: own },
    description: text(head.description)?.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed() ?? null,
    visibility: visibility(head.visibility_level) ?? 'private',
    ...{ lfsEnabled: flag(head.lfs_enabled), requestAccessEnabled: flag(head.request_access_enabled) },
    ...{ shareWithGroupLock: flag(head.share_with_group_lock), preventSharingGroupsOutsideHierarchy: prevents },
    ...{ projectCreationLevel: creators, subgroupCreationLevel: subgroups },
  });
}

const takeLabel: Take = async ({ out, labels }, groupId, record, at) => {
  const title = named(record.title);
  const key = `${groupId} ${title}`;
  if (title === undefined || labels.has(key)) return;
  const id = out.id('labels');
  const row = { id, groupId, title, color: labelColor(record), description: text(record.description) };
  if (await out.add('labels', { ...row, archived: flag(record.archived), ...times(record) }, at)) labels.set(key, id);
};

const takeMilestone: Take = async (translation, groupId, record, at) => {
  const { out } = translation;
  const title = named(record.title);
  if (!isFirst(translation, `milestone ${groupId} ${title}`, at)) return;
  if (!isFirst(translation, `milestone number ${groupId} ${record.iid}`, at)) return;
  const row = { id: out.id('milestones'), groupId, iid: integer(record.iid), title };
  const state = record.state === 'closed' ? 'closed' : 'active';
  const { start_date: startDate, due_date: dueDate } = record;
  const rest = { description: text(record.description), state, startDate, dueDate, ...times(record) };
  await out.add('milestones', { ...row, ...rest }, at);
};

const takeBoard: Take = async (translation, groupId, record, at) => {
  const { out, labels, lineage } = translation;
  const boardId = out.id('boards');
  const { hide_backlog_list: backlog, hide_closed_list: closed } = record;
  const switches = { hideBacklogList: flag(backlog) ?? false, hideClosedList: flag(closed) ?? false };
  const row = { id: boardId, groupId, name: named(record.name) ?? 'Development', ...switches };
  if (!(await out.add('boards', row, at))) return;
  for (const [position, list] of objects(record.lists).entries()) {
    if (['backlog', 'closed'].includes(String(list.list_type))) continue;
    const title = named(object(list.label)?.title);
    const labelId = (lineage.get(groupId) ?? [])
      .map((id) => labels.get(`${id} ${title}`))
      .find((id) => id !== undefined);
    if (labelId === undefined) {
      out.leaveOut({ ...at, relation: 'boards.lists' }, 'Boards have lists of labels of the archive alone here.');
      continue;
    }
    if (!isFirst(translation, `list ${boardId} ${labelId}`, at)) continue;
    const rank = integer(list.position) ?? position;
    await out.add('board_lists', { id: out.id('board_lists'), groupId, boardId, labelId, rank }, at);
  }
};

const takeBadge: Take = async ({ out }, groupId, record, at) => {
  const row = { id: out.id('badges'), groupId, name: named(record.name), linkUrl: record.link_url };
  await out.add('badges', { ...row, imageUrl: record.image_url, createdAt: time(record.created_at) }, at);
};

const takeMember: Take = async (translation, groupId, record, at) => {
  const { out } = translation;
  const user = object(record.user);
  const userId = out.user(user?.id ?? record.user_id, known(user));
  // They asked for access, and never got it.
  if (record.requested_at != null) return out.leaveOut(at, 'Requests for access do not come along.');
  if (userId === null) return out.leaveOut(at, 'Invitations of people without an account do not come along.');
  if (!isFirst(translation, `member ${groupId} ${userId}`, at)) return;
  const row = { id: out.id('members'), namespaceId: groupId, userId, accessLevel: integer(record.access_level) };
  await out.add('members', { ...row, expiresAt: record.expires_at ?? null }, at);
};

/** What has secrets, of which a running server tells the names; archives of GitLab have none of it. */
const takeName =
  (kind: LeftOutKind, nameOf: (record: Given) => unknown): Take =>
  async ({ out }, groupId, record) => {
    const name = named(nameOf(record));
    if (name !== undefined) await out.line(LEFT_OUT, { groupId, kind, name });
  };

/** The host of an address, as addresses may have secrets in their paths. */
function hostOf({ url }: Given): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined;
}

/** The relations of a group that are translated, in that order. Others are counted, and named as left out. */
export const TAKERS: Readonly<Record<string, Take>> = {
  members: takeMember,
  user_contributions: async ({ out }, _groupId, record) => {
    out.user(record.id, known(record));
  },
  labels: takeLabel,
  milestones: takeMilestone,
  boards: takeBoard,
  badges: takeBadge,
  variables: takeName('variable', ({ key }) => key),
  hooks: takeName('webhook', hostOf),
};
