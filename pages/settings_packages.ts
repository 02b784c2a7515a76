import { type Facts, form } from '#pages/engine/row.ts';
import { inPlace, PLACES } from '#pages/place.ts';
import { confirmPage, settingsPage } from '#pages/settings_frame.ts';
import {
  GroupPackageSettingsPageDocument,
  SendPackageSettingsDeletionDocument,
  SendPackageSettingsDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The kinds of packages that can be published again, with the fields of what says so. */
const KINDS = [
  { allowed: 'mavenDuplicatesAllowed', exceptions: 'mavenDuplicateExceptionRegex', name: 'Maven' },
  { allowed: 'genericDuplicatesAllowed', exceptions: 'genericDuplicateExceptionRegex', name: label('Generic') },
  { allowed: 'nugetDuplicatesAllowed', exceptions: 'nugetDuplicateExceptionRegex', name: 'NuGet' },
  {
    allowed: 'terraformModuleDuplicatesAllowed',
    exceptions: 'terraformModuleDuplicateExceptionRegex',
    name: label('Terraform modules'),
  },
] as const;

const AT = 'settings/packages_and_registries';
const PATH = `${PLACES.group}/${AT}`;
const COMMON = { kind: 'group', section: 'package_settings', operation: GroupPackageSettingsPageDocument } as const;

/** The namespace is the group of the page. */
const variables = (given: Facts['given']): Facts['given'] => ({ ...given, namespacePath: given.group });

const settings = settingsPage({
  ...{ ...COMMON, at: AT, view: 'package_settings' },
  may: (place) => place.viewerCanManagePackages && place.packageSettings,
  title: (_place, { t }) => t('Package settings'),
  show: ({ packageSettings }) => ({ before: packageSettings ?? { isInherited: true }, kinds: KINDS }),
});

const deletion = confirmPage({
  ...{ ...COMMON, at: `${AT}/delete` },
  may: (place) => place.viewerCanManagePackages && place.packageSettings?.isInherited === false,
  ask: (_place, { t }) => ({
    heading: t('Remove the package settings?'),
    says: [t('The settings of the nearest group around it apply then, or the default.')],
    button: t('Remove'),
    ...{ action: `${AT}/delete`, back: AT, isDangerous: true },
  }),
});

const goTo = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'packages_and_registries');

/** Whether packages can be published again in the projects of a group. */
export const packageSettingsPages = [
  settings,
  form({
    ...{ path: PATH, operation: SendPackageSettingsDocument, variables, goTo, again: settings },
    says: label('The package settings are saved.'),
  }),
  deletion,
  form({
    ...{ path: `${PATH}/delete`, operation: SendPackageSettingsDeletionDocument, variables, goTo, asks: deletion },
    says: label('The package settings are removed.'),
  }),
];
