import { builder } from '#schema/builder.ts';
import type { Feature, FeatureLevel } from '#src/access/permissions/features.ts';
import type { TokenScope as Reach, Scope } from '#src/access/permissions/scopes.ts';
import type { PagesLevel } from '#src/domain/sites/visit.ts';

/** Enum values: domain values by GraphQL name, each with a description. */
export function values<T extends string | number>(described: Record<string, { value: T; description: string }>) {
  return described;
}

export const Visibility = builder.enumType('Visibility', {
  description: 'Who can see a project or group.',
  values: values<'private' | 'internal' | 'public'>({
    PRIVATE: { value: 'private', description: 'Only members and administrators.' },
    INTERNAL: { value: 'internal', description: 'All signed-in users except external ones.' },
    PUBLIC: { value: 'public', description: 'Everyone, including anonymous callers.' },
  }),
});

export const ServiceAccountKind = builder.enumType('ServiceAccountKind', {
  description: 'What a service account is for, which is what its owners own.',
  values: values<'server' | 'group' | 'project' | 'support'>({
    SERVER: { value: 'server', description: 'Anything on the server; administrators manage it.' },
    GROUP: { value: 'group', description: 'A group and what is in it.' },
    PROJECT: { value: 'project', description: 'The account is for programs of one project.' },
    SUPPORT: {
      value: 'support',
      description: 'The user who writes what comes by mail to service desks. There is one.',
    },
  }),
});

export const UserState = builder.enumType('UserState', {
  description: 'State of a user account.',
  values: values<'active' | 'blocked' | 'ldap_blocked' | 'deactivated' | 'banned' | 'blocked_pending_approval'>({
    ACTIVE: { value: 'active', description: 'The user can sign in.' },
    BLOCKED: { value: 'blocked', description: 'Blocked by an administrator; cannot sign in.' },
    LDAP_BLOCKED: {
      value: 'ldap_blocked',
      description: 'Blocked by directory synchronisation; cannot sign in.',
    },
    DEACTIVATED: {
      value: 'deactivated',
      description: 'Put aside for lack of activity; active again after signing in with the password.',
    },
    BANNED: { value: 'banned', description: 'Banned by an administrator; cannot sign in.' },
    BLOCKED_PENDING_APPROVAL: {
      value: 'blocked_pending_approval',
      description: 'Signed up, and cannot sign in until an administrator approves.',
    },
  }),
});

export const NamespaceKind = builder.enumType('NamespaceKind', {
  description: 'What kind of namespace it is.',
  values: values<'user' | 'group'>({
    USER: { value: 'user', description: 'The personal namespace of a user.' },
    GROUP: { value: 'group', description: 'A group of several people.' },
  }),
});

export const MergeMethod = builder.enumType('MergeMethod', {
  description: 'How the merge requests of a project get into their target branches.',
  values: values<'merge' | 'rebase_merge' | 'ff'>({
    MERGE: { value: 'merge', description: 'With a merge commit.' },
    REBASE_MERGE: {
      value: 'rebase_merge',
      description: 'With a merge commit, once the source branch has all commits of the target branch.',
    },
    FAST_FORWARD: {
      value: 'ff',
      description:
        'Without a merge commit, once the source branch has all commits of the target branch, which is moved ahead.',
    },
  }),
});

export const SquashOption = builder.enumType('SquashOption', {
  description: 'Whether the commits of a merge request become one when it is merged.',
  values: values<'never' | 'always' | 'default_on' | 'default_off'>({
    NEVER: { value: 'never', description: 'They stay as they are, whatever is asked for.' },
    ALWAYS: { value: 'always', description: 'They become one, whatever is asked for.' },
    DEFAULT_ON: { value: 'default_on', description: 'They become one unless the merge request says otherwise.' },
    DEFAULT_OFF: {
      value: 'default_off',
      description: 'They stay as they are unless the merge request says otherwise.',
    },
  }),
});

export const FeatureAccess = builder.enumType('FeatureAccess', {
  description: 'Who can use a feature of a project, or the wiki of a group.',
  values: values<FeatureLevel>({
    DISABLED: { value: 'disabled', description: 'Nobody: the feature is switched off.' },
    PRIVATE: { value: 'private', description: 'Members, within their rights.' },
    ENABLED: { value: 'enabled', description: 'Everyone who can see the project or group, within their rights.' },
  }),
});

