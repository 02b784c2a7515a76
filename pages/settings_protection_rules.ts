import { named } from '#pages/engine/asking.ts';
import { type Facts, form } from '#pages/engine/row.ts';
import { inPlace, PLACES } from '#pages/place.ts';
import { settingsPage } from '#pages/settings_frame.ts';
import { LEVELS } from '#pages/settings_images.ts';
import {
  ProtectionRulesPageDocument,
  SendPackageRuleDeletionDocument,
  SendPackageRuleDocument,
  SendRepositoryRuleDeletionDocument,
  SendRepositoryRuleDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const AT = 'settings/protection_rules';
const path = `${PLACES.project}/${AT}`;
const goTo = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'protection_rules');

/** The kinds of packages as their registries are called. */
const TYPES = [
  ...[['GENERIC', 'Generic'] as const, ['NPM', 'npm'] as const, ['PYPI', 'PyPI'] as const, ['MAVEN', 'Maven'] as const],
  ...[['HELM', 'Helm'] as const, ['NUGET', 'NuGet'] as const, ['COMPOSER', 'Composer'] as const],
  ...[['TERRAFORM_MODULE', 'Terraform'] as const, ['CONAN', 'Conan'] as const, ['RUBYGEMS', 'RubyGems'] as const],
  ['DEBIAN', 'Debian'] as const,
];

const rules = settingsPage({
  ...{ kind: 'project', section: 'packages', at: AT, operation: ProtectionRulesPageDocument, view: 'protection_rules' },
  may: (place) => place.viewerCanManagePackages,
  title: (_place, { t }) => t('Protection rules'),
  show: ({
    fullPath,
    packagesProtectionRules,
    containerProtectionRepositoryRules,
    viewerCanManageContainerImages,
  }) => ({
    packages: packagesProtectionRules?.nodes ?? [],
    repositories: viewerCanManageContainerImages ? (containerProtectionRepositoryRules?.nodes ?? []) : null,
    ...{ levels: LEVELS, types: TYPES, images: fullPath.toLowerCase() },
    before: { minimumAccessLevelForPush: 'MAINTAINER', minimumAccessLevelForDelete: 'OWNER' },
  }),
});

/** A level that is not chosen leaves it to all who may otherwise. */
function withoutEmpty(given: Facts['given']): Facts['given'] {
  const empty = ['minimumAccessLevelForPush', 'minimumAccessLevelForDelete'].filter((name) => given[name] === '');
  return { ...given, ...Object.fromEntries(empty.map((name) => [name, null])) };
}

const asks = (facts: Facts) => ({
  heading: facts.t('Unprotect {name}?', { name: named(facts.given, 'pattern') }),
  says: [
    facts.t(
      'Developers can publish matching packages and images, and maintainers delete them, unless another rule matches.',
    ),
  ],
  button: facts.t('Unprotect'),
  back: goTo(null, facts),
});

/** Who may publish and delete packages and images, by their names. */
export const protectionRules = [
  rules,
  form({
    path: `${path}/packages`,
    operation: SendPackageRuleDocument,
    variables: withoutEmpty,
    says: label('The packages are protected.'),
    goTo,
    again: rules,
  }),
  form({
    path: `${path}/packages/delete`,
    operation: SendPackageRuleDeletionDocument,
    says: label('The packages are no longer protected.'),
    asks,
    goTo,
    again: rules,
  }),
  form({
    path: `${path}/repositories`,
    operation: SendRepositoryRuleDocument,
    variables: withoutEmpty,
    says: label('The repositories are protected.'),
    goTo,
    again: rules,
  }),
  form({
    path: `${path}/repositories/delete`,
    operation: SendRepositoryRuleDeletionDocument,
    says: label('The repositories are no longer protected.'),
    asks,
    goTo,
    again: rules,
  }),
];
