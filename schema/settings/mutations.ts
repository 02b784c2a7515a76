import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';
import { ApplicationSettings, GitAccessProtocol } from '#schema/settings/types.ts';
import type { Settings } from '#src/platform/settings/current.ts';
import { updateSettings } from '#src/settings/update.ts';

const UpdateApplicationSettingsInput = builder.inputType('UpdateApplicationSettingsInput', {
  description: 'Changes to the settings: unset means unchanged, null cleared where a setting can be without a value.',
  fields: (t) => ({
    defaultProjectsLimit: t.int({ description: 'How many personal projects a new user may have.' }),
    signupEnabled: t.boolean({ description: 'Whether people may register themselves.' }),
    signinEnabled: t.boolean({ description: 'Whether passwords sign in on the web.' }),
    avatarServiceEnabled: t.boolean({ description: 'Whether users have pictures from the avatar service.' }),
    signInText: t.string({ description: 'Text of the sign-in page.' }),
    homePageUrl: t.string({ description: 'Where those who are not signed in are sent.' }),
    defaultBranchProtection: t.int({
      description: 'Protection of new default branches: 0 none, 1 partial, 2 full.',
    }),
    restrictedVisibilityLevels: t.stringList({
      description: 'Levels that only administrators may use: `private`, `internal`, `public`.',
    }),
    maxAttachmentSize: t.int({ description: 'Megabytes; more than 0.' }),
    sessionExpireDelay: t.int({ description: 'Minutes that a session lasts.' }),
    defaultProjectVisibility: t.field({ type: Visibility, description: 'Of projects for which nothing is said.' }),
    defaultSnippetVisibility: t.field({ type: Visibility, description: 'Of snippets for which nothing is said.' }),
    defaultGroupVisibility: t.field({ type: Visibility, description: 'Of groups for which nothing is said.' }),
    domainWhitelist: t.stringList({ description: 'Domains whose addresses may register.' }),
    domainBlacklistEnabled: t.boolean({ description: 'Whether the domains of the blacklist may not register.' }),
    domainBlacklist: t.stringList({ description: 'Domains whose addresses may not register.' }),
    userOauthApplications: t.boolean({ description: 'Whether users may register OAuth applications.' }),
    afterSignOutPath: t.string({ description: 'Where signing out leads.' }),
    containerRegistryTokenExpireDelay: t.int({ description: 'Minutes that a token of the registry lasts.' }),
    repositoryStorages: t.stringList({ description: 'Storages of which each new project gets one at random.' }),
    repositoryStorage: t.string({ description: 'The only storage; repositoryStorages takes several.' }),
    enabledGitAccessProtocol: t.field({
      type: GitAccessProtocol,
      description: 'The only way in which git reaches repositories; null: every way.',
    }),
    codeideEnabled: t.boolean({ description: 'Whether the code IDE is offered; that takes its address.' }),
    codeideUrl: t.string({ description: 'Address of the code IDE.' }),
    disabledOauthSignInSources: t.stringList({ description: 'Providers of identities that sign nobody in.' }),
    diagramEnabled: t.boolean({ description: 'Whether diagrams are drawn; that takes the address of a server.' }),
    diagramUrl: t.string({ description: 'Address of the diagram server.' }),
    terminalMaxSessionTime: t.int({ description: 'Seconds that a web terminal lasts; 0: without end.' }),
    pollingIntervalMultiplier: t.float({ description: 'How much slower than usual pages poll; 0: never.' }),
  }),
});

const ApplicationSettingsPayload = builder.objectRef<{ settings: Settings }>('ApplicationSettingsPayload').implement({
  description: 'The settings as they are now.',
  fields: (t) => ({ settings: t.expose('settings', { type: ApplicationSettings, description: 'All of them.' }) }),
});

builder.mutationFields((t) => ({
  updateApplicationSettings: t.field({
    type: ApplicationSettingsPayload,
    description: 'Changes the settings of the whole server; for administrators.',
    args: { input: t.arg({ type: UpdateApplicationSettingsInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input }, context) => ({ settings: await updateSettings(context, input) }),
  }),
}));
