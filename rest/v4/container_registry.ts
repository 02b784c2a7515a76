import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const LIST = '/projects/:id/registry/repositories';
const ONE = `${LIST}/:repository_id`;
const TAGS = `${ONE}/tags`;

const constants = { cleanup_policy_started_at: null, status: null } as const;
const common = {
  jobToken: true,
  numeric: ['repository_id'],
  notFound: { ContainerRepository: '404 Repository Not Found', ContainerTag: '404 Tag Not Found' },
} as const;
const reads = { auth: 'optional', precheck: 'read_container_image', ...common } as const;
const deletes = { method: 'DELETE', precheck: 'delete_container_image', ...common } as const;

const RULES = '/projects/:id/registry/protection/tag/rules';
const ONE_RULE = `${RULES}/:protection_rule_id`;
const ruled = {
  numeric: ['protection_rule_id'],
  notFound: { ContainerTagProtectionRule: '404 Not found' },
} as const;
const RULE = 'containerTagProtectionRule';

export const containerRegistry: Route[] = [
  {
    method: 'GET',
    path: LIST,
    operation: operations.ProjectContainerRepositoriesDocument,
    result: 'project.containerRepositories',
    auth: 'optional',
    precheck: 'read_container_image',
    jobToken: true,
    constants,
  },
  {
    method: 'GET',
    path: '/groups/:id/registry/repositories',
    operation: operations.GroupContainerRepositoriesDocument,
    result: 'group.containerRepositories',
    constants,
  },
  {
    method: 'GET',
    path: '/registry/repositories/:repository_id',
    operation: operations.AnyContainerRepositoryDocument,
    result: 'containerRepository',
    numeric: ['repository_id'],
    notFound: { ContainerRepository: '404 Repository Not Found' },
    constants,
  },
  {
    ...deletes,
    path: ONE,
    ...mutation('DeleteContainerRepository', 'deleteContainerRepository', 'deletedContainerRepositoryId'),
    status: 202,
    body: {},
  },
  {
    ...reads,
    method: 'GET',
    path: TAGS,
    operation: operations.ContainerTagsDocument,
    result: 'project.containerRepository.tags',
  },
  {
    ...reads,
    method: 'GET',
    path: `${TAGS}/:tag_name`,
    operation: operations.ContainerTagDocument,
    result: 'project.containerRepository.tag',
  },
  {
    ...deletes,
    path: `${TAGS}/:tag_name`,
    ...mutation('DeleteContainerTag', 'deleteContainerTag', 'deletedContainerTagName'),
    names: { name: 'tag_name' },
    body: {},
  },
  {
    ...deletes,
    path: TAGS,
    ...mutation('DeleteContainerTags', 'deleteContainerTags', 'containerRepositoryId'),
    status: 202,
    body: {},
    synonyms: { name_regex: 'name_regex_delete' },
    description: 'Deletes many tags of a repository of images in the background.',
  },
  {
    method: 'GET',
    path: RULES,
    operation: operations.ContainerTagProtectionRulesDocument,
    result: 'project.containerTagProtectionRules',
  },
  {
    method: 'POST',
    path: RULES,
    ...mutation(
      'CreateContainerTagProtectionRule',
      `createContainerTagProtectionRule.${RULE}`,
      '...ContainerTagProtectionRuleRecord',
    ),
  },
  {
    method: 'PATCH',
    path: ONE_RULE,
    ...mutation(
      'UpdateContainerTagProtectionRule',
      `updateContainerTagProtectionRule.${RULE}`,
      '...ContainerTagProtectionRuleRecord',
    ),
    names: { id: 'protection_rule_id' },
    ...ruled,
  },
  {
    method: 'DELETE',
    path: ONE_RULE,
    ...mutation(
      'DeleteContainerTagProtectionRule',
      'deleteContainerTagProtectionRule',
      'deletedContainerTagProtectionRuleId',
    ),
    names: { id: 'protection_rule_id' },
    ...ruled,
    status: 204,
  },
];
