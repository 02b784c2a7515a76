import { builder } from '#schema/builder.ts';
import { deprecated } from '#schema/deprecated.ts';
import { BranchProtection, Visibility } from '#schema/enums.ts';
import type { Settings } from '#src/platform/settings/current.ts';

export const GitAccessProtocol = builder.enumType('GitAccessProtocol', {
  description: 'A protocol that git can use.',
  values: {
    SSH: { value: 'ssh', description: 'Git can use SSH only.' },
    HTTP: { value: 'http', description: 'Git can use HTTP only.' },
  } as const,
});

export const ApplicationSettings = builder.objectRef<Settings>('ApplicationSettings').implement({
  description: 'The settings of the whole server, which administrators change.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', {
      description: 'Numeric ID of the settings. Always the same, as there is one record.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the settings were created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the settings last changed.' }),
    defaultProjectsLimit: t.exposeInt('defaultProjectsLimit', {
      description: 'Number of personal projects that a new user can have.',
    }),
    signupEnabled: t.exposeBoolean('signupEnabled', { description: 'Whether people can sign up by themselves.' }),
    requireAdminApprovalAfterUserSignup: t.exposeBoolean('requireAdminApprovalAfterUserSignup', {
      description: 'Whether users who sign up wait until an administrator approves.',
    }),
    deactivateDormantUsersPeriod: t.exposeInt('deactivateDormantUsersPeriod', {
      description: 'Days without activity after which a user can be deactivated.',
    }),
    signinEnabled: t.exposeBoolean('signinEnabled', { description: 'Whether users can sign in with a password.' }),
    avatarServiceEnabled: t.exposeBoolean('avatarServiceEnabled', {
      description: 'Whether users without a picture of their own get one from the avatar service.',
    }),
    signInText: t.exposeString('signInText', {
      nullable: true,
      description: 'Text of the sign-in page, in Markdown; null when unset.',
    }),
    frontPageTitle: t.exposeString('frontPageTitle', {
      nullable: true,
      description: 'Heading of the page that visitors see first; null for the words of the server.',
    }),
    frontPageText: t.exposeString('frontPageText', {
      nullable: true,
      description: 'Text of the page that visitors see first, in Markdown; null when unset.',
    }),
    homePageUrl: t.exposeString('homePageUrl', {
      nullable: true,
      description: 'URL that visitors who are not signed in are sent to; null when unset.',
    }),
    defaultBranchProtection: t.expose('defaultBranchProtection', {
      type: BranchProtection,
      description: 'How the default branches of new projects are protected.',
    }),
    restrictedVisibilityLevels: t.expose('restrictedVisibilityLevels', {
      type: [Visibility],
      nullable: true,
      description: 'Visibilities that only administrators can choose; null when none is restricted.',
    }),
    anonymousApiReads: t.exposeBoolean('anonymousApiReads', {
      description:
        'Whether the REST API shows public projects and groups to callers without a credential, as pages and GraphQL do. Otherwise it answers them 401 where it is not marked public.',
    }),
    projectExportEnabled: t.exposeBoolean('projectExportEnabled', {
      description: 'Whether projects can be exported as archives.',
    }),
    maxExportSize: t.exposeInt('maxExportSize', {
      description: 'Size of the largest archive of a project that is made, in megabytes; 0 for any size.',
    }),
    maxImportSize: t.exposeInt('maxImportSize', {
      description:
        'Size of the largest archive of a project that is imported, in megabytes; 0 for the limit of the server alone.',
    }),
    allowBypassPlaceholderConfirmation: t.exposeBoolean('allowBypassPlaceholderConfirmation', {
      description: 'Whether administrators assign placeholders of imports to accounts without asking these.',
    }),
    allowContributionMappingToAdmins: t.exposeBoolean('allowContributionMappingToAdmins', {
      description: 'Whether placeholders of imports may be assigned to administrators.',
    }),
    maxAttachmentSize: t.exposeInt('maxAttachmentSize', { description: 'Size of the largest upload, in megabytes.' }),
    sessionExpireDelay: t.exposeInt('sessionExpireDelay', {
      description: 'Minutes after which an unused session ends.',
    }),
    defaultProjectVisibility: t.expose('defaultProjectVisibility', {
      type: Visibility,
      description: 'Visibility of new projects that do not specify one.',
    }),
    defaultSnippetVisibility: t.expose('defaultSnippetVisibility', {
      type: Visibility,
      description: 'Visibility of new snippets that do not specify one.',
    }),
    defaultGroupVisibility: t.expose('defaultGroupVisibility', {
      type: Visibility,
      description: 'Visibility of new groups that do not specify one.',
    }),
    domainWhitelist: t.exposeStringList('domainWhitelist', {
      nullable: true,
      description: 'E-mail domains that can be used to sign up; null for all.',
    }),
    domainBlacklistEnabled: t.exposeBoolean('domainBlacklistEnabled', {
      description: 'Whether the domain blacklist is enforced.',
    }),
    domainBlacklist: t.exposeStringList('domainBlacklist', {
      nullable: true,
      description: 'E-mail domains that cannot be used to sign up; null for none.',
    }),
    userOauthApplications: t.exposeBoolean('userOauthApplications', {
      description: 'Whether users can register OAuth applications.',
    }),
    afterSignOutPath: t.exposeString('afterSignOutPath', {
      nullable: true,
      description: 'Path or URL that users are sent to after signing out; null when unset.',
    }),
    containerRegistryTokenExpireDelay: t.exposeInt('containerRegistryTokenExpireDelay', {
      description: 'Lifetime of container registry tokens, in minutes.',
    }),
    repositoryStorages: t.exposeStringList('repositoryStorages', {
      description: 'Names of the storages; each new project gets one at random.',
    }),
    repositoryStorage: t.string({
      nullable: true,
      ...deprecated('Use the first of `repositoryStorages`.', '0.2.0', '0.4.0'),
      description: 'Name of the first storage.',
      resolve: ({ repositoryStorages }) => repositoryStorages[0] ?? null,
    }),
    enabledGitAccessProtocol: t.field({
      type: GitAccessProtocol,
      nullable: true,
      description: 'The only protocol that git can use; null when all are allowed.',
      resolve: ({ enabledGitAccessProtocol }) => enabledGitAccessProtocol as 'ssh' | 'http' | null,
    }),
    codeideEnabled: t.exposeBoolean('codeideEnabled', { description: 'Whether the code IDE is offered.' }),
    codeideUrl: t.exposeString('codeideUrl', { nullable: true, description: 'URL of the code IDE; null when unset.' }),
    disabledOauthSignInSources: t.exposeStringList('disabledOauthSignInSources', {
      description: 'Identity providers that are disabled for signing in.',
    }),
    diagramEnabled: t.exposeBoolean('diagramEnabled', { description: 'Whether diagrams are rendered.' }),
    diagramUrl: t.exposeString('diagramUrl', {
      nullable: true,
      description: 'URL of the diagram server; null when unset.',
    }),
    terminalMaxSessionTime: t.exposeInt('terminalMaxSessionTime', {
      description: 'Longest session of a web terminal, in seconds; 0 for no limit.',
    }),
    pollingIntervalMultiplier: t.exposeFloat('pollingIntervalMultiplier', {
      description: 'Factor that slows down polling by pages; 0 when polling is off.',
    }),
    passwordAuthenticationEnabledForWeb: t.exposeBoolean('passwordAuthenticationEnabledForWeb', {
      description:
        'Whether users can sign in with a password in a browser and over the API; administrators always can.',
    }),
    passwordAuthenticationEnabledForGit: t.exposeBoolean('passwordAuthenticationEnabledForGit', {
      description: 'Whether git over HTTP accepts passwords, in addition to tokens; of administrators it always does.',
    }),
    requireTwoFactorAuthentication: t.exposeBoolean('requireTwoFactorAuthentication', {
      description: 'Whether everyone must set up two-factor authentication.',
    }),
    twoFactorGracePeriod: t.exposeInt('twoFactorGracePeriod', {
      description: 'Hours that users have to set up two-factor authentication once it is required.',
    }),
    userDefaultExternal: t.exposeBoolean('userDefaultExternal', {
      description: 'Whether new users are external unless something else is said.',
    }),
    canCreateGroup: t.exposeBoolean('canCreateGroup', {
      description: 'Whether new users can create groups unless something else is said.',
    }),
    defaultBranchName: t.exposeString('defaultBranchName', {
      nullable: true,
      description: 'Name of the first branch of new projects; null for `master`.',
    }),
    sharedRunnersEnabled: t.exposeBoolean('sharedRunnersEnabled', {
      description: 'Whether shared runners run the jobs of new projects that do not say so.',
    }),
    maxArtifactsSize: t.exposeInt('maxArtifactsSize', {
      description:
        'Size of the largest artifacts of a job, in megabytes; the configuration of the server may set a smaller one.',
    }),
    maxPagesSize: t.exposeInt('maxPagesSize', {
      description: 'Size of the largest site of a project, unpacked, in megabytes; 0 for no limit.',
    }),
    defaultArtifactsExpireIn: t.exposeString('defaultArtifactsExpireIn', {
      description: 'How long artifacts are kept unless their job says so, such as `30 days`; `0` for ever.',
    }),
    defaultCiConfigPath: t.exposeString('defaultCiConfigPath', {
      nullable: true,
      description: 'Path of the CI configuration in repositories; null for `.gitlab-ci.yml`.',
    }),
    importSources: t.exposeStringList('importSources', {
      description:
        'From where projects can be imported: `git` for the URL of a repository, `gitlab_project` for an archive, `github`, `gitea` and `gitlab` for servers of these kinds.',
    }),
    requirePersonalAccessTokenExpiry: t.exposeBoolean('requirePersonalAccessTokenExpiry', {
      description: 'Whether new access tokens must have a day on which they expire.',
    }),
    personalAccessTokenPrefix: t.exposeString('personalAccessTokenPrefix', {
      description: 'What new personal access tokens begin with; up to 20 characters.',
    }),
    allowLocalRequestsFromWebHooksAndServices: t.exposeBoolean('allowLocalRequestsFromWebHooksAndServices', {
      description: 'Whether webhooks may lead to private addresses.',
    }),
    throttleUnauthenticatedApiEnabled: t.exposeBoolean('throttleUnauthenticatedApiEnabled', {
      description: 'Whether requests to the API without a sign-in, of each IP address are limited.',
    }),
    throttleUnauthenticatedApiRequestsPerPeriod: t.exposeInt('throttleUnauthenticatedApiRequestsPerPeriod', {
      description:
        'How many in a period are let through of: requests to the API without a sign-in, of each IP address.',
    }),
    throttleUnauthenticatedApiPeriodInSeconds: t.exposeInt('throttleUnauthenticatedApiPeriodInSeconds', {
      description: 'Length in seconds of the period for: requests to the API without a sign-in, of each IP address.',
    }),
    throttleUnauthenticatedEnabled: t.exposeBoolean('throttleUnauthenticatedEnabled', {
      description: 'Whether requests for pages without a sign-in, of each IP address are limited.',
    }),
    throttleUnauthenticatedRequestsPerPeriod: t.exposeInt('throttleUnauthenticatedRequestsPerPeriod', {
      description: 'How many in a period are let through of: requests for pages without a sign-in, of each IP address.',
    }),
    throttleUnauthenticatedPeriodInSeconds: t.exposeInt('throttleUnauthenticatedPeriodInSeconds', {
      description: 'Length in seconds of the period for: requests for pages without a sign-in, of each IP address.',
    }),
    throttleAuthenticatedApiEnabled: t.exposeBoolean('throttleAuthenticatedApiEnabled', {
      description: 'Whether requests to the API of each user are limited.',
    }),
    throttleAuthenticatedApiRequestsPerPeriod: t.exposeInt('throttleAuthenticatedApiRequestsPerPeriod', {
      description: 'How many in a period are let through of: requests to the API of each user.',
    }),
    throttleAuthenticatedApiPeriodInSeconds: t.exposeInt('throttleAuthenticatedApiPeriodInSeconds', {
      description: 'Length in seconds of the period for: requests to the API of each user.',
    }),
    throttleAuthenticatedWebEnabled: t.exposeBoolean('throttleAuthenticatedWebEnabled', {
      description: 'Whether requests for pages of each signed-in user are limited.',
    }),
    throttleAuthenticatedWebRequestsPerPeriod: t.exposeInt('throttleAuthenticatedWebRequestsPerPeriod', {
      description: 'How many in a period are let through of: requests for pages of each signed-in user.',
    }),
    throttleAuthenticatedWebPeriodInSeconds: t.exposeInt('throttleAuthenticatedWebPeriodInSeconds', {
      description: 'Length in seconds of the period for: requests for pages of each signed-in user.',
    }),
    throttleProtectedPathsEnabled: t.exposeBoolean('throttleProtectedPathsEnabled', {
      description:
        'Whether forms and requests with which people sign in, sign up or reset a password, of each IP address are limited.',
    }),
    throttleProtectedPathsRequestsPerPeriod: t.exposeInt('throttleProtectedPathsRequestsPerPeriod', {
      description:
        'How many in a period are let through of: forms and requests with which people sign in, sign up or reset a password, of each IP address.',
    }),
    throttleProtectedPathsPeriodInSeconds: t.exposeInt('throttleProtectedPathsPeriodInSeconds', {
      description:
        'Length in seconds of the period for: forms and requests with which people sign in, sign up or reset a password, of each IP address.',
    }),
    domainAllowlist: t.stringList({
      description: 'E-mail domains that can be used to sign up; empty when all can.',
      resolve: ({ domainWhitelist }) => domainWhitelist ?? [],
    }),
    domainDenylistEnabled: t.exposeBoolean('domainBlacklistEnabled', {
      description: 'Whether the list of denied domains is enforced.',
    }),
    domainDenylist: t.stringList({
      description: 'E-mail domains that cannot be used to sign up; empty for none.',
      resolve: ({ domainBlacklist }) => domainBlacklist ?? [],
    }),
    adminMode: t.boolean({
      description: 'Whether administrators confirm their password before they use their rights: always false.',
      resolve: () => false,
    }),
    deletionAdjournedPeriod: t.int({
      description: 'Days after which deleted projects and groups are removed: always 0, as they are at once.',
      resolve: () => 0,
    }),
  }),
});
