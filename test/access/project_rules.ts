import type { TestUser, World } from '../support/world.ts';
import type { Role, Rule } from './matrix.ts';
import { ciRules } from './project_rules/ci.ts';
import { projectGiven } from './project_rules/given.ts';
import { hookRules } from './project_rules/hooks.ts';
import { issueRules } from './project_rules/issues.ts';
import { memberRules } from './project_rules/members.ts';
import { mergeRequestRules } from './project_rules/merge_requests.ts';
import { ownRules } from './project_rules/project.ts';
import { repositoryRules } from './project_rules/repository.ts';
import { snippetRules } from './project_rules/snippets.ts';

/** behaviour.md 6, line by line, for every route below a project. */
export function projectRules(world: World, users: Record<Role, TestUser | undefined>): Record<string, Rule> {
  const given = projectGiven(world, users);
  return {
    ...ownRules(given),
    ...memberRules(given),
    ...issueRules(given),
    ...mergeRequestRules(given),
    ...snippetRules(given),
    ...repositoryRules(given),
    ...ciRules(given),
    ...hookRules(given),
  };
}
