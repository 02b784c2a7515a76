import { builder } from '#schema/builder.ts';
import { BranchProtection, Visibility } from '#schema/enums.ts';
import type { Settings } from '#src/platform/settings/current.ts';

export const GitAccessProtocol = builder.enumType('GitAccessProtocol', {
  description: 'How git reaches repositories.',
  values: {
    SSH: { value: 'ssh', description: 'Over SSH only.' },
    HTTP: { value: 'http', description: 'Over HTTP only.' },
  } as const,
});

export const ApplicationSettings = builder.objectRef<Settings>('ApplicationSettings').implement({
  description: 'The settings of the whole server.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Always the same: there is one record.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they were made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When they last changed.' }),
    defaultProjectsLimit: t.exposeInt('defaultProjectsLimit', {
      description: 'How many personal projects a new user may have.',
    }),
    signupEnabled: t.exposeBoolean('signupEnabled', { description: 'Whether people may register themselves.' }),
    signinEnabled: t.exposeBoolean('signinEnabled', { description: 'Whether passwords sign in on the web.' }),
    avatarServiceEnabled: t.exposeBoolean('avatarServiceEnabled', {
      description: 'Whether users have pictures from the avatar service.',
    }),
    signInText: t.exposeString('signInText', { nullable: true, description: 'Text of the sign-in page.' }),
    homePageUrl: t.exposeString('homePageUrl', {
      nullable: true,
      description: 'Where those who are not signed in are sent.',
    }),
    defaultBranchProtection: t.expose('defaultBranchProtection', {
      type: BranchProtection,
      description: 'How the default branches of new projects are protected.',
    }),
    restrictedVisibilityLevels: t.expose('restrictedVisibilityLevels', {
      type: [Visibility],
      nullable: true,
      description: 'Levels that only administrators may use; null: none are restricted.',
    }),
    maxAttachmentSize: t.exposeInt('maxAttachmentSize', { description: 'Megabytes.' }),
    sessionExpireDelay: t.exposeInt('sessionExpireDelay', { description: 'Minutes that a session lasts.' }),
    defaultProjectVisibility: t.expose('defaultProjectVisibility', {
      type: Visibility,
      description: 'Of projects for which nothing is said.',
    }),
    defaultSnippetVisibility: t.expose('defaultSnippetVisibility', {
      type: Visibility,
      description: 'Of snippets for which nothing is said.',
    }),
    defaultGroupVisibility: t.expose('defaultGroupVisibility', {
      type: Visibility,
      description: 'Of groups for which nothing is said.',
    }),
    domainWhitelist: t.exposeStringList('domainWhitelist', {
      nullable: true,
      description: 'Domains whose addresses may register; null: all.',
    }),
    domainBlacklistEnabled: t.exposeBoolean('domainBlacklistEnabled', {
      description: 'Whether the domains of the blacklist may not register.',
    }),
    domainBlacklist: t.exposeStringList('domainBlacklist', {
      nullable: true,
      description: 'Domains whose addresses may not register.',
    }),
    userOauthApplications: t.exposeBoolean('userOauthApplications', {
      description: 'Whether users may register OAuth applications.',
    }),
    afterSignOutPath: t.exposeString('afterSignOutPath', { nullable: true, description: 'Where signing out leads.' }),
    containerRegistryTokenExpireDelay: t.exposeInt('containerRegistryTokenExpireDelay', {
      description: 'Minutes that a token of the registry lasts.',
    }),
    repositoryStorages: t.exposeStringList('repositoryStorages', {
      description: 'Storages of which each new project gets one at random.',
    }),
    repositoryStorage: t.string({
      nullable: true,
      deprecationReason: 'The first of repositoryStorages.',
      description: 'The first storage.',
      resolve: ({ repositoryStorages }) => repositoryStorages[0] ?? null,
    }),
    enabledGitAccessProtocol: t.field({
      type: GitAccessProtocol,
      nullable: true,
      description: 'The only way in which git reaches repositories; null: every way.',
      resolve: ({ enabledGitAccessProtocol }) => enabledGitAccessProtocol as 'ssh' | 'http' | null,
    }),
    codeideEnabled: t.exposeBoolean('codeideEnabled', { description: 'Whether the code IDE is offered.' }),
    codeideUrl: t.exposeString('codeideUrl', { nullable: true, description: 'Address of the code IDE.' }),
    disabledOauthSignInSources: t.exposeStringList('disabledOauthSignInSources', {
      description: 'Providers of identities that sign nobody in.',
    }),
    diagramEnabled: t.exposeBoolean('diagramEnabled', { description: 'Whether diagrams are drawn.' }),
    diagramUrl: t.exposeString('diagramUrl', { nullable: true, description: 'Address of the diagram server.' }),
    terminalMaxSessionTime: t.exposeInt('terminalMaxSessionTime', {
      description: 'Seconds that a web terminal lasts; 0: without end.',
    }),
    pollingIntervalMultiplier: t.exposeFloat('pollingIntervalMultiplier', {
      description: 'How much slower than usual pages poll; 0: never.',
    }),
  }),
});
