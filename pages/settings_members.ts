import { named, type Question } from '#pages/engine/asking.ts';
import { path } from '#pages/engine/helpers.ts';
import { type Facts, form, page, type Shown } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind } from '#pages/place.ts';
import { confirmPage, type Query, type SettingsPlace, settingsPage, shownSettings } from '#pages/settings_frame.ts';
import {
  type AccessLevel,
  GroupAccessRequestsPageDocument,
  type GroupAccessRequestsPageQuery,
  GroupInvitationPageDocument,
  type GroupInvitationPageQuery,
  GroupInvitationsPageDocument,
  GroupMemberPageDocument,
  type GroupMemberPageQuery,
  GroupMembersPageDocument,
  GroupSharesPageDocument,
  type GroupSharesPageQuery,
  NewGroupMembersPageDocument,
  type NewGroupMembersPageQuery,
  NewProjectMembersPageDocument,
  type NewProjectMembersPageQuery,
  ProjectAccessRequestsPageDocument,
  type ProjectAccessRequestsPageQuery,
  ProjectInvitationPageDocument,
  type ProjectInvitationPageQuery,
  ProjectInvitationsPageDocument,
  ProjectMemberPageDocument,
  type ProjectMemberPageQuery,
  ProjectMembersPageDocument,
  ProjectSharesPageDocument,
  type ProjectSharesPageQuery,
  SendGroupMemberChangeDocument,
  SendGroupMemberRemovalDocument,
  SendGroupRequestApprovalDocument,
  SendGroupRequestDenialDocument,
  SendGroupShareDocument,
  SendGroupShareRemovalDocument,
  SendInvitationChangeDocument,
  SendInvitationDeletionDocument,
  SendInvitationsDocument,
  type SendInvitationsMutation,
  SendNewGroupMembersDocument,
  type SendNewGroupMembersMutation,
  SendNewProjectMembersDocument,
  type SendNewProjectMembersMutation,
  SendProjectMemberChangeDocument,
  SendProjectMemberRemovalDocument,
  SendProjectRequestApprovalDocument,
  SendProjectRequestDenialDocument,
  SendProjectShareDocument,
  SendProjectShareRemovalDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The links of invitations that were not mailed (`settings/invitation_links`), and why other addresses got none. */
export interface InvitationLinks {
  links: readonly { email: string; uri: string }[];
  refused: readonly string[];
  back: string;
}

/** What access levels are called. */
export const ROLES: Readonly<Record<Exclude<AccessLevel, 'MAINTAINER'>, string>> = {
  GUEST: label('Guest'),
  REPORTER: label('Reporter'),
  DEVELOPER: label('Developer'),
  MASTER: label('Maintainer'),
  OWNER: label('Owner'),
};

/** The levels that members of a place can have: projects have no owners of their own. */
export const rolesOf = (kind: PlaceKind) =>
  Object.entries(ROLES).filter(([level]) => kind === 'group' || level !== 'OWNER');

const AT = { project: 'project_members', group: 'group_members' } as const;

const goTo =
  (kind: PlaceKind, ...parts: string[]) =>
  (_data: unknown, { given }: Facts) =>
    inPlace(given, AT[kind], ...parts);

/** Why some of several were not added: a text, or texts by their names. */
function refusedOf(field: string) {
  return ({ added }: SendNewProjectMembersMutation | SendNewGroupMembersMutation | SendInvitationsMutation) => {
    if (added?.status !== 'error') return null;
    const { message } = added;
    const told =
      typeof message === 'object' && message !== null
        ? Object.entries(message as Record<string, unknown>).map(([name, text]) => `${name}: ${text}`)
        : [String(message)];
    return { [field]: told.join('\n') };
  };
}

/** Why some addresses were not invited: nothing where links of others have to be shown, which nobody is told again. */
const refusedInvitations = (data: SendInvitationsMutation) =>
  data.added?.links.length ? null : refusedOf('emails')(data);

/** The links to hand over, and why some addresses got none; null where the links were mailed. */
const shownLinks =
  (kind: PlaceKind) =>
  (data: SendInvitationsMutation, { given, t }: Facts): (Shown & { values: InvitationLinks }) | null => {
    if (!data.added?.links.length) return null;
    const title = t('Links to hand over');
    const refused = refusedOf('emails')(data)?.emails?.split('\n') ?? [];
    const back = inPlace(given, AT[kind], 'invitations');
    return { view: 'settings/invitation_links', title, values: { links: data.added.links, refused, back } };
  };

interface MemberPages {
  create: Query<NewProjectMembersPageQuery | NewGroupMembersPageQuery>;
  member: Query<ProjectMemberPageQuery | GroupMemberPageQuery>;
  invitation: Query<ProjectInvitationPageQuery | GroupInvitationPageQuery>;
  shares: Query<ProjectSharesPageQuery | GroupSharesPageQuery>;
  requests: Query<ProjectAccessRequestsPageQuery | GroupAccessRequestsPageQuery>;
}

const shownIn = <Place extends SettingsPlace>(kind: PlaceKind, place: Place) => ({
  ...shownSettings(kind, place, 'members'),
  tab: kind === 'group' ? 'members' : 'settings',
  at: `${shownSettings(kind, place, 'members').base}/${AT[kind]}`,
  roles: ROLES,
});

/** What is done with members of projects and of groups alike. */
function membersOf(kind: PlaceKind, operations: MemberPages) {
  const at = AT[kind];
  const common = { kind, section: 'members' };
  const choice = { roles: rolesOf(kind) };
  const may = (place: SettingsPlace) => place.viewerCanManageMembers;
  const create = settingsPage({
    ...{ ...common, at: `${at}/new`, operation: operations.create, view: 'members_new', may },
    title: (_place, { t }) => t('Add members'),
    show: (_place, _facts, { appearance }) => ({
      ...choice,
      guidelines: appearance?.memberGuidelinesHtml ?? '',
      before: { accessLevel: 'developer' },
    }),
  });
  const edit = settingsPage({
    ...{ ...common, at: `${at}/:userId/edit`, operation: operations.member, view: 'member_edit' },
    may: (place) => may(place) && place.member,
    title: ({ member }, { t }) => t('Change the membership of {name}', { name: member?.name }),
    show: ({ member }) => ({ ...choice, member, before: member }),
  });
  const removal = confirmPage({
    ...{ ...common, at: `${at}/:userId/remove`, operation: operations.member },
    may: (place) => may(place) && place.member,
    ask: ({ member }, { t }) => ({
      heading: t('Remove {name}?', { name: member?.name }),
      says: [
        kind === 'group'
          ? t('Access to the group ends at once, and to all that is in it. What the user wrote stays.')
          : t('Access to the project ends at once. What the user wrote stays.'),
      ],
      button: t('Remove member'),
      ...{ action: `${at}/${member?.userId}/remove`, back: at, isDangerous: true },
      fields: [
        { name: 'unassignIssuables', label: t('Unassign from issues and merge requests, too'), isBox: true },
        ...(kind === 'group'
          ? [{ name: 'skipSubresources', label: t('Keep memberships of groups and projects inside'), isBox: true }]
          : []),
      ],
    }),
  });
  const invite = settingsPage({
    ...{ ...common, at: `${at}/invitations/new`, operation: operations.create, view: 'invite', may },
    title: (_place, { t }) => t('Invite people'),
    show: () => ({ ...choice, before: { accessLevel: 'developer' } }),
  });
  const changeInvitation = settingsPage({
    ...{ ...common, at: `${at}/invitations/edit`, operation: operations.invitation, view: 'invitation_edit' },
    may: (place) => may(place) && place.invitation,
    title: ({ invitation }, { t }) => t('Change the invitation of {email}', { email: invitation?.email }),
    show: ({ invitation }) => ({
      ...choice,
      invitation,
      before: { ...invitation, expiresAt: invitation?.expiresAt?.slice(0, 10) },
    }),
  });
  const withdrawal = confirmPage({
    ...{ ...common, at: `${at}/invitations/delete`, operation: operations.invitation },
    may: (place) => may(place) && place.invitation,
    ask: ({ invitation }, { t }) => ({
      heading: t('Withdraw the invitation of {email}?', { email: invitation?.email }),
      says: [t('The link stops working.')],
      button: t('Withdraw invitation'),
      ...{ action: `${at}/invitations/delete`, back: `${at}/invitations`, isDangerous: true },
      hidden: { email: invitation?.email },
    }),
  });
  const shares = settingsPage({
    ...{ ...common, at: `${at}/groups`, operation: operations.shares, view: 'shares' },
    may: (place) => place.viewerCanShare,
    title: (_place, { t }) => t('Groups with access'),
    show: (place) => ({ ...shownIn(kind, place), choice: rolesOf('group'), before: { accessLevel: 'developer' } }),
  });
  const unshare = confirmPage({
    ...{ ...common, at: `${at}/groups/:id/remove`, operation: operations.shares },
    may: (place) => place.viewerCanShare,
    ask: ({ sharedWithGroups }, { t, given }) => {
      const share = sharedWithGroups.find(({ groupId }) => String(groupId) === given.id);
      return {
        heading: t('Stop sharing with {name}?', { name: share?.groupFullPath ?? String(given.id) }),
        says: [t('Its members lose the access that they have by the group.')],
        button: t('Stop sharing'),
        ...{ action: `${at}/groups/${share?.groupId ?? given.id}/remove`, back: `${at}/groups`, isDangerous: true },
      };
    },
  });
  const requests = settingsPage({
    ...{ ...common, at: `${at}/requests`, operation: operations.requests, view: 'requests' },
    may: (place) => place.viewerCanManageAccessRequests,
    title: (_place, { t }) => t('Requests for access'),
    show: (place) => ({ ...shownIn(kind, place), choice: rolesOf(kind), requests: place.accessRequests }),
  });
  return { create, edit, removal, invite, changeInvitation, withdrawal, shares, unshare, requests };
}

const ofProject = membersOf('project', {
  create: NewProjectMembersPageDocument,
  member: ProjectMemberPageDocument,
  invitation: ProjectInvitationPageDocument,
  shares: ProjectSharesPageDocument,
  requests: ProjectAccessRequestsPageDocument,
});
const ofGroup = membersOf('group', {
  create: NewGroupMembersPageDocument,
  member: GroupMemberPageDocument,
  invitation: GroupInvitationPageDocument,
  shares: GroupSharesPageDocument,
  requests: GroupAccessRequestsPageDocument,
});

/** The pages, and the forms whose mutation takes a project or a group. */
function rowsOf(kind: PlaceKind, pages: typeof ofProject) {
  const at = `${PLACES[kind]}/${AT[kind]}`;
  const toInvitations = goTo(kind, 'invitations');
  return [
    ...Object.values(pages),
    form({
      path: `${at}/invitations/new`,
      operation: SendInvitationsDocument,
      required: ['emails'],
      preset: { handOver: true },
      hidden: ['handOver'],
      says: ({ added }) =>
        added?.links.length ? label('The invitations were made.') : label('The invitations were sent.'),
      goTo: toInvitations,
      shows: shownLinks(kind),
      refused: refusedInvitations,
      again: pages.invite,
      lists: ['emails'],
    }),
    form({
      path: `${at}/invitations/edit`,
      operation: SendInvitationChangeDocument,
      required: ['accessLevel'],
      says: label('The invitation was saved.'),
      goTo: toInvitations,
      again: pages.changeInvitation,
    }),
    form({
      path: `${at}/invitations/delete`,
      operation: SendInvitationDeletionDocument,
      says: label('The invitation was withdrawn.'),
      goTo: toInvitations,
      asks: pages.withdrawal,
    }),
  ];
}

const denialQuestion = (facts: Facts): Question => ({
  heading: facts.t('Deny the request of {name}?', { name: named(facts.given) }),
  says: [facts.t('The request is deleted. It can be made again.')],
  button: facts.t('Deny request'),
  back: inPlace(facts.given, AT[facts.given.group === undefined ? 'project' : 'group'], 'requests'),
});

const names = { lists: ['usernames'], refused: refusedOf('usernames') };
const inProject = (path: string) => `${PLACES.project}/project_members/${path}`;
const inGroup = (path: string) => `${PLACES.group}/group_members/${path}`;
const [toProject, toGroup] = [goTo('project'), goTo('group')];

/** Everybody who has access, or the direct members alone. */
const listed = (given: Facts['given']) => ({ ...given, includeInherited: String(given.direct !== 'true') });

/** Members, invitations, groups with access and requests for it, of projects and of groups. */
export const settingsMembers = [
  page({
    path: '/:project/-/project_members',
    operation: ProjectMembersPageDocument,
    variables: listed,
    view: 'settings/members',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Members')} · ${project.fullPath}`,
    show: (project) => ({
      ...shownIn('project', project),
      members: project.members,
      own: null,
      hasPlaceholders: false,
    }),
  }),
  page({
    path: '/groups/:group/-/group_members',
    operation: GroupMembersPageDocument,
    variables: listed,
    view: 'settings/members',
    found: ({ group }) => group,
    title: (group, { t }) => `${t('Members')} · ${group.fullPath}`,
    // As v4 has it.
    redirectTo: (group, { given }) =>
      given.tab === 'placeholders' ? `${path('groups', group.fullPath)}/-/group_members/placeholders` : null,
    show: (group) => ({
      ...shownIn('group', group),
      members: group.members,
      own: group.databaseId,
      hasPlaceholders: group.viewerCanDelete && group.parent === null,
    }),
  }),
  page({
    path: '/:project/-/project_members/invitations',
    operation: ProjectInvitationsPageDocument,
    view: 'settings/invitations',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Pending invitations')} · ${project.fullPath}`,
    show: (project) => ({ ...shownIn('project', project), invitations: project.invitations }),
    signIn: true,
  }),
  page({
    path: '/groups/:group/-/group_members/invitations',
    operation: GroupInvitationsPageDocument,
    view: 'settings/invitations',
    found: ({ group }) => group,
    title: (group, { t }) => `${t('Pending invitations')} · ${group.fullPath}`,
    show: (group) => ({ ...shownIn('group', group), invitations: group.invitations }),
    signIn: true,
  }),
  ...rowsOf('project', ofProject),
  ...rowsOf('group', ofGroup),
  form({
    path: inProject('new'),
    operation: SendNewProjectMembersDocument,
    required: ['usernames'],
    says: label('The members were added.'),
    goTo: toProject,
    again: ofProject.create,
    ...names,
  }),
  form({
    path: inGroup('new'),
    operation: SendNewGroupMembersDocument,
    required: ['usernames'],
    says: label('The members were added.'),
    goTo: toGroup,
    again: ofGroup.create,
    ...names,
  }),
  form({
    path: inProject(':userId/edit'),
    operation: SendProjectMemberChangeDocument,
    says: label('The membership was saved.'),
    goTo: toProject,
    again: ofProject.edit,
  }),
  form({
    path: inGroup(':userId/edit'),
    operation: SendGroupMemberChangeDocument,
    says: label('The membership was saved.'),
    goTo: toGroup,
    again: ofGroup.edit,
  }),
  form({
    path: inProject(':userId/remove'),
    operation: SendProjectMemberRemovalDocument,
    says: label('The member was removed.'),
    goTo: toProject,
    asks: ofProject.removal,
  }),
  form({
    path: inGroup(':userId/remove'),
    operation: SendGroupMemberRemovalDocument,
    says: label('The member was removed.'),
    goTo: toGroup,
    asks: ofGroup.removal,
  }),
  form({
    path: inProject('groups'),
    operation: SendProjectShareDocument,
    names: { group: 'sharedGroup' },
    says: label('The members of the group have access.'),
    goTo: goTo('project', 'groups'),
    again: ofProject.shares,
  }),
  form({
    path: inGroup('groups'),
    operation: SendGroupShareDocument,
    names: { invitedGroup: 'sharedGroup' },
    says: label('The members of the group have access.'),
    goTo: goTo('group', 'groups'),
    again: ofGroup.shares,
  }),
  form({
    path: inProject('groups/:id/remove'),
    operation: SendProjectShareRemovalDocument,
    names: { groupId: 'id' },
    hidden: ['group'],
    says: label('The group no longer has access.'),
    goTo: goTo('project', 'groups'),
    asks: ofProject.unshare,
  }),
  form({
    path: inGroup('groups/:id/remove'),
    operation: SendGroupShareRemovalDocument,
    names: { invitedGroupId: 'id' },
    hidden: ['invitedGroup'],
    says: label('The group no longer has access.'),
    goTo: goTo('group', 'groups'),
    asks: ofGroup.unshare,
  }),
  form({
    path: inProject('requests/:userId/approve'),
    operation: SendProjectRequestApprovalDocument,
    required: ['accessLevel'],
    says: label('The request was approved.'),
    goTo: goTo('project', 'requests'),
    again: ofProject.requests,
  }),
  form({
    path: inGroup('requests/:userId/approve'),
    operation: SendGroupRequestApprovalDocument,
    required: ['accessLevel'],
    says: label('The request was approved.'),
    goTo: goTo('group', 'requests'),
    again: ofGroup.requests,
  }),
  form({
    path: inProject('requests/:userId/deny'),
    operation: SendProjectRequestDenialDocument,
    says: label('The request was denied.'),
    asks: denialQuestion,
    goTo: goTo('project', 'requests'),
    again: ofProject.requests,
  }),
  form({
    path: inGroup('requests/:userId/deny'),
    operation: SendGroupRequestDenialDocument,
    says: label('The request was denied.'),
    asks: denialQuestion,
    goTo: goTo('group', 'requests'),
    again: ofGroup.requests,
  }),
];
