import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { PersonalNamespace } from '#schema/namespaces/types.ts';
import { can } from '#src/access/permissions/abilities.ts';
import {
  deletePackageSettings,
  type PackageSettings as PackageSettingsRow,
  updatePackageSettings,
} from '#src/domain/packages/settings.ts';

/** What each setting says, for its fields and inputs. */
const PARTS = {
  mavenDuplicatesAllowed:
    'Whether a file of a version of a Maven package can be published again; the last one counts then. Files of snapshots are the same in all builds.',
  mavenDuplicateExceptionRegex: exceptionsOf('Maven packages', 'mavenDuplicatesAllowed'),
  genericDuplicatesAllowed:
    'Whether a file of a version of a generic package can be published again; the last one counts then.',
  genericDuplicateExceptionRegex: exceptionsOf('Generic packages', 'genericDuplicatesAllowed'),
  nugetDuplicatesAllowed: 'Whether a version of a NuGet package can be published again; the last one counts then.',
  nugetDuplicateExceptionRegex: exceptionsOf('NuGet packages', 'nugetDuplicatesAllowed'),
  terraformModuleDuplicatesAllowed:
    'Whether a version of a Terraform module can be published again in its project; the last one counts then.',
  terraformModuleDuplicateExceptionRegex: exceptionsOf('Terraform modules', 'terraformModuleDuplicatesAllowed'),
} as const;

function exceptionsOf(packages: string, setting: string): string {
  return `Regular expression. ${packages} whose whole name or version matches can be published again even if \`${setting}\` is false; an empty one matches none.`;
}

const PackageSettings = builder.objectRef<PackageSettingsRow>('PackageSettings').implement({
  description:
    'Whether packages can be published again in the projects of a namespace, and of groups in it without settings of their own.',
  fields: (t) => ({
    isInherited: t.exposeBoolean('isInherited', {
      description:
        'Whether the namespace has no settings of its own: they are those of the nearest group around it, or the default.',
    }),
    mavenDuplicatesAllowed: t.exposeBoolean('mavenDuplicatesAllowed', { description: PARTS.mavenDuplicatesAllowed }),
    mavenDuplicateExceptionRegex: t.exposeString('mavenDuplicateExceptionRegex', {
      description: PARTS.mavenDuplicateExceptionRegex,
    }),
    genericDuplicatesAllowed: t.exposeBoolean('genericDuplicatesAllowed', {
      description: PARTS.genericDuplicatesAllowed,
    }),
    genericDuplicateExceptionRegex: t.exposeString('genericDuplicateExceptionRegex', {
      description: PARTS.genericDuplicateExceptionRegex,
    }),
    nugetDuplicatesAllowed: t.exposeBoolean('nugetDuplicatesAllowed', { description: PARTS.nugetDuplicatesAllowed }),
    nugetDuplicateExceptionRegex: t.exposeString('nugetDuplicateExceptionRegex', {
      description: PARTS.nugetDuplicateExceptionRegex,
    }),
    terraformModuleDuplicatesAllowed: t.exposeBoolean('terraformModuleDuplicatesAllowed', {
      description: PARTS.terraformModuleDuplicatesAllowed,
    }),
    terraformModuleDuplicateExceptionRegex: t.exposeString('terraformModuleDuplicateExceptionRegex', {
      description: PARTS.terraformModuleDuplicateExceptionRegex,
    }),
  }),
});

builder.objectFields(Group, (t) => ({
  packageSettings: t.field({
    type: PackageSettings,
    nullable: true,
    description: 'The package settings that apply in the group. For members; null for others.',
    resolve: (group, _args, { actor, loaders }) =>
      can(actor, 'read_group_package_settings', group) ? loaders.packageSettings.load(group.id) : null,
  }),
}));

builder.prismaObjectFields(PersonalNamespace, (t) => ({
  packageSettings: t.field({
    type: PackageSettings,
    nullable: true,
    description: 'The package settings of the namespace. For its owner and administrators; null for others.',
    select: { id: true, ownerId: true },
    resolve: ({ id, ownerId }, _args, { actor, loaders }) =>
      actor && (actor.admin || actor.id === ownerId) ? loaders.packageSettings.load(id) : null,
  }),
}));

const pathField = (t: InputFields) => ({
  namespacePath: t.id({ required: true, description: 'Full path of the group or of the personal namespace.' }),
});

const payload: Payload<{ id: number }> = {
  description: 'The package settings after the mutation.',
  fields: (t) => ({
    packageSettings: t.field({
      type: PackageSettings,
      description: 'The package settings that apply in the namespace now.',
      resolve: ({ id }, _args, { loaders }) => loaders.packageSettings.load(id),
    }),
  }),
};

mutation('updateNamespacePackageSettings', {
  description:
    'Changes the package settings of a group, or of the caller’s personal namespace. A namespace without its own gets them from what applied so far. For masters of the group.',
  input: {
    description: 'Changes to package settings. What is left out stays as it is.',
    argument: 'The namespace, and the changes.',
    fields: (t) => ({
      ...pathField(t),
      mavenDuplicatesAllowed: t.boolean({ description: PARTS.mavenDuplicatesAllowed }),
      mavenDuplicateExceptionRegex: t.string({ description: PARTS.mavenDuplicateExceptionRegex }),
      genericDuplicatesAllowed: t.boolean({ description: PARTS.genericDuplicatesAllowed }),
      genericDuplicateExceptionRegex: t.string({ description: PARTS.genericDuplicateExceptionRegex }),
      nugetDuplicatesAllowed: t.boolean({ description: PARTS.nugetDuplicatesAllowed }),
      nugetDuplicateExceptionRegex: t.string({ description: PARTS.nugetDuplicateExceptionRegex }),
      terraformModuleDuplicatesAllowed: t.boolean({ description: PARTS.terraformModuleDuplicatesAllowed }),
      terraformModuleDuplicateExceptionRegex: t.string({ description: PARTS.terraformModuleDuplicateExceptionRegex }),
    }),
  },
  resolve: ({ namespacePath, ...changes }, context) => updatePackageSettings(context, String(namespacePath), changes),
  payload,
});

mutation('inheritNamespacePackageSettings', {
  description:
    'Removes the package settings of a group, or of the caller’s personal namespace: those of the nearest group around it or the default apply from then on. For masters of the group.',
  input: {
    description: 'The namespace whose package settings are removed.',
    argument: 'The namespace that has settings of its own.',
    fields: pathField,
  },
  resolve: ({ namespacePath }, context) => deletePackageSettings(context, String(namespacePath)),
  payload,
});
