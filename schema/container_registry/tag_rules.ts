import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { ContainerProtectionLevel, levelsOf, ruleOf } from '#schema/container_registry/protection_levels.ts';
import { containerTagRuleFilter } from '#schema/filters.ts';
import { projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { containerTagRuleOrder } from '#schema/orders.ts';
import { fromProject } from '#schema/places/parents.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { createTagRule, deleteTagRule, tagRules, updateTagRule } from '#src/domain/container_registry/tag_rules.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';

const PARTS = {
  tagNamePattern: 'A regular expression that matches the whole names of the tags, up to 100 characters.',
  push: 'From which access level on users may push the tags. Null, with the other level, for tags that nobody changes.',
  delete:
    'From which access level on users may delete the tags. Null, with the other level, for tags that nobody deletes.',
} as const;

const ContainerTagProtectionRule = builder.prismaObject('ContainerTagProtectionRule', {
  description:
    'A rule about who may push and delete the tags of images with names that match. If several match, all of them count.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the rule.',
      resolve: ({ id }) => toGlobalId('ContainerTagProtectionRule', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the rule, as the REST API has it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    tagNamePattern: t.exposeString('tagNamePattern', { description: PARTS.tagNamePattern }),
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
    immutable: t.boolean({
      description: 'Whether tags stay as they are once they are there: nobody pushes or deletes them.',
      select: { minimumAccessLevelForPush: true },
      resolve: ({ minimumAccessLevelForPush }) => minimumAccessLevelForPush === null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the rule was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the rule was last changed.' }),
  }),
});

const ContainerTagProtectionRuleConnection = connectionOf('ContainerTagProtectionRule', ContainerTagProtectionRule);

builder.objectFields(Project, (t) => ({
  containerTagProtectionRules: t.field({
    type: ContainerTagProtectionRuleConnection,
    nullable: true,
    description: 'The rules about who may push and delete tags of images, oldest first. For masters; null for others.',
    args: { ...pageArgs, ...containerTagRuleFilter, ...containerTagRuleOrder('ID', 'asc') },
    resolve: (project, args, context, info) =>
      pageBelow('ContainerTagProtectionRule', project, args, context, info, (_context, projects, page, selection) =>
        tagRules.list(context, projects, page, selection),
      ),
  }),
}));

const levels = levelsOf(PARTS);
const which = ruleOf('ContainerTagProtectionRule');

const payload: Payload<ChangedRecord> = changed(
  'containerTagProtectionRule',
  ContainerTagProtectionRule,
  'ContainerTagProtectionRule',
  (context, { project, id }, selection) => tagRules.find(context, project, id, selection),
  'protection of tags of images',
);

mutation('createContainerTagProtectionRule', {
  description:
    'Protects tags of images, or makes them immutable. For masters of the project, which has at most 5 rules.',
  input: {
    description: 'A new protection of tags of images.',
    argument: 'Pattern and levels of the rule.',
    fields: (t) => ({
      project: projectField(t, 'of the images'),
      tagNamePattern: t.string({ required: true, description: PARTS.tagNamePattern }),
      ...levels(t),
    }),
  },
  resolve: ({ project, ...rule }, context) => createTagRule(context, project, rule),
  payload,
});

mutation('updateContainerTagProtectionRule', {
  description: 'Changes a protection of tags of images. For masters of the project.',
  input: {
    description: 'Changes to a protection of tags of images: what is left out stays as it is.',
    argument: 'Names the rule, and the changes.',
    fields: (t) => ({
      ...which(t),
      tagNamePattern: t.string({ description: PARTS.tagNamePattern }),
      ...levels(t),
    }),
  },
  resolve: async ({ project, id, ...rule }, context) => {
    const holder = await projectHolding(context, 'ContainerTagProtectionRule', { id, project });
    return updateTagRule(context, holder, id, rule);
  },
  payload,
});

mutation('deleteContainerTagProtectionRule', {
  description: 'Removes a protection of tags of images; another may still match them. For masters of the project.',
  input: {
    description: 'Which protection of tags of images to remove.',
    argument: 'Names the rule to remove.',
    fields: which,
  },
  resolve: async ({ project, id }, context) => {
    const holder = await projectHolding(context, 'ContainerTagProtectionRule', { id, project });
    return { id: await deleteTagRule(context, holder, id), project: holder };
  },
  payload: { ...deleted('ContainerTagProtectionRule', 'rule'), from: fromProject },
});