export const PagesAccess = builder.enumType('PagesAccess', {
  description: 'Who can visit the site of a project.',
  values: values<PagesLevel>({
    DISABLED: { value: 'disabled', description: 'Nobody: the project has no site.' },
    PRIVATE: { value: 'private', description: 'Members of the project.' },
    ENABLED: { value: 'enabled', description: 'Everyone who can see the project.' },
    PUBLIC: { value: 'public', description: 'Everyone, whoever can see the project.' },
  }),
});

export const ProjectFeature = builder.enumType('ProjectFeature', {
  description: 'A feature of a project that can be switched off, or kept for its members.',
  values: values<Feature>({
    ISSUES: { value: 'issues', description: 'Issues, with their notes and boards.' },
    MERGE_REQUESTS: { value: 'mergeRequests', description: 'Merge requests, with their notes.' },
    REPOSITORY: { value: 'repository', description: 'The repository, with branches, commits and files.' },
    JOBS: { value: 'jobs', description: 'Pipelines, jobs, environments and deployments.' },
    WIKI: { value: 'wiki', description: 'Pages of text beside the repository, with a history.' },
    SNIPPETS: { value: 'snippets', description: 'Pieces of code or text that people share.' },
    CONTAINER_REGISTRY: { value: 'containerRegistry', description: 'Images of the container registry.' },
    FEATURE_FLAGS: { value: 'featureFlags', description: 'Switches of an application, and who they are on for.' },
  }),
});

export const AutoCancel = builder.enumType('AutoCancelPendingPipelines', {
  description: 'Whether new pipelines of a project cancel older ones of their branch.',
  values: values<'disabled' | 'enabled'>({
    DISABLED: { value: 'disabled', description: 'Only where the file of the older one says so.' },
    ENABLED: {
      value: 'enabled',
      description:
        'Unless the file of the older one says otherwise, or a job of it that must not be interrupted has begun.',
    },
  }),
});

export const ImportStatus = builder.enumType('ImportStatus', {
  description: 'Progress of a repository import.',
  values: values<'scheduled' | 'started' | 'finished' | 'failed' | 'canceled'>({
    SCHEDULED: { value: 'scheduled', description: 'The import is waiting to start.' },
    STARTED: { value: 'started', description: 'The import is in progress.' },
    FINISHED: { value: 'finished', description: 'The import succeeded, and the repository is ready.' },
    FAILED: { value: 'failed', description: 'The import failed; there is no repository.' },
    CANCELED: { value: 'canceled', description: 'The import was canceled; there is no repository.' },
  }),
});

export const AccessLevel = builder.enumType('AccessLevel', {
  description: 'What a membership allows. Each level includes everything that the lower levels allow.',
  values: values<number>({
    GUEST: { value: 10, description: 'Level 10: can read and create issues.' },
    REPORTER: { value: 20, description: 'Level 20: can also read the repository and manage issues and labels.' },
    DEVELOPER: { value: 30, description: 'Level 30: can also push to branches that are not protected.' },
    // Both names are read; what is answered has the name that comes last.
    MAINTAINER: { value: 40, description: 'Level 40, as `MASTER`, for input: answers say `MASTER`.' },
    MASTER: { value: 40, description: 'Level 40: can also administer the project.' },
    OWNER: { value: 50, description: 'Level 50: owns the group or the personal namespace.' },
  }),
});

const CREATORS = {
  NOONE: { value: 'noone', description: 'Nobody, not even administrators.' },
  ADMINISTRATOR: { value: 'administrator', description: 'Only administrators of the server.' },
  OWNER: { value: 'owner', description: 'Owners of the group, and administrators.' },
  MAINTAINER: { value: 'maintainer', description: 'Masters, owners and administrators.' },
  DEVELOPER: { value: 'developer', description: 'Developers and all above.' },
} as const;

export const ProjectCreationLevel = builder.enumType('ProjectCreationLevel', {
  description: 'Who can create projects in a group.',
  values: CREATORS,
});

export const SubgroupCreationLevel = builder.enumType('SubgroupCreationLevel', {
  description: 'Who can create subgroups of a group.',
  values: { OWNER: CREATORS.OWNER, MAINTAINER: CREATORS.MAINTAINER } as const,
});

