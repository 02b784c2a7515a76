import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { ContainerProtectionLevel, levelsOf, ruleOf } from '#schema/container_registry/protection_levels.ts';
import { repositoryRuleFilter } from '#schema/filters.ts';
import { projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { repositoryRuleOrder } from '#schema/orders.ts';
import { fromProject } from '#schema/places/parents.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import {
  createRepositoryRule,
  deleteRepositoryRule,
  repositoryRules,
  updateRepositoryRule,
} from '#src/domain/container_registry/repository_rules.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const PARTS = {
  pattern:
    'The paths of the repositories, which begin with the full path of the project, with `*` for any text; up to 255 characters.',
  push: 'From which access level on users may push to the repositories. Null for all who may push images to the project.',
  delete:
    'From which access level on users may delete the repositories and their tags. Null for all who may delete images of the project.',
} as const;

const ContainerProtectionRepositoryRule = builder.prismaObject('ContainerProtectionRepositoryRule', {
  description:
    'A rule about who may push and delete images in repositories with paths that match. If several match, all of them count.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the rule.',
      resolve: ({ id }) => toGlobalId('ContainerProtectionRepositoryRule', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the rule, as the REST API has it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    repositoryPathPattern: t.exposeString('repositoryPathPattern', { description: PARTS.pattern }),
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

const ContainerProtectionRepositoryRuleConnection = connectionOf(
  'ContainerProtectionRepositoryRule',
  ContainerProtectionRepositoryRule,
);

builder.objectFields(Project, (t) => ({
  containerProtectionRepositoryRules: t.field({
    type: ContainerProtectionRepositoryRuleConnection,
    nullable: true,
    description:
      'The rules about who may push and delete images in repositories, oldest first. For masters; null for others.',
    args: { ...pageArgs, ...repositoryRuleFilter, ...repositoryRuleOrder('ID', 'asc') },
    resolve: (project, args, context, info) =>
      pageBelow(
        'ContainerProtectionRepositoryRule',
        project,
        args,
        context,
        info,
        (_context, projects, page, selection) => repositoryRules.list(context, projects, page, selection),
      ),
  }),
}));

const levels = levelsOf(PARTS);
const which = ruleOf('ContainerProtectionRepositoryRule');

const payload: Payload<ChangedRecord> = changed(
  'containerProtectionRepositoryRule',
  ContainerProtectionRepositoryRule,
  'ContainerProtectionRepositoryRule',
  (context, { project, id }, selection) => repositoryRules.find(context, project, id, selection),
  'protection of repositories of images',
);

mutation('createContainerProtectionRepositoryRule', {
  description:
    'Protects repositories of images by their paths. For masters of the project, which has at most 100 rules.',
  input: {
    description: 'A new protection of repositories of images.',
    argument: 'Pattern and levels of the rule, of which at least one is given.',
    fields: (t) => ({
      project: projectField(t, 'of the images'),
      repositoryPathPattern: t.string({ required: true, description: PARTS.pattern }),
      ...levels(t),
    }),
  },
  resolve: ({ project, ...rule }, context) => createRepositoryRule(context, project, rule),
  payload,
});

mutation('updateContainerProtectionRepositoryRule', {
  description: 'Changes a protection of repositories of images. For masters of the project.',
  input: {
    description: 'Changes to a protection of repositories of images: what is left out stays as it is.',
    argument: 'Names the rule, and what to change.',
    fields: (t) => ({
      ...which(t),
      repositoryPathPattern: t.string({ description: PARTS.pattern }),
      ...levels(t),
    }),
  },
  resolve: async ({ project, id, ...rule }, context) => {
    const holder = await projectHolding(context, 'ContainerProtectionRepositoryRule', { id, project });
    return updateRepositoryRule(context, holder, id, rule);
  },
  payload,
});

mutation('deleteContainerProtectionRepositoryRule', {
  description: 'Removes a protection of repositories of images; another may still match. For masters of the project.',
  input: {
    description: 'Which protection of repositories of images to remove.',
    argument: 'The rule to remove.',
    fields: which,
  },
  resolve: async ({ project, id }, context) => {
    const holder = await projectHolding(context, 'ContainerProtectionRepositoryRule', { id, project });
    return { id: await deleteRepositoryRule(context, holder, id), project: holder };
  },
  payload: { ...deleted('ContainerProtectionRepositoryRule', 'rule'), from: fromProject },
});
