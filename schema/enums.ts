import { builder } from '#schema/builder.ts';
import type { Scope } from '#src/access/scopes.ts';
import type { TokenScope as Reach } from '#src/access/tokens/create.ts';

/** Enum values: the domain's word by its GraphQL name, each with a description. */
function values<T extends string | number>(described: Record<string, { value: T; description: string }>) {
  return described;
}

export const Visibility = builder.enumType('Visibility', {
  description: 'Who may see a project or group.',
  values: values<'private' | 'internal' | 'public'>({
    PRIVATE: { value: 'private', description: 'Only members see it, and administrators.' },
    INTERNAL: { value: 'internal', description: 'Every signed-in user sees it who is not external.' },
    PUBLIC: { value: 'public', description: 'Everybody sees it, also anonymous callers.' },
  }),
});

export const UserState = builder.enumType('UserState', {
  description: 'Whether a user may sign in, and why not.',
  values: values<'active' | 'blocked' | 'ldap_blocked'>({
    ACTIVE: { value: 'active', description: 'The user may sign in.' },
    BLOCKED: { value: 'blocked', description: 'An administrator has blocked the user, who may not sign in.' },
    LDAP_BLOCKED: {
      value: 'ldap_blocked',
      description: 'Directory synchronisation has blocked the user, who may not sign in.',
    },
  }),
});

export const NamespaceKind = builder.enumType('NamespaceKind', {
  description: 'Whether a namespace is a group or belongs to a user.',
  values: values<'user' | 'group'>({
    USER: { value: 'user', description: 'The personal namespace of a user.' },
    GROUP: { value: 'group', description: 'A group of several people.' },
  }),
});

export const ImportStatus = builder.enumType('ImportStatus', {
  description: 'Progress of the import of a repository from elsewhere.',
  values: values<'scheduled' | 'started' | 'finished' | 'failed'>({
    SCHEDULED: { value: 'scheduled', description: 'The import waits for its turn.' },
    STARTED: { value: 'started', description: 'The import is under way.' },
    FINISHED: { value: 'finished', description: 'The import has succeeded: the repository is there.' },
    FAILED: { value: 'failed', description: 'The import has failed, and there is no repository.' },
  }),
});

export const AccessLevel = builder.enumType('AccessLevel', {
  description: 'What a membership allows; each level allows all that those below it do.',
  values: values<number>({
    GUEST: { value: 10, description: 'Reads issues and creates them: level 10.' },
    REPORTER: { value: 20, description: 'Also reads the repository and manages issues and labels: level 20.' },
    DEVELOPER: { value: 30, description: 'Also pushes to branches that are not protected: level 30.' },
    MASTER: { value: 40, description: 'Also administers the project: level 40.' },
    OWNER: { value: 50, description: 'Owns the group or the personal namespace: level 50.' },
  }),
});

export const SortDirection = builder.enumType('SortDirection', {
  description: 'Which end of an order comes first.',
  values: values<'asc' | 'desc'>({
    ASC: { value: 'asc', description: 'The smallest or the oldest comes first.' },
    DESC: { value: 'desc', description: 'The largest or the newest comes first.' },
  }),
});

export const TokenScope = builder.enumType('TokenScope', {
  description: 'What a personal access token reaches.',
  values: values<Reach>({
    API: { value: 'api', description: 'Everything that its user may do.' },
    READ_USER: { value: 'read_user', description: 'Reading of users, its own included.' },
    READ_METRICS: { value: 'read_metrics', description: 'Metrics of the server, where its user is an administrator.' },
  }),
});

export const OAuthScope = builder.enumType('OAuthScope', {
  description: 'What an application may ask users for.',
  values: values<Scope>({
    API: { value: 'api', description: 'Everything that the user may do.' },
    READ_USER: { value: 'read_user', description: 'The profile of the user, and those that the user sees.' },
    OPENID: { value: 'openid', description: 'Who the user is, by OpenID Connect.' },
    PROFILE: { value: 'profile', description: 'Name and public profile of the user, by OpenID Connect.' },
    EMAIL: { value: 'email', description: 'Primary e-mail address of the user, by OpenID Connect.' },
  }),
});

export const BranchProtection = builder.enumType('BranchProtection', {
  description: 'How the default branches of new projects are protected.',
  values: values<number>({
    NONE: { value: 0, description: 'Developers push, delete and force pushes.' },
    PARTIAL: { value: 1, description: 'Developers push; nobody deletes the branch or forces pushes.' },
    FULL: { value: 2, description: 'Only masters push; nobody deletes the branch or forces pushes.' },
  }),
});