export const SortDirection = builder.enumType('SortDirection', {
  description: 'Direction of an order.',
  values: values<'asc' | 'desc'>({
    ASC: { value: 'asc', description: 'Smallest or oldest first.' },
    DESC: { value: 'desc', description: 'Largest or newest first.' },
  }),
});

export const TokenScope = builder.enumType('TokenScope', {
  description: 'A scope of a personal access token.',
  values: values<Reach>({
    API: { value: 'api', description: 'Everything that the user can do.' },
    READ_API: { value: 'read_api', description: 'Everything that the user can see, without changing anything.' },
    READ_USER: { value: 'read_user', description: 'Reading users, including the token’s own user.' },
    READ_REPOSITORY: {
      value: 'read_repository',
      description: 'Fetching with git over HTTP, and reading files and archives of repositories.',
    },
    WRITE_REPOSITORY: { value: 'write_repository', description: 'Fetching and pushing with git over HTTP.' },
    CREATE_RUNNER: { value: 'create_runner', description: 'Creating runners where the user can.' },
    MANAGE_RUNNER: {
      value: 'manage_runner',
      description: 'Reading, changing and removing runners that the user administers.',
    },
    SELF_ROTATE: { value: 'self_rotate', description: 'Replacing the token by a new one.' },
    SUDO: {
      value: 'sudo',
      description: 'Acting as other users within the other scopes, if the user is an administrator.',
    },
    ADMIN_MODE: { value: 'admin_mode', description: 'Nothing; accepted for tools that ask for it.' },
    AI_FEATURES: { value: 'ai_features', description: 'Nothing; accepted for tools that ask for it.' },
    K8S_PROXY: { value: 'k8s_proxy', description: 'Nothing; accepted for tools that ask for it.' },
    READ_SERVICE_PING: { value: 'read_service_ping', description: 'Nothing; accepted for tools that ask for it.' },
    READ_VIRTUAL_REGISTRY: {
      value: 'read_virtual_registry',
      description: 'Nothing; accepted for tools that ask for it.',
    },
    WRITE_VIRTUAL_REGISTRY: {
      value: 'write_virtual_registry',
      description: 'Nothing; accepted for tools that ask for it.',
    },
    READ_REGISTRY: { value: 'read_registry', description: 'Pulling images from the container registry.' },
    WRITE_REGISTRY: { value: 'write_registry', description: 'Pushing images to the container registry.' },
    READ_METRICS: { value: 'read_metrics', description: 'The metrics of the server, if the user is an administrator.' },
  }),
});

export const OAuthScope = builder.enumType('OAuthScope', {
  description: 'A scope that an application can request.',
  values: values<Scope>({
    API: { value: 'api', description: 'Everything that the user can do.' },
    READ_API: { value: 'read_api', description: 'Everything that the user can see, without changing anything.' },
    READ_USER: { value: 'read_user', description: 'The profile of the user, and the profiles that the user can see.' },
    READ_REPOSITORY: {
      value: 'read_repository',
      description: 'Fetching with git over HTTP, and reading files and archives of repositories.',
    },
    WRITE_REPOSITORY: { value: 'write_repository', description: 'Fetching and pushing with git over HTTP.' },
    CREATE_RUNNER: { value: 'create_runner', description: 'Creating runners where the user can.' },
    MANAGE_RUNNER: {
      value: 'manage_runner',
      description: 'Reading, changing and removing runners that the user administers.',
    },
    SUDO: {
      value: 'sudo',
      description: 'Acting as other users within the other scopes, if the user is an administrator.',
    },
    OPENID: { value: 'openid', description: 'Who the user is, by OpenID Connect.' },
    PROFILE: { value: 'profile', description: 'Name and public profile of the user, by OpenID Connect.' },
    EMAIL: { value: 'email', description: 'Primary e-mail address of the user, by OpenID Connect.' },
  }),
});

export const BranchProtection = builder.enumType('BranchProtection', {
  description: 'How the default branches of new projects are protected.',
  values: values<number>({
    NONE: { value: 0, description: 'Developers can push, force-push and delete the branch.' },
    PARTIAL: { value: 1, description: 'Developers can push; nobody can delete the branch or force-push.' },
    FULL: { value: 2, description: 'Only masters can push; nobody can delete the branch or force-push.' },
  }),
});
