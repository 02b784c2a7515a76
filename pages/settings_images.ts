import { named } from '#pages/engine/asking.ts';
import { type Facts, form } from '#pages/engine/row.ts';
import { inPlace, PLACES } from '#pages/place.ts';
import { settingsPage } from '#pages/settings_frame.ts';
import {
  ImageRulesPageDocument,
  SendImagePolicyDocument,
  SendTagRuleDeletionDocument,
  SendTagRuleDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const AT = 'settings/container_registry';
const path = `${PLACES.project}/${AT}`;
const goTo = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'container_registry');

/** Who may do what is protected, for choices. */
export const LEVELS = [
  ['MAINTAINER', label('Maintainers')],
  ['OWNER', label('Owners')],
  ['ADMIN', label('Administrators')],
] as const;

const CADENCES = [
  ['1d', label('Every day')],
  ['7d', label('Every week')],
  ['14d', label('Every two weeks')],
  ['1month', label('Every month')],
  ['3month', label('Every three months')],
] as const;

const KEPT = ['1', '5', '10', '25', '50', '100'];
const AGES = [7, 14, 30, 60, 90];

const rules = settingsPage({
  ...{ kind: 'project', section: 'packages', at: AT, operation: ImageRulesPageDocument, view: 'image_rules' },
  may: (place) => place.viewerCanManageContainerImages,
  title: (_place, { t }) => t('Image tags'),
  show: ({ containerTagProtectionRules, containerExpirationPolicy: policy }) => ({
    rules: containerTagProtectionRules?.nodes ?? [],
    nextRunAt: policy?.enabled ? policy.nextRunAt : null,
    ...{ levels: LEVELS, cadences: CADENCES, kept: KEPT, ages: AGES },
    before: {
      ...policy,
      nameRegexDelete: policy?.nameRegex,
      minimumAccessLevelForPush: 'MAINTAINER',
      minimumAccessLevelForDelete: 'MAINTAINER',
    },
  }),
});

/** Tags that nobody changes have no levels. */
function withoutLevels({ immutable, ...given }: Facts['given']): Facts['given'] {
  if ([immutable].flat().at(-1) !== 'true') return given;
  const { minimumAccessLevelForPush: _push, minimumAccessLevelForDelete: _delete, ...others } = given;
  return others;
}

/** Which tags of images are protected, and which are deleted on a schedule. */
export const settingsImages = [
  rules,
  form({
    path: `${path}/protections`,
    operation: SendTagRuleDocument,
    variables: withoutLevels,
    says: label('The tags are protected.'),
    goTo,
    again: rules,
  }),
  form({
    path: `${path}/protections/delete`,
    operation: SendTagRuleDeletionDocument,
    says: label('The tags are no longer protected.'),
    asks: (facts) => ({
      heading: facts.t('Unprotect {name}?', { name: named(facts.given, 'pattern') }),
      says: [
        facts.t('Developers can push matching tags, and maintainers delete them, unless another protection matches.'),
      ],
      button: facts.t('Unprotect'),
      back: goTo(null, facts),
    }),
    goTo,
    again: rules,
  }),
  form({
    path: `${path}/policy`,
    operation: SendImagePolicyDocument,
    says: label('The settings are saved.'),
    goTo,
    again: rules,
  }),
];
