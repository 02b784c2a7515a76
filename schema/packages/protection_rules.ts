import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { ContainerProtectionLevel, levelsOf, ruleOf } from '#schema/container_registry/protection_levels.ts';
import { packageRuleFilter } from '#schema/filters.ts';
import { projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { packageRuleOrder } from '#schema/orders.ts';
import { PackageType } from '#schema/packages/types.ts';
import { fromProject } from '#schema/places/parents.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import {
  createPackageRule,
  deletePackageRule,
  packageRules,
  updatePackageRule,
} from '#src/domain/packages/protection_rules.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const PARTS = {
  type: 'The kind of packages that are protected.',
  pattern: 'The names of the packages, with `*` for any text; up to 255 characters.',
  push: 'From which access level on users may publish the packages. Null for all who may publish packages of the project.',
  delete:
    'From which access level on users may delete the packages. Null for all who may delete packages of the project.',
} as const;

const PackagesProtectionRule = builder.prismaObject('PackagesProtectionRule', {
  description:
    'A rule about who may publish and delete packages with names that match. If several match, all of them count.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the rule.',
      resolve: ({ id }) => toGlobalId('PackagesProtectionRule', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the rule, as the REST API has it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    packageType: t.expose('packageType', { type: PackageType, description: PARTS.type }),
    packageNamePattern: t.exposeString('packageNamePattern', { description: PARTS.pattern }),
    minimumAccessLevelForPush: t.field({
      type: ContainerProtectionLevel,
      nullable: true,
      description: PARTS.push,
      select: { minimumAccessLevelForPush: true },
      resolve: ({ minimumAccessLevelForPush: role }) => role,
    }),
    minimumAccessLevelForDelete: t.field({
      type: ContainerProtectionLevel,
      nullable: true,
      description: PARTS.delete,
      select: { minimumAccessLevelForDelete: true },
      resolve: ({ minimumAccessLevelForDelete: role }) => role,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the rule was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the rule was last changed.' }),
  }),
});

const PackagesProtectionRuleConnection = connectionOf('PackagesProtectionRule', PackagesProtectionRule);

builder.objectFields(Project, (t) => ({
  packagesProtectionRules: t.field({
    type: PackagesProtectionRuleConnection,
    nullable: true,
    description: 'The rules about who may publish and delete packages, oldest first. For masters; null for others.',
    args: { ...pageArgs, ...packageRuleFilter, ...packageRuleOrder('ID', 'asc') },
    resolve: (project, args, context, info) =>
      pageBelow('PackagesProtectionRule', project, args, context, info, (_context, projects, page, selection) =>
        packageRules.list(context, projects, page, selection),
      ),
  }),
}));

const levels = levelsOf(PARTS);
const which = ruleOf('PackagesProtectionRule');

const payload: Payload<ChangedRecord> = changed(
  'packagesProtectionRule',
  PackagesProtectionRule,
  'PackagesProtectionRule',
  (context, { project, id }, selection) => packageRules.find(context, project, id, selection),
  'protection of packages',
);

mutation('createPackagesProtectionRule', {
  description: 'Protects packages by their names. For masters of the project, which has at most 100 rules.',
  input: {
    description: 'A new protection of packages.',
    argument: 'Pattern and levels of the rule, of which at least one is given.',
    fields: (t) => ({
      project: projectField(t, 'of the packages'),
      packageType: t.field({ type: PackageType, required: true, description: PARTS.type }),
      packageNamePattern: t.string({ required: true, description: PARTS.pattern }),
      ...levels(t),
    }),
  },
  resolve: ({ project, ...rule }, context) => createPackageRule(context, project, rule),
  payload,
});

mutation('updatePackagesProtectionRule', {
  description: 'Changes a protection of packages. For masters of the project.',
  input: {
    description: 'Changes to a protection of packages: what is left out stays as it is.',
    argument: 'Names the rule, and what to change.',
    fields: (t) => ({
      ...which(t),
      packageType: t.field({ type: PackageType, description: PARTS.type }),
      packageNamePattern: t.string({ description: PARTS.pattern }),
      ...levels(t),
    }),
  },
  resolve: async ({ project, id, ...rule }, context) => {
    const holder = await projectHolding(context, 'PackagesProtectionRule', { id, project });
    return updatePackageRule(context, holder, id, rule);
  },
  payload,
});

mutation('deletePackagesProtectionRule', {
  description: 'Removes a protection of packages; another may still match them. For masters of the project.',
  input: { description: 'Which protection of packages to remove.', argument: 'The rule to remove.', fields: which },
  resolve: async ({ project, id }, context) => {
    const holder = await projectHolding(context, 'PackagesProtectionRule', { id, project });
    return { id: await deletePackageRule(context, holder, id), project: holder };
  },
  payload: { ...deleted('PackagesProtectionRule', 'rule'), from: fromProject },
});
