import { builder } from '#schema/builder.ts';
import { BranchProtection, Visibility } from '#schema/enums.ts';
import type { Settings } from '#src/platform/settings/current.ts';

export const GitAccessProtocol = builder.enumType('GitAccessProtocol', {
  description: 'The protocol by which git reaches repositories.',
  values: {
    SSH: { value: 'ssh', description: 'Git reaches repositories over SSH only.' },
    HTTP: { value: 'http', description: 'Git reaches repositories over HTTP only.' },
  } as const,
});

export const ApplicationSettings = builder.objectRef<Settings>('ApplicationSettings').implement({
  description: 'The settings of the whole server, which administrators change.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the settings, always the same: there is one record.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the settings were created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the settings last changed.' }),
    defaultProjectsLimit: t.exposeInt('defaultProjectsLimit', {
      description: 'Number of personal projects that a new user may have.',
    }),
    signupEnabled: t.exposeBoolean('signupEnabled', { description: 'Whether people may register themselves.' }),
    signinEnabled: t.exposeBoolean('signinEnabled', { description: 'Whether passwords sign in on the web.' }),
    avatarServiceEnabled: t.exposeBoolean('avatarServiceEnabled', {
      description: 'Whether users have pictures from the avatar service.',
    }),
    signInText: t.exposeString('signInText', {
      nullable: true,
      description: 'Text of the sign-in page, in Markdown; null when unset.',
    }),
    homePageUrl: t.exposeString('homePageUrl', {
      nullable: true,
      description: 'URL to which visitors are sent who are not signed in; null when unset.',
    }),
    defaultBranchProtection: t.expose('defaultBranchProtection', {
      type: BranchProtection,
      description: 'How the default branches of new projects are protected.',
    }),
    restrictedVisibilityLevels: t.expose('restrictedVisibilityLevels', {
      type: [Visibility],
      nullable: true,
      description: 'Visibilities that only administrators may give; null when none is restricted.',
    }),
    maxAttachmentSize: t.exposeInt('maxAttachmentSize', { description: 'Size of the largest upload, in megabytes.' }),
    sessionExpireDelay: t.exposeInt('sessionExpireDelay', { description: 'Minutes for which a session lasts.' }),
    defaultProjectVisibility: t.expose('defaultProjectVisibility', {
      type: Visibility,
      description: 'Visibility of new projects for which none is given.',
    }),
    defaultSnippetVisibility: t.expose('defaultSnippetVisibility', {
      type: Visibility,
      description: 'Visibility of new snippets for which none is given.',
    }),
    defaultGroupVisibility: t.expose('defaultGroupVisibility', {
      type: Visibility,
      description: 'Visibility of new groups for which none is given.',
    }),
    domainWhitelist: t.exposeStringList('domainWhitelist', {
      nullable: true,
      description: 'Domains of the e-mail addresses that may register; null for all domains.',
    }),
    domainBlacklistEnabled: t.exposeBoolean('domainBlacklistEnabled', {
      description: 'Whether the domains of the blacklist may not register.',
    }),
    domainBlacklist: t.exposeStringList('domainBlacklist', {
      nullable: true,
      description: 'Domains of the e-mail addresses that may not register; null for none.',
    }),
    userOauthApplications: t.exposeBoolean('userOauthApplications', {
      description: 'Whether users may register OAuth applications.',
    }),
    afterSignOutPath: t.exposeString('afterSignOutPath', {
      nullable: true,
      description: 'Path or URL to which signing out leads; null when unset.',
    }),
    containerRegistryTokenExpireDelay: t.exposeInt('containerRegistryTokenExpireDelay', {
      description: 'Minutes for which a token of the container registry lasts.',
    }),
    repositoryStorages: t.exposeStringList('repositoryStorages', {
      description: 'Names of the storages of which each new project gets one at random.',
    }),
    repositoryStorage: t.string({
      nullable: true,
      deprecationReason: 'The first of repositoryStorages.',
      description: 'Name of the first of the storages.',
      resolve: ({ repositoryStorages }) => repositoryStorages[0] ?? null,
    }),
    enabledGitAccessProtocol: t.field({
      type: GitAccessProtocol,
      nullable: true,
      description: 'The only protocol by which git reaches repositories; null when all do.',
      resolve: ({ enabledGitAccessProtocol }) => enabledGitAccessProtocol as 'ssh' | 'http' | null,
    }),
    codeideEnabled: t.exposeBoolean('codeideEnabled', { description: 'Whether the code IDE is offered.' }),
    codeideUrl: t.exposeString('codeideUrl', { nullable: true, description: 'URL of the code IDE; null when unset.' }),
    disabledOauthSignInSources: t.exposeStringList('disabledOauthSignInSources', {
      description: 'Providers of identities that sign nobody in.',
    }),
    diagramEnabled: t.exposeBoolean('diagramEnabled', { description: 'Whether diagrams are drawn.' }),
    diagramUrl: t.exposeString('diagramUrl', {
      nullable: true,
      description: 'URL of the diagram server; null when unset.',
    }),
    terminalMaxSessionTime: t.exposeInt('terminalMaxSessionTime', {
      description: 'Seconds for which a web terminal lasts; 0 when it has no end.',
    }),
    pollingIntervalMultiplier: t.exposeFloat('pollingIntervalMultiplier', {
      description: 'Factor by which pages poll slower than usual; 0 when they never poll.',
    }),
  }),
});
