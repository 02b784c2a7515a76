import type { TestUser, World } from '../support/world.ts';
import type { Role, Rule } from './matrix.ts';
import { ciRules } from './project_rules/ci.ts';
import { featureFlagRules } from './project_rules/feature_flags.ts';
import { projectGiven } from './project_rules/given.ts';
import { hookRules } from './project_rules/hooks.ts';
import { integrationRules } from './project_rules/integrations.ts';
import { issueRules } from './project_rules/issues.ts';
import { memberRules } from './project_rules/members.ts';
import { mergeRequestRules } from './project_rules/merge_requests.ts';
import { pagesRules } from './project_rules/pages.ts';
import { ownRules } from './project_rules/project.ts';
import { repositoryRules } from './project_rules/repository.ts';
import { snippetRules } from './project_rules/snippets.ts';

type Users = Record<Role, TestUser | undefined>;

/** behaviour.md 6, line by line, for the routes of a project itself, its members, snippets and hooks. */
export function ownProjectRules(world: World, users: Users): Record<string, Rule> {
  const given = projectGiven(world, users);
  return {
    ...ownRules(given),
    ...memberRules(given),
    ...snippetRules(given),
    ...hookRules(given),
    ...integrationRules(given),
  };
}

/** The same for the routes of issues and merge requests. */
export function trackingRules(world: World, users: Users): Record<string, Rule> {
  const given = projectGiven(world, users);
  return { ...issueRules(given), ...mergeRequestRules(given) };
}

/** The same for the routes of repositories, pipelines, runners, feature flags and sites. */
export function codeRules(world: World, users: Users): Record<string, Rule> {
  const given = projectGiven(world, users);
  return { ...repositoryRules(given), ...ciRules(given), ...featureFlagRules(given), ...pagesRules(given) };
}

/** Every route below a project. */
export function projectRules(world: World, users: Users): Record<string, Rule> {
  return { ...ownProjectRules(world, users), ...trackingRules(world, users), ...codeRules(world, users) };
}
