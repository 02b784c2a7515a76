import { type Facts, form } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind } from '#pages/place.ts';
import { confirmPage, type Query, settingsPage } from '#pages/settings_frame.ts';
import {
  GroupPushRulePageDocument,
  type GroupPushRulePageQuery,
  ProjectPushRulePageDocument,
  type ProjectPushRulePageQuery,
  SendNewPushRuleDocument,
  SendPushRuleChangeDocument,
  SendPushRuleDeletionDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** What is asked by expressions, in the words of the form. */
const PATTERNS = [
  ['commitMessageRegex', label('Messages of commits match')],
  ['commitMessageNegativeRegex', label('Messages of commits do not match')],
  ['branchNameRegex', label('Names of branches match')],
  ['authorEmailRegex', label('Email addresses of authors match')],
  ['fileNameRegex', label('Paths of files do not match')],
] as const;

/** What is asked by yes or no. */
const SWITCHES = [
  ['memberCheck', label('Authors of commits have an account here')],
  ['commitCommitterCheck', label('Committers have a confirmed address of the user who pushes')],
  ['commitCommitterNameCheck', label('Committers have the name of the user who pushes')],
  ['rejectUnsignedCommits', label('Commits are signed')],
  ['rejectNonDcoCommits', label('Messages of commits have a line “Signed-off-by”')],
  ['preventSecrets', label('No files with names of keys or of stored passwords')],
  ['denyDeleteTag', label('No tags are deleted by a push')],
] as const;

/** What a place without a rule begins with. */
const NOTHING = { maxFileSize: 0 };

const AT = 'settings/push_rules';

function pushRulesOf(kind: PlaceKind, operation: Query<ProjectPushRulePageQuery | GroupPushRulePageQuery>) {
  const path = `${PLACES[kind]}/${AT}`;
  const common = { kind, section: 'push_rules', operation };
  const rule = settingsPage({
    ...common,
    at: AT,
    view: 'push_rules',
    title: (_place, { t }) => t('Push rules'),
    may: (place) => place.viewerCanManagePushRules,
    show: ({ pushRule }) => ({
      ...{ hasRule: pushRule !== null, ofGroup: kind === 'group', patterns: PATTERNS, switches: SWITCHES },
      before: pushRule ?? NOTHING,
    }),
  });
  const deletion = confirmPage({
    ...common,
    at: `${AT}/delete`,
    may: (place) => place.viewerCanManagePushRules && place.pushRule,
    ask: (_place, { t }) => ({
      heading: t('Remove the push rules?'),
      says: [t('Pushes are no longer asked for any of this, but for what the groups around ask.')],
      button: t('Remove'),
      ...{ action: `${AT}/delete`, back: AT, isDangerous: true },
    }),
  });
  const goTo = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'push_rules');
  return [
    rule,
    form({ path, operation: SendNewPushRuleDocument, says: label('The push rules are saved.'), goTo, again: rule }),
    form({
      path: `${path}/change`,
      operation: SendPushRuleChangeDocument,
      says: label('The push rules are saved.'),
      goTo,
      again: rule,
    }),
    deletion,
    form({
      path: `${path}/delete`,
      operation: SendPushRuleDeletionDocument,
      says: label('The push rules are removed.'),
      goTo,
      asks: deletion,
    }),
  ];
}

/** What pushes to a project, or to those below a group, must be like. */
export const pushRulePages = [
  ...pushRulesOf('project', ProjectPushRulePageDocument as Query<ProjectPushRulePageQuery>),
  ...pushRulesOf('group', GroupPushRulePageDocument as Query<GroupPushRulePageQuery>),
];
