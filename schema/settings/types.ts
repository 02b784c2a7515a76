import { builder } from '#schema/builder.ts';
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
      deprecationReason: 'The first of repositoryStorages.',
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
  }),
});
