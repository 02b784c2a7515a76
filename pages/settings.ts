import type { Question } from '#pages/engine/asking.ts';
import * as helpers from '#pages/engine/helpers.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind } from '#pages/place.ts';
import { confirmPage, type PlaceQuestion, type Query, settingsPage } from '#pages/settings_frame.ts';
import {
  type FeatureAccess,
  GroupBadgePageDocument,
  type GroupBadgePageQuery,
  GroupBadgesPageDocument,
  type GroupBadgesPageQuery,
  GroupDangerPageDocument,
  type GroupDangerPageQuery,
  GroupGeneralPageDocument,
  MergeSettingsPageDocument,
  ProjectBadgePageDocument,
  type ProjectBadgePageQuery,
  ProjectBadgesPageDocument,
  type ProjectBadgesPageQuery,
  ProjectDangerPageDocument,
  type ProjectDangerPageQuery,
  ProjectGeneralPageDocument,
  SendBadgeChangeDocument,
  SendBadgeDeletionDocument,
  SendForkRemovalDocument,
  SendGroupAvatarDocument,
  SendGroupAvatarRemovalDocument,
  SendGroupDeletionDocument,
  SendGroupGeneralDocument,
  SendGroupPathDocument,
  SendGroupRightsDocument,
  SendGroupTransferDocument,
  SendMergeSettingsDocument,
  SendNewBadgeDocument,
  SendProjectArchiveDocument,
  SendProjectAvatarDocument,
  SendProjectAvatarRemovalDocument,
  SendProjectDeletionDocument,
  SendProjectFeaturesDocument,
  SendProjectGeneralDocument,
  SendProjectPathDocument,
  SendProjectTransferDocument,
  SendProjectUnarchiveDocument,
  SendProjectVisibilityDocument,
  SendServiceDeskResetDocument,
  TemplateListPageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Who can use a feature, in words. */
const LEVELS: Readonly<Record<FeatureAccess, string>> = {
  ENABLED: label('Everyone who sees the project'),
  PRIVATE: label('Members of the project'),
  DISABLED: label('Nobody: it is off'),
};

const FEATURES = [
  ['repositoryAccess', label('Repository')],
  ['issuesAccess', label('Issues')],
  ['mergeRequestsAccess', label('Merge requests')],
  ['jobsAccess', label('Pipelines')],
  ['snippetsAccess', label('Snippets')],
  ['wikiAccess', label('Wiki')],
  ['containerRegistryAccess', label('Container registry')],
  ['featureFlagsAccess', label('Feature flags')],
] as const;

const VISIBILITIES = [
  ['private', label('Private: only members see it')],
  ['internal', label('Internal: all signed-in users see it, except external ones')],
  ['public', label('Public: everyone sees it, without signing in')],
] as const;

const backTo =
  (...parts: string[]) =>
  (_data: unknown, { given }: Facts) =>
    inPlace(given, 'settings', ...parts);

const toGeneral = backTo('general');

const pictureQuestion = (facts: Facts): Question => ({
  heading: facts.t('Remove the picture?'),
  says: [facts.t('The file is deleted. The first letter of the name is shown in its place.')],
  button: facts.t('Remove picture'),
  back: toGeneral(null, facts),
});

const generalOfProject = settingsPage({
  kind: 'project',
  at: 'settings/general',
  operation: ProjectGeneralPageDocument,
  view: 'project_general',
  section: 'general',
  title: (_place, { t }) => t('Settings'),
  may: (place) => place.viewerCanUpdate,
  show: (place) => ({ before: place, levels: Object.entries(LEVELS), features: FEATURES, visibilities: VISIBILITIES }),
});

const mergeSettings = settingsPage({
  kind: 'project',
  at: 'settings/merge_requests',
  operation: MergeSettingsPageDocument,
  view: 'merge_requests',
  section: 'merge_requests',
  title: (_place, { t }) => t('Merge requests'),
  may: (place) => place.viewerCanUpdate,
  show: (place) => ({ before: place }),
});

const ofProject = (path: string) => `${PLACES.project}/settings/${path}`;
const ofGroup = (path: string) => `${PLACES.group}/settings/${path}`;

const general = [
  generalOfProject,
  form({
    path: ofProject('general'),
    operation: SendProjectGeneralDocument,
    says: label('The settings are saved.'),
    goTo: toGeneral,
    again: generalOfProject,
    lists: ['tagList'],
  }),
  form({
    path: ofProject('general/features'),
    operation: SendProjectFeaturesDocument,
    says: label('The settings are saved.'),
    goTo: toGeneral,
    again: generalOfProject,
  }),
  form({
    path: ofProject('general/service_desk/reset'),
    operation: SendServiceDeskResetDocument,
    says: label('The service desk has a new address.'),
    asks: ({ t, given }) => ({
      heading: t('Reset the address of the service desk?'),
      says: [
        t('Messages to the current address will be refused, and so will replies to mail that has already been sent.'),
      ],
      button: t('Reset address'),
      back: helpers.path(String(given.project), '-', 'settings', 'general'),
    }),
    goTo: toGeneral,
  }),
  form({
    path: ofProject('general/visibility'),
    operation: SendProjectVisibilityDocument,
    required: ['visibility'],
    says: label('The settings are saved.'),
    goTo: toGeneral,
    again: generalOfProject,
  }),
  form({
    path: ofProject('general/avatar'),
    operation: SendProjectAvatarDocument,
    required: ['avatar'],
    says: label('The picture was saved.'),
    goTo: toGeneral,
    again: generalOfProject,
    takesFiles: true,
  }),
  form({
    path: ofProject('general/avatar/remove'),
    operation: SendProjectAvatarRemovalDocument,
    preset: { avatar: null },
    says: label('The picture was removed.'),
    asks: pictureQuestion,
    goTo: toGeneral,
  }),
  mergeSettings,
  form({
    path: ofProject('merge_requests'),
    operation: SendMergeSettingsDocument,
    says: label('The settings are saved.'),
    goTo: backTo('merge_requests'),
    again: mergeSettings,
  }),
  settingsPage({
    kind: 'project',
    at: 'settings/templates',
    operation: TemplateListPageDocument,
    view: 'templates',
    section: 'templates',
    title: (_place, { t }) => t('Templates'),
    may: (place) => place.viewerCanUpdate,
  }),
];

type DangerousProject = NonNullable<ProjectDangerPageQuery['place']>;

/** What will be gone with a project, in words. */
function lostWith({ contents, statistics }: DangerousProject, { t }: Facts): string[] {
  if (!contents) return [];
  const rows = [
    statistics && t('{count, plural, one {# commit} other {# commits}}', { count: statistics.commitCount }),
    t('{count, plural, one {# issue} other {# issues}}', { count: contents.issues }),
    t('{count, plural, one {# merge request} other {# merge requests}}', { count: contents.mergeRequests }),
    t('{count, plural, one {# milestone} other {# milestones}}', { count: contents.milestones }),
    t('{count, plural, one {# pipeline} other {# pipelines}}', { count: contents.pipelines }),
    t('{count, plural, one {# release} other {# releases}}', { count: contents.releases }),
    t('{count, plural, one {# package} other {# packages}}', { count: contents.packages }),
    t('{count, plural, one {# tag of images} other {# tags of images}}', { count: contents.containerTags }),
    t('{count, plural, one {# snippet} other {# snippets}}', { count: contents.snippets }),
    t('{count, plural, one {the rights of # member} other {the rights of # members}}', { count: contents.members }),
    statistics && t('{megabytes, number} MB on the disk', { megabytes: inMegabytes(statistics.storageSize) }),
  ];
  return rows.filter((row) => row !== null && row !== undefined);
}

/** Rounded up, so that little is not nothing. */
function inMegabytes(bytes: unknown): number {
  return Math.ceil(Number(bytes) / 1_000_000);
}

const inFull = (given: Facts['given']) => ({ ...given, full: 'true' });
const back = 'settings/general';

/** A page of the danger zone of a project. */
const dangerOfProject = (
  name: string,
  may: (place: DangerousProject) => unknown,
  ask: (place: DangerousProject, facts: Facts) => PlaceQuestion,
  variables?: typeof inFull,
) =>
  confirmPage({
    kind: 'project',
    at: `settings/general/${name}`,
    operation: ProjectDangerPageDocument as Query<ProjectDangerPageQuery>,
    section: 'general',
    may,
    ask,
    ...(variables && { variables }),
  });

const archive = dangerOfProject(
  'archive',
  (place) => place.viewerCanArchive && !place.archived,
  (place, { t }) => ({
    heading: t('Archive {name}?', { name: place.name }),
    says: [
      t('The project becomes read-only: nobody can push, and it leaves the lists of projects that are worked on.'),
      t('Nothing is deleted. It can be unarchived at any time.'),
    ],
    button: t('Archive project'),
    ...{ action: 'settings/general/archive', back },
  }),
);

const unarchive = dangerOfProject(
  'unarchive',
  (place) => place.viewerCanArchive && place.archived,
  (place, { t }) => ({
    heading: t('Unarchive {name}?', { name: place.name }),
    says: [t('Members can push to it and work on it again.')],
    button: t('Unarchive project'),
    ...{ action: 'settings/general/unarchive', back },
  }),
);

const renameOfProject = dangerOfProject(
  'path',
  (place) => place.viewerCanRename,
  (place, { t }) => ({
    heading: t('Change the path of {name}', { name: place.name }),
    says: [
      t(
        'Addresses of the project and of its repository change. The old ones lead to the new ones until something else takes them.',
      ),
      t('Container images are found under the new path only.'),
    ],
    button: t('Change path'),
    ...{ action: 'settings/general/path', back, isDangerous: true },
    fields: [{ name: 'path', label: t('Path'), value: place.path, plain: true, autocomplete: 'off' }],
  }),
);

const transferOfProject = dangerOfProject(
  'transfer',
  (place) => place.viewerCanMove,
  (place, { t }) => ({
    heading: t('Transfer {name}', { name: place.name }),
    says: [
      t(
        'The members of the new group get access, and those of the present one lose it. Old addresses lead to the new ones.',
      ),
    ],
    button: t('Transfer project'),
    ...{ action: 'settings/general/transfer', back, isDangerous: true, typed: place.fullPath },
    fields: [
      {
        name: 'namespace',
        label: t('New namespace'),
        hint: t('Full path of a group in which you can create projects, or your username.'),
        from: '/-/choices?kind=namespace',
      },
    ],
  }),
);

const unlink = dangerOfProject(
  'unlink_fork',
  (place) => place.viewerCanUnlinkFork && place.forkedFrom,
  (place, { t }) => ({
    heading: t('Remove the fork relationship of {name}?', { name: place.name }),
    says: [
      t('It no longer counts as a fork of {source}, and its open merge requests there are closed.', {
        source: place.forkedFrom?.fullPath,
      }),
      t('This cannot be undone.'),
    ],
    button: t('Remove fork relationship'),
    ...{ action: 'settings/general/unlink_fork', back, isDangerous: true, typed: place.fullPath },
  }),
);

const deletionOfProject = dangerOfProject(
  'delete',
  (place) => place.viewerCanDelete,
  (place, facts) => {
    const { t } = facts;
    const forks = place.contents?.forks ?? 0;
    return {
      heading: t('Delete {name}?', { name: place.name }),
      says: [
        t('The project is deleted with everything in it. This cannot be undone.'),
        ...(forks > 0 ? [t('{forks, plural, one {Its fork stays.} other {Its # forks stay.}}', { forks })] : []),
      ],
      gone: lostWith(place, facts),
      button: t('Delete project'),
      ...{ action: 'settings/general/delete', back, isDangerous: true, typed: place.fullPath },
    };
  },
  inFull,
);

interface Saved {
  fullPath: string;
}

/** The settings of a place that has a new address. */
const settingsAt = (kind: PlaceKind, place: Saved | undefined, { given }: Facts) =>
  place
    ? `${kind === 'group' ? helpers.path('groups', place.fullPath) : helpers.path(place.fullPath)}/-/settings/general`
    : inPlace(given, 'settings', 'general');

const dangerOfProjects = [
  archive,
  form({
    path: ofProject('general/archive'),
    operation: SendProjectArchiveDocument,
    says: label('The project is archived.'),
    goTo: toGeneral,
    asks: archive,
  }),
  unarchive,
  form({
    path: ofProject('general/unarchive'),
    operation: SendProjectUnarchiveDocument,
    says: label('The project is no longer archived.'),
    goTo: toGeneral,
    asks: unarchive,
  }),
  renameOfProject,
  form({
    path: ofProject('general/path'),
    operation: SendProjectPathDocument,
    required: ['path'],
    says: label('The project has a new path.'),
    goTo: ({ updateProject }, facts) => settingsAt('project', updateProject?.project, facts),
    asks: renameOfProject,
  }),
  transferOfProject,
  form({
    path: ofProject('general/transfer'),
    operation: SendProjectTransferDocument,
    required: ['confirmation'],
    says: label('The project was transferred.'),
    goTo: ({ moveProject }, facts) => settingsAt('project', moveProject?.project, facts),
    asks: transferOfProject,
  }),
  unlink,
  form({
    path: ofProject('general/unlink_fork'),
    operation: SendForkRemovalDocument,
    required: ['confirmation'],
    says: label('The project is no longer a fork.'),
    goTo: toGeneral,
    asks: unlink,
  }),
  deletionOfProject,
  form({
    path: ofProject('general/delete'),
    operation: SendProjectDeletionDocument,
    required: ['confirmation'],
    says: label('The project was deleted.'),
    goTo: () => '/explore',
    asks: deletionOfProject,
  }),
];

const CREATORS = [
  ['noone', label('Nobody')],
  ['owner', label('Owners')],
  ['maintainer', label('Owners and maintainers')],
  ['developer', label('Owners, maintainers and developers')],
  ['administrator', label('Administrators of the server')],
] as const;

const generalOfGroup = settingsPage({
  kind: 'group',
  at: 'settings/general',
  operation: GroupGeneralPageDocument,
  view: 'group_general',
  section: 'general',
  title: (_place, { t }) => t('Settings'),
  may: (place) => place.viewerCanUpdate,
  show: (place) => ({ before: place, visibilities: VISIBILITIES, creators: CREATORS }),
});

type DangerousGroup = NonNullable<GroupDangerPageQuery['place']>;

const dangerOfGroup = (
  name: string,
  may: (place: DangerousGroup) => unknown,
  ask: (place: DangerousGroup, facts: Facts) => PlaceQuestion,
  variables?: typeof inFull,
) =>
  confirmPage({
    kind: 'group',
    at: `settings/general/${name}`,
    operation: GroupDangerPageDocument as Query<GroupDangerPageQuery>,
    section: 'general',
    may,
    ask,
    ...(variables && { variables }),
  });

const renameOfGroup = dangerOfGroup(
  'path',
  (place) => place.viewerCanUpdate,
  (place, { t }) => ({
    heading: t('Change the path of {name}', { name: place.name }),
    says: [
      t(
        'Addresses of the group, of the groups inside and of all their projects change. The old ones lead to the new ones until something else takes them.',
      ),
    ],
    button: t('Change path'),
    ...{ action: 'settings/general/path', back, isDangerous: true },
    fields: [{ name: 'path', label: t('Path'), value: place.path, plain: true, autocomplete: 'off' }],
  }),
);

const transferOfGroup = dangerOfGroup(
  'transfer',
  (place) => place.viewerCanTransfer,
  (place, { t }) => ({
    heading: t('Transfer {name}', { name: place.name }),
    says: [
      t(
        'The group moves with all groups and projects inside. Members of the new parent group get access, and those of the present one lose it. Old addresses lead to the new ones.',
      ),
    ],
    button: t('Transfer group'),
    ...{ action: 'settings/general/transfer', back, isDangerous: true, typed: place.fullPath },
    fields: [
      {
        name: 'parentGroup',
        label: t('New parent group'),
        hint: t('Full path of a group in which you can create groups. Without one, the group moves to the top.'),
        ...{ from: '/-/choices?kind=group', optional: true },
      },
    ],
  }),
);

const deletionOfGroup = dangerOfGroup(
  'delete',
  (place) => place.viewerCanDelete,
  (place, { t }) => ({
    heading: t('Delete {name}?', { name: place.name }),
    says: [t('The group is deleted with all groups and projects inside. This cannot be undone.')],
    gone: place.contents
      ? [
          t('{count, plural, one {# project} other {# projects}}', { count: place.contents.projects }),
          t('{count, plural, one {# group inside} other {# groups inside}}', { count: place.contents.subgroups }),
          t('{count, plural, one {# issue} other {# issues}}', { count: place.contents.issues }),
          t('{count, plural, one {# merge request} other {# merge requests}}', {
            count: place.contents.mergeRequests,
          }),
          t('{count, plural, one {the rights of # member} other {the rights of # members}}', {
            count: place.contents.members,
          }),
          t('{megabytes, number} MB on the disk', { megabytes: inMegabytes(place.contents.storageSize) }),
        ]
      : [],
    button: t('Delete group'),
    ...{ action: 'settings/general/delete', back, isDangerous: true, typed: place.fullPath },
  }),
  inFull,
);

const groups = [
  generalOfGroup,
  form({
    path: ofGroup('general'),
    operation: SendGroupGeneralDocument,
    says: label('The settings are saved.'),
    goTo: toGeneral,
    again: generalOfGroup,
  }),
  form({
    path: ofGroup('general/rights'),
    operation: SendGroupRightsDocument,
    says: label('The settings are saved.'),
    goTo: toGeneral,
    again: generalOfGroup,
  }),
  form({
    path: ofGroup('general/avatar'),
    operation: SendGroupAvatarDocument,
    required: ['avatar'],
    says: label('The picture was saved.'),
    goTo: toGeneral,
    again: generalOfGroup,
    takesFiles: true,
  }),
  form({
    path: ofGroup('general/avatar/remove'),
    operation: SendGroupAvatarRemovalDocument,
    preset: { avatar: null },
    says: label('The picture was removed.'),
    asks: pictureQuestion,
    goTo: toGeneral,
  }),
  renameOfGroup,
  form({
    path: ofGroup('general/path'),
    operation: SendGroupPathDocument,
    required: ['path'],
    says: label('The group has a new path.'),
    goTo: ({ updateGroup }, facts) => settingsAt('group', updateGroup?.group, facts),
    asks: renameOfGroup,
  }),
  transferOfGroup,
  form({
    path: ofGroup('general/transfer'),
    operation: SendGroupTransferDocument,
    names: { parent: 'parentGroup' },
    required: ['confirmation'],
    says: label('The group was transferred.'),
    goTo: ({ transferGroup }, facts) => settingsAt('group', transferGroup?.group, facts),
    asks: transferOfGroup,
  }),
  deletionOfGroup,
  form({
    path: ofGroup('general/delete'),
    operation: SendGroupDeletionDocument,
    required: ['confirmation'],
    says: label('The group was deleted.'),
    goTo: () => '/explore/groups',
    asks: deletionOfGroup,
  }),
];

interface BadgePages {
  list: Query<ProjectBadgesPageQuery | GroupBadgesPageQuery>;
  one: Query<ProjectBadgePageQuery | GroupBadgePageQuery>;
}

function badgesOf(kind: PlaceKind, { list, one }: BadgePages) {
  const at = 'settings/badges';
  const common = { kind, section: 'badges' };
  const own = kind === 'project' ? 'PROJECT' : 'GROUP';
  const badges = settingsPage({
    ...common,
    at,
    operation: list,
    view: 'badges',
    title: (_place, { t }) => t('Badges'),
    may: (place) => place.viewerCanManageBadges,
    show: ({ badges }) => ({ badges, own, before: {} }),
  });
  const edit = settingsPage({
    ...common,
    at: `${at}/:id/edit`,
    operation: one,
    view: 'badge_edit',
    title: (_place, { t }) => t('Edit badge'),
    may: (place) => place.viewerCanManageBadges && place.badge?.kind === own,
    show: ({ badge }) => ({ badge, before: badge }),
  });
  const deletion = confirmPage({
    ...common,
    at: `${at}/:id/delete`,
    operation: one,
    may: (place) => place.viewerCanManageBadges && place.badge?.kind === own,
    ask: ({ badge }, { t }) => ({
      heading: t('Delete badge {name}?', { name: badge?.name ?? badge?.linkUrl }),
      says: [t('It is no longer shown. This cannot be undone.')],
      button: t('Delete badge'),
      ...{ action: `${at}/${badge?.databaseId}/delete`, back: at, isDangerous: true },
    }),
  });
  const goTo = backTo('badges');
  return [
    badges,
    form({
      path: `${PLACES[kind]}/${at}`,
      operation: SendNewBadgeDocument,
      required: ['name'],
      says: label('The badge was added.'),
      goTo,
      again: badges,
    }),
    edit,
    form({
      path: `${PLACES[kind]}/${at}/:id/edit`,
      operation: SendBadgeChangeDocument,
      required: ['name', 'linkUrl', 'imageUrl'],
      says: label('The badge was saved.'),
      goTo,
      again: edit,
    }),
    deletion,
    form({
      path: `${PLACES[kind]}/${at}/:id/delete`,
      operation: SendBadgeDeletionDocument,
      says: label('The badge was deleted.'),
      goTo,
      asks: deletion,
    }),
  ];
}

/** Leads from an address that people know to where it is now. */
const knownAs = (kind: PlaceKind, at: string, to: string) => {
  const leads = {
    path: `${PLACES[kind]}/${at}`,
    view: 'error' as const,
    title: () => '',
    show: () => ({}),
    redirectTo: (_found: unknown, { given }: Facts) => inPlace(given, ...to.split('/')),
    signIn: true,
  };
  return kind === 'project'
    ? page({ ...leads, operation: ProjectDangerPageDocument, found: ({ place }) => place })
    : page({ ...leads, operation: GroupDangerPageDocument, found: ({ place }) => place });
};

/** The general settings of projects and groups, with those of merge requests, badges, and what is dangerous. */
export const settings = [
  ...general,
  ...dangerOfProjects,
  ...groups,
  ...badgesOf('project', { list: ProjectBadgesPageDocument, one: ProjectBadgePageDocument }),
  ...badgesOf('group', { list: GroupBadgesPageDocument, one: GroupBadgePageDocument }),
  knownAs('project', 'edit', 'settings/general'),
  knownAs('project', 'settings', 'settings/general'),
  knownAs('group', 'edit', 'settings/general'),
  knownAs('group', 'settings', 'settings/general'),
];
