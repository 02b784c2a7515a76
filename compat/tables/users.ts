import { choice, constant, from, gid, name, names, object, objectOn, of, same, type } from '#compat/engine/entries.ts';
import { gidOf } from '#compat/engine/global_id.ts';
import { connection } from '#compat/engine/pages.ts';
import type { Row } from '#compat/engine/table.ts';
import { given, mergeRequestsOfUser } from '#compat/tables/arguments.ts';
import { levelName, levelOf, time } from '#compat/tables/values.ts';

/** What every type for a user has. */
export const person = {
  ...names('avatarUrl', 'name', 'username', 'webPath', 'webUrl'),
  id: gid('User'),
};

const lists = {
  assignedMergeRequests: connection('assignedMergeRequests', 'MergeRequest', mergeRequestsOfUser),
  authoredMergeRequests: connection('authoredMergeRequests', 'MergeRequest', mergeRequestsOfUser),
  reviewRequestedMergeRequests: connection('reviewRequestedMergeRequests', 'MergeRequest', mergeRequestsOfUser),
};

/** States of accounts that there are today; others mean that the user is locked out. */
const STATES: Readonly<Record<string, string>> = { ACTIVE: 'active', DEACTIVATED: 'deactivated' };

type('UserCore', 'User', {
  ...person,
  ...lists,
  ...names('bot', 'publicEmail'),
  createdAt: time('createdAt'),
  state: of<string>('state', (state) => STATES[state] ?? 'blocked'),
});

for (const one of ['MergeRequestAuthor', 'MergeRequestAssignee']) {
  type(one, 'User', { ...person, publicEmail: name('publicEmail') });
}

type('AutocompletedUser', 'User', person);

type('CurrentUser', 'User', {
  ...person,
  ...lists,
  ...names('bot', 'publicEmail'),
  groupCount: from<{ _groups?: { totalCount: number } }>(
    '_groups: groups(first: 0) { totalCount }',
    ({ _groups }) => _groups?.totalCount,
  ),
  groupMemberships: connection('memberships', 'GroupMember/UserMembership', { type: () => 'GROUP' }),
  projectMemberships: connection('memberships', 'ProjectMember/UserMembership', { type: () => 'PROJECT' }),
  groups: connection('groups', 'Group', {
    search: ({ search }) => given(search),
    canCreateProject: ({ permissionScope }) => permissionScope === 'CREATE_PROJECTS' || undefined,
  }),
  namespace: object('namespace', 'Namespace/PersonalNamespace'),
  contributedProjects: connection('contributedProjects', 'Project'),
  // Paid features, which editors ask for when they start.
  duoChatAvailable: constant(false),
  duoCodeSuggestionsAvailable: constant(false),
  duoChatAvailableFeatures: constant([]),
  codeSuggestionsContexts: constant([]),
});

for (const core of ['Member', 'UserMembership', 'Project']) {
  const field = core === 'Project' ? 'viewerAccessLevel' : 'accessLevel';
  const level = (read: (level: unknown) => unknown) => from<Row>(field, (row) => read(row[field]));
  type('AccessLevel', core, { integerValue: level(levelOf), stringValue: level(levelName) }, core);
}

for (const core of ['Member', 'UserMembership']) {
  const user = object('user', 'UserCore');
  type('GroupMember', core, { user, group: objectOn('source', { Group: 'Group' }) }, core);
  type(
    'ProjectMember',
    core,
    {
      user,
      id: of<number>('databaseId', (id) => gidOf('ProjectMember', id)),
      accessLevel: same(`AccessLevel/${core}`),
      project: objectOn('source', { Project: 'Project' }),
    },
    core,
  );
}

/** Members of a project: those of the group around it are members of that. */
choice('MemberInterface', ['ProjectMember/Member', 'GroupMember/Member'], 'source { __typename }', ({ source }) =>
  (source as Row | null)?.__typename === 'Group' ? 'GroupMember' : 'ProjectMember',
);
