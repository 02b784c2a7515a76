import { builder } from '#schema/builder.ts';
import { BranchProtection, Visibility } from '#schema/enums.ts';
import { ApplicationSettings, GitAccessProtocol } from '#schema/settings/types.ts';
import { updateSettings } from '#src/domain/administration/settings/update.ts';
import type { Settings } from '#src/platform/settings/current.ts';

const UpdateApplicationSettingsInput = builder.inputType('UpdateApplicationSettingsInput', {
  description: 'Changes to the settings: what is left out stays as it is, null clears what can be empty.',
  fields: (t) => ({
    defaultProjectsLimit: t.int({ description: 'How many personal projects a new user can have.' }),
    signupEnabled: t.boolean({ description: 'Whether people can sign up by themselves.' }),
    requireAdminApprovalAfterUserSignup: t.boolean({
      description: 'Whether users who sign up wait until an administrator approves.',
    }),
    deactivateDormantUsersPeriod: t.int({
      description: 'Days without activity after which a user can be deactivated; more than 0.',
    }),
    signinEnabled: t.boolean({ description: 'Whether users can sign in with a password.' }),
    avatarServiceEnabled: t.boolean({
      description: 'Whether users without a picture of their own get one from the avatar service.',
    }),
    signInText: t.string({ description: 'Text on the sign-in page, in Markdown.' }),
    homePageUrl: t.string({ description: 'URL that visitors who are not signed in are sent to.' }),
    defaultBranchProtection: t.field({
      type: BranchProtection,
      description: 'How the default branches of new projects are protected.',
    }),
    restrictedVisibilityLevels: t.field({
      type: [Visibility],
      description: 'Visibilities that only administrators can choose; null restricts none.',
    }),
    projectExportEnabled: t.boolean({ description: 'Whether projects can be exported as archives.' }),
    maxExportSize: t.int({
      description: 'Size of the largest archive of a project that is made, in megabytes; 0 for any size.',
    }),
    maxImportSize: t.int({
      description:
        'Size of the largest archive of a project that is imported, in megabytes; 0 for the limit of the server alone.',
    }),
    maxAttachmentSize: t.int({ description: 'Size of the largest upload in megabytes; more than 0.' }),
    sessionExpireDelay: t.int({ description: 'Minutes after which an unused session ends.' }),
    defaultProjectVisibility: t.field({
      type: Visibility,
      description: 'Visibility of new projects that do not specify one.',
    }),
    defaultSnippetVisibility: t.field({
      type: Visibility,
      description: 'Visibility of new snippets that do not specify one.',
    }),
    defaultGroupVisibility: t.field({
      type: Visibility,
      description: 'Visibility of new groups that do not specify one.',
    }),
    domainWhitelist: t.stringList({ description: 'E-mail domains that can be used to sign up; null allows all.' }),
    domainBlacklistEnabled: t.boolean({
      description: 'Whether `domainBlacklist` is enforced.',
    }),
    domainBlacklist: t.stringList({ description: 'E-mail domains that cannot be used to sign up.' }),
    userOauthApplications: t.boolean({ description: 'Whether users can register OAuth applications.' }),
    afterSignOutPath: t.string({ description: 'Path or URL that users are sent to after signing out.' }),
    containerRegistryTokenExpireDelay: t.int({
      description: 'Lifetime of container registry tokens, in minutes.',
    }),
    repositoryStorages: t.stringList({
      description: 'Names of the storages; each new project gets one at random.',
    }),
    repositoryStorage: t.string({
      deprecationReason: 'Use repositoryStorages.',
      description: 'Name of the only storage for new projects.',
    }),
    enabledGitAccessProtocol: t.field({
      type: GitAccessProtocol,
      description: 'The only protocol that git can use; null allows all.',
    }),
    codeideEnabled: t.boolean({ description: 'Whether the code IDE is offered; requires `codeideUrl`.' }),
    codeideUrl: t.string({ description: 'Address of the code IDE: an http or https URL.' }),
    disabledOauthSignInSources: t.stringList({
      description: 'Names of the identity providers that are disabled for signing in.',
    }),
    diagramEnabled: t.boolean({ description: 'Whether diagrams are rendered; requires `diagramUrl`.' }),
    diagramUrl: t.string({ description: 'Address of the diagram server: an http or https URL.' }),
    terminalMaxSessionTime: t.int({ description: 'Longest session of a web terminal, in seconds; 0 for no limit.' }),
    pollingIntervalMultiplier: t.float({
      description: 'Factor that slows down polling by pages; 0 turns polling off.',
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
