import { builder } from '#schema/builder.ts';
import { BranchProtection, Visibility } from '#schema/enums.ts';
import { ApplicationSettings, GitAccessProtocol } from '#schema/settings/types.ts';
import type { Settings } from '#src/platform/settings/current.ts';
import { updateSettings } from '#src/settings/update.ts';

const UpdateApplicationSettingsInput = builder.inputType('UpdateApplicationSettingsInput', {
  description: 'Changes to the settings: what is left out stays as it is, null clears what may be without a value.',
  fields: (t) => ({
    defaultProjectsLimit: t.int({ description: 'How many personal projects a new user may have.' }),
    signupEnabled: t.boolean({ description: 'Whether people may sign up themselves.' }),
    signinEnabled: t.boolean({ description: 'Whether passwords sign in on the web.' }),
    avatarServiceEnabled: t.boolean({ description: 'Whether users have pictures from the avatar service.' }),
    signInText: t.string({ description: 'Text on the sign-in page, in Markdown.' }),
    homePageUrl: t.string({ description: 'Address to which visitors who are not signed in are sent.' }),
    defaultBranchProtection: t.field({
      type: BranchProtection,
      description: 'How the default branches of new projects are protected.',
    }),
    restrictedVisibilityLevels: t.field({
      type: [Visibility],
      description: 'Visibilities that only administrators may choose; null restricts none.',
    }),
    maxAttachmentSize: t.int({ description: 'Size of the largest upload in megabytes; more than 0.' }),
    sessionExpireDelay: t.int({ description: 'How long a session lasts, in minutes.' }),
    defaultProjectVisibility: t.field({
      type: Visibility,
      description: 'Visibility of new projects for which none is given.',
    }),
    defaultSnippetVisibility: t.field({
      type: Visibility,
      description: 'Visibility of new snippets for which none is given.',
    }),
    defaultGroupVisibility: t.field({
      type: Visibility,
      description: 'Visibility of new groups for which none is given.',
    }),
    domainWhitelist: t.stringList({ description: 'Domains whose e-mail addresses may sign up; null allows all.' }),
    domainBlacklistEnabled: t.boolean({
      description: 'Whether addresses of the domains in domainBlacklist are refused.',
    }),
    domainBlacklist: t.stringList({ description: 'Domains whose e-mail addresses may not sign up.' }),
    userOauthApplications: t.boolean({ description: 'Whether users may register OAuth applications.' }),
    afterSignOutPath: t.string({ description: 'Path or address to which signing out leads.' }),
    containerRegistryTokenExpireDelay: t.int({
      description: 'How long a token of the container registry lasts, in minutes.',
    }),
    repositoryStorages: t.stringList({
      description: 'Names of the storages of which each new project gets one at random.',
    }),
    repositoryStorage: t.string({
      deprecationReason: 'Use repositoryStorages.',
      description: 'Name of the only storage for new projects.',
    }),
    enabledGitAccessProtocol: t.field({
      type: GitAccessProtocol,
      description: 'The only way in which git reaches repositories; null allows every way.',
    }),
    codeideEnabled: t.boolean({ description: 'Whether the code IDE is offered, which requires codeideUrl.' }),
    codeideUrl: t.string({ description: 'Address of the code IDE: an http or https URL.' }),
    disabledOauthSignInSources: t.stringList({ description: 'Names of identity providers that sign nobody in.' }),
    diagramEnabled: t.boolean({ description: 'Whether diagrams are drawn, which requires diagramUrl.' }),
    diagramUrl: t.string({ description: 'Address of the diagram server: an http or https URL.' }),
    terminalMaxSessionTime: t.int({ description: 'How long a web terminal lasts, in seconds; 0 for no end.' }),
    pollingIntervalMultiplier: t.float({
      description: 'Factor by which pages poll less often than usual; 0 stops polling.',
    }),
  }),
});

const UpdateApplicationSettingsPayload = builder
  .objectRef<{ settings: Settings }>('UpdateApplicationSettingsPayload')
  .implement({
    description: 'The settings after the mutation.',
    fields: (t) => ({
      settings: t.expose('settings', { type: ApplicationSettings, description: 'All settings as they are now.' }),
    }),
  });

builder.mutationFields((t) => ({
  updateApplicationSettings: t.field({
    type: UpdateApplicationSettingsPayload,
    description: 'Changes the settings of the whole server. For administrators.',
    args: {
      input: t.arg({ type: UpdateApplicationSettingsInput, required: true, description: 'The settings that change.' }),
    },
    resolve: async (_root, { input }, context) => ({ settings: await updateSettings(context, input) }),
  }),
}));
