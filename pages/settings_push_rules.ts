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
  ['commitMessageRegex', label('Commit messages match')],
  ['commitMessageNegativeRegex', label('Commit messages do not match')],
  ['branchNameRegex', label('Branch names match')],
  ['authorEmailRegex', label('Author email addresses match')],
  ['fileNameRegex', label('File paths do not match')],
] as const;

/** What is asked by yes or no. */
const SWITCHES = [
  ['memberCheck', label('Commit authors have an account here')],
  ['commitCommitterCheck', label('The committer’s address is a confirmed one of the user who pushes')],
  ['commitCommitterNameCheck', label('The committer’s name is that of the user who pushes')],
  ['rejectUnsignedCommits', label('Commits are signed')],
  ['rejectNonDcoCommits', label('Commit messages have a “Signed-off-by” line')],
  ['preventSecrets', label('No files that look like keys or stored passwords')],
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
      says: [t('Pushes then only have to meet the rules of the groups around it, if there are any.')],
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
