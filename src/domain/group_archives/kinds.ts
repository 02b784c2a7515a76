import { CHECKS as is } from '#src/domain/project_archives/checks.ts';
import { type Kind, kind, PUSH_RULE } from '#src/domain/project_archives/kinds.ts';
import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** The group with an ID, and the groups in it. */
export const groupsOf = (id: number) =>
  sql`(SELECT id FROM namespaces WHERE lineage @> ARRAY[${id}]::int[] AND kind = 'group' AND deleted_at IS NULL)`;

const times = { createdAt: is.time, updatedAt: is.time };
const OF_GROUP = { groupId: 'groups' } as const;

/** Records of a group that only administrators take along, and only administrators import. */
export const OF_ADMINISTRATORS: ReadonlySet<string> = new Set(['custom_attributes']);

/** The settings of a group that an archive has as they are. */
export const GROUP = {
  model: 'Namespace',
  columns: {
    name: is.name,
    path: is.name,
    description: is.text,
    visibility: is.enum,
    lfsEnabled: is.boolean,
    requestAccessEnabled: is.boolean,
    wikiAccessLevel: is.enum,
    shareWithGroupLock: is.boolean,
    preventSharingGroupsOutsideHierarchy: is.boolean,
    maxArtifactsSize: is.number,
    projectCreationLevel: is.enum,
    subgroupCreationLevel: is.enum,
  },
} as const;

/** What groups have, in the order in which it is imported: what refers to others comes behind them. */
export const KINDS: readonly Kind[] = [
  kind('labels', 'Label', {
    columns: { title: is.name, color: is.color, description: is.text, archived: is.boolean, ...times },
    refs: OF_GROUP,
    where: (row, id) => sql`${row.groupId} IN ${groupsOf(id)}`,
  }),
  kind('milestones', 'Milestone', {
    columns: {
      iid: is.iid,
      title: is.name,
      description: is.text,
      state: is.enum,
      startDate: is.date,
      dueDate: is.date,
      ...times,
    },
    refs: OF_GROUP,
    where: (row, id) => sql`${row.groupId} IN ${groupsOf(id)}`,
  }),
  kind('boards', 'Board', {
    columns: { name: is.name, hideBacklogList: is.boolean, hideClosedList: is.boolean },
    refs: OF_GROUP,
    where: (row, id) => sql`${row.groupId} IN ${groupsOf(id)}`,
  }),
  // Labels of groups around the archived one are not in the archive, and neither are lists of them.
  kind('board_lists', 'BoardList', {
    columns: { rank: is.number },
    refs: { ...OF_GROUP, boardId: 'boards', labelId: 'labels' },
    where: (row, id) => sql`${row.groupId} IN ${groupsOf(id)}
      AND ${row.labelId} IN (SELECT l.id FROM labels l WHERE l.group_id IN ${groupsOf(id)})`,
  }),
  kind('badges', 'Badge', {
    columns: { name: is.name, linkUrl: is.badgeUrl, imageUrl: is.badgeUrl, createdAt: is.time },
    refs: OF_GROUP,
    where: (row, id) => sql`${row.groupId} IN ${groupsOf(id)}`,
  }),
  kind('push_rules', 'PushRule', {
    columns: { ...PUSH_RULE, ...times },
    refs: OF_GROUP,
    where: (row, id) => sql`${row.groupId} IN ${groupsOf(id)}`,
  }),
  kind('package_settings', 'PackageSettings', {
    columns: {
      mavenDuplicatesAllowed: is.boolean,
      mavenDuplicateExceptionRegex: is.exceptionPattern,
      genericDuplicatesAllowed: is.boolean,
      genericDuplicateExceptionRegex: is.exceptionPattern,
      nugetDuplicatesAllowed: is.boolean,
      nugetDuplicateExceptionRegex: is.exceptionPattern,
      terraformModuleDuplicatesAllowed: is.boolean,
      terraformModuleDuplicateExceptionRegex: is.exceptionPattern,
    },
    refs: { namespaceId: 'groups' },
    where: (row, id) => sql`${row.namespaceId} IN ${groupsOf(id)}`,
  }),
  kind('custom_attributes', 'CustomAttribute', {
    columns: { key: is.name, value: is.name, ...times },
    refs: { namespaceId: 'groups' },
    where: (row, id) => sql`${row.namespaceId} IN ${groupsOf(id)}`,
  }),
  kind('members', 'Member', {
    columns: { accessLevel: is.groupLevel, expiresAt: is.date },
    refs: { namespaceId: 'groups' },
    users: { userId: 'dropped' },
    where: (row, id) => sql`${row.namespaceId} IN ${groupsOf(id)} AND NOT EXISTS (
      SELECT 1 FROM users u WHERE u.id = ${row.userId} AND (u.bot OR u.ghost))`,
  }),
];
