import { ciFrame } from '#pages/ci.ts';
import { named } from '#pages/engine/asking.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import {
  idsIn,
  STICKINESS,
  STRATEGIES,
  strategyInWords,
  userIdsIn,
  withoutStrategy,
  withStrategy,
} from '#pages/feature_flag_strategies.ts';
import { inPlace } from '#pages/place.ts';
import {
  FeatureFlagPageDocument,
  FeatureFlagsClientPageDocument,
  FeatureFlagsPageDocument,
  FeatureFlagUserListPageDocument,
  FeatureFlagUserListsPageDocument,
  NewFeatureFlagPageDocument,
  NewFeatureFlagUserListPageDocument,
  SendFeatureFlagChangeDocument,
  SendFeatureFlagDeletionDocument,
  SendFeatureFlagsInstanceIdResetDocument,
  SendFeatureFlagUserListChangeDocument,
  SendFeatureFlagUserListDeletionDocument,
  SendNewFeatureFlagDocument,
  SendNewFeatureFlagUserListDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const at = '/:project/-/feature_flags';
const lists = '/:project/-/feature_flags_user_lists';
const client = '/:project/-/feature_flags_client';

const frame = <P>(project: P) => ciFrame(project, 'feature_flags');
const choices = { strategyNames: STRATEGIES, stickiness: STICKINESS };
/** Names the flag, or the user list, by its number in the path. */
const names = { 'featureFlag[iid]': 'iid' };
const namesOfList = { 'userList[iid]': 'iid' };

const toFlags = (_data: unknown, { given }: Facts) => inPlace(given, 'feature_flags');
const toFlag = (_data: unknown, { given }: Facts) => inPlace(given, 'feature_flags', String(given.iid));
const toLists = (_data: unknown, { given }: Facts) => inPlace(given, 'feature_flags_user_lists');
const toClient = (_data: unknown, { given }: Facts) => inPlace(given, 'feature_flags_client');

const newFlag = page({
  path: `${at}/new`,
  operation: NewFeatureFlagPageDocument,
  view: 'feature_flags/new',
  found: ({ project }) => (project?.viewerCanManageFeatureFlags ? project : null),
  title: (project, { t }) => `${t('New feature flag')} · ${project.fullPath}`,
  show: (project) => ({ ...frame(project), ...choices, userLists: project.featureFlagUserLists?.nodes ?? [] }),
  signIn: true,
});

const flag = page({
  path: `${at}/:iid`,
  operation: FeatureFlagPageDocument,
  view: 'feature_flags/show',
  found: ({ project }) => project?.featureFlag && { project, flag: project.featureFlag },
  title: (found, { t }) => `${found.flag.name} · ${t('Feature flags')} · ${found.project.fullPath}`,
  show: ({ project, flag: one }, { t }) => ({
    ...frame(project),
    ...choices,
    flag: one,
    userLists: project.featureFlagUserLists?.nodes ?? [],
    inWords: one.strategies.map((strategy) => strategyInWords(strategy, t)),
  }),
  signIn: true,
});

const editFlag = page({
  path: `${at}/:iid/edit`,
  operation: FeatureFlagPageDocument,
  view: 'feature_flags/edit',
  found: ({ project }) =>
    project?.featureFlag && project.viewerCanManageFeatureFlags ? { project, flag: project.featureFlag } : null,
  title: (found, { t }) => `${t('Edit {name}', { name: found.flag.name })} · ${found.project.fullPath}`,
  show: ({ project, flag: one }) => ({ ...frame(project), flag: one }),
  signIn: true,
});

const newList = page({
  path: `${lists}/new`,
  operation: NewFeatureFlagUserListPageDocument,
  view: 'feature_flags/list_new',
  found: ({ project }) => (project?.viewerCanManageFeatureFlags ? project : null),
  title: (project, { t }) => `${t('New user list')} · ${project.fullPath}`,
  show: (project) => frame(project),
  signIn: true,
});

const list = page({
  path: `${lists}/:iid`,
  operation: FeatureFlagUserListPageDocument,
  view: 'feature_flags/list_show',
  found: ({ project }) => project?.featureFlagUserList && { project, list: project.featureFlagUserList },
  title: (found, { t }) => `${found.list.name} · ${t('User lists')} · ${found.project.fullPath}`,
  show: ({ project, list: one }) => ({ ...frame(project), list: one }),
  signIn: true,
});

const configure = page({
  path: client,
  operation: FeatureFlagsClientPageDocument,
  view: 'feature_flags/client',
  found: ({ project }) => project?.featureFlagsClient && { project, client: project.featureFlagsClient },
  title: (found, { t }) => `${t('Configure feature flags')} · ${found.project.fullPath}`,
  show: (found) => ({ ...frame(found.project), client: found.client }),
  signIn: true,
});

/** Flags with their strategies, lists of users, and what clients are configured with. */
export const featureFlags = [
  page({
    path: at,
    operation: FeatureFlagsPageDocument,
    view: 'feature_flags/list',
    found: ({ project }) => project?.featureFlags && { project, flags: project.featureFlags },
    title: ({ project }, { t }) => `${t('Feature flags')} · ${project.fullPath}`,
    show: ({ project, flags }, { given, t }) => ({
      ...frame(project),
      flags,
      state: String(given.state ?? 'all'),
      inWords: flags.nodes.map(({ strategies }) => strategies.map((one) => strategyInWords(one, t))),
    }),
    signIn: true,
  }),
  newFlag,
  form({
    path: at,
    operation: SendNewFeatureFlagDocument,
    variables: withStrategy,
    says: label('The feature flag was created.'),
    goTo: ({ createFeatureFlag }, { given }) =>
      inPlace(given, 'feature_flags', createFeatureFlag?.featureFlag.iid ?? ''),
    again: newFlag,
  }),
  flag,
  editFlag,
  form({
    path: `${at}/:iid/edit`,
    operation: SendFeatureFlagChangeDocument,
    names,
    says: label('The feature flag was saved.'),
    goTo: toFlag,
    again: editFlag,
  }),
  form({
    path: `${at}/:iid/active`,
    operation: SendFeatureFlagChangeDocument,
    names,
    hidden: ['name', 'description', 'strategies'],
    required: ['active'],
    says: ({ updateFeatureFlag }, { t }) =>
      updateFeatureFlag?.featureFlag.active ? t('The feature flag is on.') : t('The feature flag is off.'),
    goTo: toFlag,
    again: flag,
  }),
  form({
    path: `${at}/:iid/strategies`,
    operation: SendFeatureFlagChangeDocument,
    names,
    hidden: ['name', 'description', 'active'],
    variables: withStrategy,
    says: label('The strategy was saved.'),
    goTo: toFlag,
    again: flag,
  }),
  form({
    path: `${at}/:iid/strategies/remove`,
    operation: SendFeatureFlagChangeDocument,
    names,
    hidden: ['name', 'description', 'active'],
    variables: withoutStrategy,
    says: label('The strategy was removed.'),
    asks: (facts) => ({
      heading: facts.t('Remove this strategy?'),
      says: [facts.t('The flag is then off for users that no other strategy covers.'), named(facts.given)],
      button: facts.t('Remove strategy'),
      back: toFlag(null, facts),
    }),
    goTo: toFlag,
    again: flag,
  }),
  form({
    path: `${at}/:iid/delete`,
    operation: SendFeatureFlagDeletionDocument,
    names,
    says: label('The feature flag was deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete {name}?', { name: named(facts.given) }),
      says: [facts.t('Applications treat a flag that does not exist as off. This cannot be undone.')],
      button: facts.t('Delete feature flag'),
      back: toFlag(null, facts),
    }),
    goTo: toFlags,
    again: flag,
  }),
  page({
    path: lists,
    operation: FeatureFlagUserListsPageDocument,
    view: 'feature_flags/lists',
    found: ({ project }) => project?.featureFlagUserLists && { project, lists: project.featureFlagUserLists },
    title: ({ project }, { t }) => `${t('User lists')} · ${project.fullPath}`,
    show: (found) => ({
      ...frame(found.project),
      lists: found.lists,
      counts: found.lists.nodes.map(({ userXids }) => idsIn(userXids)),
    }),
    signIn: true,
  }),
  newList,
  form({
    path: lists,
    operation: SendNewFeatureFlagUserListDocument,
    variables: withUserIds,
    says: label('The user list was created.'),
    goTo: toLists,
    again: newList,
  }),
  list,
  form({
    path: `${lists}/:iid`,
    operation: SendFeatureFlagUserListChangeDocument,
    names: namesOfList,
    variables: withUserIds,
    says: label('The user list was saved.'),
    goTo: toLists,
    again: list,
  }),
  form({
    path: `${lists}/:iid/delete`,
    operation: SendFeatureFlagUserListDeletionDocument,
    names: namesOfList,
    says: label('The user list was deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete {name}?', { name: named(facts.given) }),
      says: [facts.t('This cannot be undone. A user list that a strategy uses cannot be deleted.')],
      button: facts.t('Delete user list'),
      back: inPlace(facts.given, 'feature_flags_user_lists', String(facts.given.iid)),
    }),
    goTo: toLists,
    again: list,
  }),
  configure,
  form({
    path: `${client}/reset`,
    operation: SendFeatureFlagsInstanceIdResetDocument,
    says: label('The project has a new instance ID.'),
    asks: (facts) => ({
      heading: facts.t('Make a new instance ID?'),
      says: [facts.t('Clients that use the current instance ID are refused until you give them the new one.')],
      button: facts.t('Make a new instance ID'),
      back: toClient(null, facts),
    }),
    goTo: toClient,
    again: configure,
  }),
];

function withUserIds(given: Facts['given']): Facts['given'] {
  return { ...given, userXids: userIdsIn(String([given.userXids ?? ''].flat().at(-1))) };
}
