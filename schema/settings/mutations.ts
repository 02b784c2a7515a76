import { deprecated } from '#schema/deprecated.ts';
import { BranchProtection, Visibility } from '#schema/enums.ts';
import { mutation } from '#schema/mutation.ts';
import { ApplicationSettings, GitAccessProtocol } from '#schema/settings/types.ts';
import { updateSettings } from '#src/domain/administration/settings/update.ts';

mutation('updateApplicationSettings', {
  description: 'Changes the settings of the whole server. For administrators.',
  input: {
    description: 'Changes to the settings: what is left out stays as it is, null clears what can be empty.',
    argument: 'The settings that change.',
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
      frontPageTitle: t.string({
        description: 'Heading of the page that visitors see first; at most 255 characters.',
      }),
      frontPageText: t.string({
        description: 'Text of the page that visitors see first, in Markdown; at most 65,536 characters.',
      }),
      homePageUrl: t.string({ description: 'URL that visitors who are not signed in are sent to.' }),
      defaultBranchProtection: t.field({
        type: BranchProtection,
        description: 'How the default branches of new projects are protected.',
      }),
      restrictedVisibilityLevels: t.field({
        type: [Visibility],
        description: 'Visibilities that only administrators can choose; null restricts none.',
      }),
      anonymousApiReads: t.boolean({
        description:
          'Whether the REST API shows public projects and groups to callers without a credential, as pages and GraphQL do.',
      }),
      projectExportEnabled: t.boolean({ description: 'Whether projects can be exported as archives.' }),
      maxExportSize: t.int({
        description: 'Size of the largest archive of a project that is made, in megabytes; 0 for any size.',
      }),
      maxImportSize: t.int({
        description:
          'Size of the largest archive of a project that is imported, in megabytes; 0 for the limit of the server alone.',
      }),
      allowBypassPlaceholderConfirmation: t.boolean({
        description: 'Whether administrators assign placeholders of imports to accounts without asking these.',
      }),
      allowContributionMappingToAdmins: t.boolean({
        description: 'Whether placeholders of imports may be assigned to administrators.',
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
        ...deprecated('Use `repositoryStorages`.', '0.2.0', '0.4.0'),
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
      passwordAuthenticationEnabledForWeb: t.boolean({
        description:
          'Whether users can sign in with a password in a browser and over the API; administrators always can.',
      }),
      passwordAuthenticationEnabledForGit: t.boolean({
        description:
          'Whether git over HTTP accepts passwords, in addition to tokens; of administrators it always does.',
      }),
      requireTwoFactorAuthentication: t.boolean({
        description: 'Whether everyone must set up two-factor authentication.',
      }),
      twoFactorGracePeriod: t.int({
        description: 'Hours that users have to set up two-factor authentication once it is required.',
      }),
      userDefaultExternal: t.boolean({ description: 'Whether new users are external unless something else is said.' }),
      canCreateGroup: t.boolean({ description: 'Whether new users can create groups unless something else is said.' }),
      defaultBranchName: t.string({ description: 'Name of the first branch of new projects; null for `master`.' }),
      sharedRunnersEnabled: t.boolean({
        description: 'Whether shared runners run the jobs of new projects that do not say so.',
      }),
      maxArtifactsSize: t.int({
        description:
          'Size of the largest artifacts of a job, in megabytes; the configuration of the server may set a smaller one.',
      }),
      maxPagesSize: t.int({
        description: 'Size of the largest site of a project, unpacked, in megabytes; 0 for no limit.',
      }),
      defaultArtifactsExpireIn: t.string({
        description: 'How long artifacts are kept unless their job says so, such as `30 days`; `0` for ever.',
      }),
      defaultCiConfigPath: t.string({
        description: 'Path of the CI configuration in repositories; null for `.gitlab-ci.yml`.',
      }),
      importSources: t.stringList({
        description:
          'From where projects can be imported: `git` for the URL of a repository, `gitlab_project` for an archive, `github`, `gitea` and `gitlab` for servers of these kinds.',
      }),
      requirePersonalAccessTokenExpiry: t.boolean({
        description: 'Whether new access tokens must have a day on which they expire.',
      }),
      personalAccessTokenPrefix: t.string({
        description: 'What new personal access tokens begin with; up to 20 characters.',
      }),
      allowLocalRequestsFromWebHooksAndServices: t.boolean({
        description: 'Whether webhooks may lead to private addresses.',
      }),
      throttleUnauthenticatedApiEnabled: t.boolean({
        description: 'Whether requests to the API without a sign-in, of each IP address are limited.',
      }),
      throttleUnauthenticatedApiRequestsPerPeriod: t.int({
        description:
          'How many in a period are let through of: requests to the API without a sign-in, of each IP address.',
      }),
      throttleUnauthenticatedApiPeriodInSeconds: t.int({
        description: 'Length in seconds of the period for: requests to the API without a sign-in, of each IP address.',
      }),
      throttleUnauthenticatedEnabled: t.boolean({
        description: 'Whether requests for pages without a sign-in, of each IP address are limited.',
      }),
      throttleUnauthenticatedRequestsPerPeriod: t.int({
        description:
          'How many in a period are let through of: requests for pages without a sign-in, of each IP address.',
      }),
      throttleUnauthenticatedPeriodInSeconds: t.int({
        description: 'Length in seconds of the period for: requests for pages without a sign-in, of each IP address.',
      }),
      throttleAuthenticatedApiEnabled: t.boolean({
        description: 'Whether requests to the API of each user are limited.',
      }),
      throttleAuthenticatedApiRequestsPerPeriod: t.int({
        description: 'How many in a period are let through of: requests to the API of each user.',
      }),
      throttleAuthenticatedApiPeriodInSeconds: t.int({
        description: 'Length in seconds of the period for: requests to the API of each user.',
      }),
      throttleAuthenticatedWebEnabled: t.boolean({
        description: 'Whether requests for pages of each signed-in user are limited.',
      }),
      throttleAuthenticatedWebRequestsPerPeriod: t.int({
        description: 'How many in a period are let through of: requests for pages of each signed-in user.',
      }),
      throttleAuthenticatedWebPeriodInSeconds: t.int({
        description: 'Length in seconds of the period for: requests for pages of each signed-in user.',
      }),
      throttleProtectedPathsEnabled: t.boolean({
        description:
          'Whether forms and requests with which people sign in, sign up or reset a password, of each IP address are limited.',
      }),
      throttleProtectedPathsRequestsPerPeriod: t.int({
        description:
          'How many in a period are let through of: forms and requests with which people sign in, sign up or reset a password, of each IP address.',
      }),
      throttleProtectedPathsPeriodInSeconds: t.int({
        description:
          'Length in seconds of the period for: forms and requests with which people sign in, sign up or reset a password, of each IP address.',
      }),
      domainAllowlist: t.stringList({ description: 'E-mail domains that can be used to sign up; empty to allow all.' }),
      domainDenylistEnabled: t.boolean({ description: 'Whether the list of denied domains is enforced.' }),
      domainDenylist: t.stringList({ description: 'E-mail domains that cannot be used to sign up.' }),
      adminMode: t.boolean({ description: 'Cannot be changed from false, as there is no such mode.' }),
      deletionAdjournedPeriod: t.int({
        description: 'Cannot be changed from 0, as nothing is kept after it is deleted.',
      }),
    }),
  },
  resolve: async (input, context) => ({ settings: await updateSettings(context, input) }),
  payload: {
    description: 'The settings after the mutation.',
    fields: (t) => ({
      settings: t.expose('settings', { type: ApplicationSettings, description: 'All settings as they are now.' }),
    }),
  },
});
