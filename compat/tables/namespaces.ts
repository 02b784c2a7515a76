import { constant, from, gid, name, names, object, same, through, type } from '#compat/engine/entries.ts';
import { gidOf } from '#compat/engine/global_id.ts';
import { connection, empty } from '#compat/engine/pages.ts';
import type { CoreArgs } from '#compat/engine/table.ts';
import { given, mergeRequests, numberOf } from '#compat/tables/arguments.ts';
import { milestones } from '#compat/tables/milestones.ts';
import { lowerCase } from '#compat/tables/values.ts';
import { workItems, workItemTypes } from '#compat/tables/work_item_lists.ts';

const projectsOfGroup: CoreArgs = {
  includeSubgroups: ({ includeSubgroups }) => given(includeSubgroups),
  filter: ({ search }) => (search ? { search } : undefined),
};

/** Direct members of a group, and those of groups above and below it, or with which it is shared, as they are asked for. */
const members: CoreArgs = {
  includeInherited: ({ relations }) => has(relations, 'INHERITED') || has(relations, 'SHARED_FROM_GROUPS'),
  includeDescendants: ({ relations }) => has(relations, 'DESCENDANTS'),
};

const has = (relations: readonly string[] | null | undefined, one: string) => relations?.includes(one) === true;

type('Group', 'Group', {
  ...names('description', 'fullName', 'fullPath', 'name', 'webUrl'),
  id: gid('Group'),
  visibility: lowerCase('visibility'),
  parent: object('parent', 'Group'),
  userPermissions: same('GroupPermissions'),
  descendantGroups: connection('descendantGroups', 'Group'),
  groupMembers: connection('members', 'GroupMember/Member', members),
  mergeRequests: connection('mergeRequests', 'MergeRequest', mergeRequests),
  milestones: connection('milestones', 'Milestone', {
    ...milestones,
    includeDescendants: ({ includeDescendants }) => given(includeDescendants),
    includeProjects: ({ includeDescendants }) => given(includeDescendants),
  }),
  projects: connection('projects', 'Project', projectsOfGroup),
});

type('GroupPermissions', 'Group', { createProjects: name('viewerCanCreateProject') });

const workItem: CoreArgs = { iid: ({ iid }) => numberOf(iid) };

type(
  'Namespace',
  'Group',
  {
    ...names('fullName', 'fullPath', 'path'),
    id: gid('Group'),
    projects: connection('projects', 'Project'),
    workItem: constant(null),
    workItems: connection('issues', 'WorkItem', workItems),
    workItemTypes,
  },
  'Group',
);

type(
  'Namespace',
  'User',
  {
    fullName: name('name'),
    fullPath: name('username'),
    path: name('username'),
    id: from<{ namespace: { databaseId: number } | null }>('namespace { databaseId }', ({ namespace }) =>
      gidOf('Namespaces::UserNamespace', namespace?.databaseId ?? 0),
    ),
    projects: connection('projects', 'Project', { affiliations: () => ['OWNER'] }),
    workItem: constant(null),
    workItems: empty('WorkItem'),
    workItemTypes,
  },
  'User',
);

type(
  'Namespace',
  'Project',
  {
    ...names('fullName', 'fullPath', 'path'),
    id: gid('Namespaces::ProjectNamespace'),
    projects: empty('Project'),
    workItem: object('issue', 'WorkItem', workItem),
    workItems: connection('issues', 'WorkItem', workItems),
    workItemTypes,
  },
  'Project',
);

/** The namespace of an account, as its projects have it. */
type(
  'Namespace',
  'PersonalNamespace',
  {
    fullName: name('name'),
    ...names('fullPath', 'path'),
    id: gid('Namespaces::UserNamespace'),
    ...through('owner', 'User', { projects: connection('projects', 'Project', { affiliations: () => ['OWNER'] }) }),
    workItem: constant(null),
    workItems: empty('WorkItem'),
    workItemTypes,
  },
  'PersonalNamespace',
);
