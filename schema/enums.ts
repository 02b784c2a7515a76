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
    PRIVATE: { value: 'private', description: 'Its members see it.' },
    INTERNAL: { value: 'internal', description: 'Every signed-in user who is not external sees it.' },
    PUBLIC: { value: 'public', description: 'Everybody sees it, without signing in.' },
  }),
});

export const UserState = builder.enumType('UserState', {
  description: 'Whether a user may sign in.',
  values: values<'active' | 'blocked' | 'ldap_blocked'>({
    ACTIVE: { value: 'active', description: 'May sign in.' },
    BLOCKED: { value: 'blocked', description: 'May not sign in.' },
    LDAP_BLOCKED: { value: 'ldap_blocked', description: 'Blocked by directory synchronisation.' },
  }),
});

export const NamespaceKind = builder.enumType('NamespaceKind', {
  description: 'What a namespace belongs to.',
  values: values<'user' | 'group'>({
    USER: { value: 'user', description: 'The personal namespace of a user.' },
    GROUP: { value: 'group', description: 'A group.' },
  }),
});

export const ImportStatus = builder.enumType('ImportStatus', {
  description: 'How far the import of a repository is.',
  values: values<'scheduled' | 'started' | 'finished' | 'failed'>({
    SCHEDULED: { value: 'scheduled', description: 'It waits for its turn.' },
    STARTED: { value: 'started', description: 'It is under way.' },
    FINISHED: { value: 'finished', description: 'The repository is there.' },
    FAILED: { value: 'failed', description: 'It ended without a repository.' },
  }),
});

export const AccessLevel = builder.enumType('AccessLevel', {
  description: 'How far a membership reaches. Each level includes the ones before it.',
  values: values<number>({
    GUEST: { value: 10, description: 'Reads issues and creates them.' },
    REPORTER: { value: 20, description: 'Also reads the repository and manages issues and labels.' },
    DEVELOPER: { value: 30, description: 'Also pushes.' },
    MASTER: { value: 40, description: 'Also administers the project.' },
    OWNER: { value: 50, description: 'Owns the group.' },
  }),
});

export const SortDirection = builder.enumType('SortDirection', {
  description: 'Which end of an order comes first.',
  values: values<'asc' | 'desc'>({
    ASC: { value: 'asc', description: 'The smallest or oldest.' },
    DESC: { value: 'desc', description: 'The largest or newest.' },
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
