import { label } from '#src/platform/texts/texts.ts';

/** How a setting is entered: a box to tick, a number, a text, one in Markdown, lines of a list, or a choice of the values of an enum. */
export type SettingInput = 'tick' | 'number' | 'text' | 'markdown' | 'lines' | 'Visibility' | 'GitAccessProtocol';

/** Settings of one theme, each by its name in the graph with its meaning. */
export interface SettingsTheme {
  name: string;
  title: string;
  fields: readonly (readonly [string, SettingInput, string])[];
}

/** The settings of the server by theme. */
export const SETTINGS_THEMES: readonly SettingsTheme[] = [
  {
    name: 'sign_in',
    title: label('Sign-in and sign-up'),
    fields: [
      ['signupEnabled', 'tick', label('Allow sign-up')],
      ['requireAdminApprovalAfterUserSignup', 'tick', label("New sign-ups need an administrator's approval")],
      [
        'passwordAuthenticationEnabledForWeb',
        'tick',
        label('Allow password sign-in for web and API (always allowed for administrators)'),
      ],
      [
        'passwordAuthenticationEnabledForGit',
        'tick',
        label('Allow passwords for git over HTTP, besides tokens (always allowed for administrators)'),
      ],
      ['requireTwoFactorAuthentication', 'tick', label('Require two-factor authentication')],
      ['twoFactorGracePeriod', 'number', label('Hours to set it up once it is required')],
      ['sessionExpireDelay', 'number', label('Minutes after which an unused session ends')],
      ['domainAllowlist', 'lines', label('Allowed email domains (empty: all)')],
      ['domainDenylistEnabled', 'tick', label('Block the email domains below')],
      ['domainDenylist', 'lines', label('Blocked email domains')],
      ['disabledOauthSignInSources', 'lines', label('Disabled sign-in providers (names)')],
      ['signInText', 'text', label('Text on the sign-in page, in Markdown')],
      ['frontPageTitle', 'text', label("Heading of the front page (empty: the server's own)")],
      ['frontPageText', 'markdown', label('Text on the front page, in Markdown')],
      ['homePageUrl', 'text', label('Redirect visitors of the home page to this address')],
      ['afterSignOutPath', 'text', label('Address after signing out')],
    ],
  },
  {
    name: 'users',
    title: label('New users'),
    fields: [
      ['defaultProjectsLimit', 'number', label('Personal projects that a new user can have')],
      ['canCreateGroup', 'tick', label('Allow new users to create groups')],
      ['userDefaultExternal', 'tick', label('New users are external: they see no internal projects')],
      ['userOauthApplications', 'tick', label('Allow users to register OAuth applications')],
      ['avatarServiceEnabled', 'tick', label('Users without a picture get one from the avatar service')],
      ['deactivateDormantUsersPeriod', 'number', label('Days without activity after which a user can be deactivated')],
      ['requirePersonalAccessTokenExpiry', 'tick', label('Require an expiry date for new access tokens')],
      ['personalAccessTokenPrefix', 'text', label('Prefix of new access tokens')],
    ],
  },
  {
    name: 'projects',
    title: label('Projects and groups'),
    fields: [
      ['defaultProjectVisibility', 'Visibility', label('Visibility of new projects')],
      ['defaultGroupVisibility', 'Visibility', label('Visibility of new groups')],
      ['defaultSnippetVisibility', 'Visibility', label('Visibility of new snippets')],
      ['defaultBranchName', 'text', label('Default branch of new projects (empty: “master”)')],
      [
        'anonymousApiReads',
        'tick',
        label('The REST API shows public projects and groups without an account, as pages do'),
      ],
      ['projectExportEnabled', 'tick', label('Allow project exports')],
      ['maxExportSize', 'number', label('Largest archive that is made, in megabytes; any size when 0')],
      [
        'maxImportSize',
        'number',
        label('Largest archive that is imported, in megabytes; the limit of the server when 0'),
      ],
      ['importSources', 'lines', label('Import sources: git, gitlab_project, github, gitea, gitlab')],
      ['allowContributionMappingToAdmins', 'tick', label('Placeholders of imports may be assigned to administrators')],
      [
        'allowBypassPlaceholderConfirmation',
        'tick',
        label('Administrators assign placeholders of imports without asking the account'),
      ],
      ['maxAttachmentSize', 'number', label('Largest upload in megabytes')],
      ['repositoryStorages', 'lines', label('Storages for new projects')],
      ['enabledGitAccessProtocol', 'GitAccessProtocol', label('Git protocols')],
    ],
  },
  {
    name: 'ci',
    title: label('CI, packages and hooks'),
    fields: [
      ['sharedRunnersEnabled', 'tick', label('Enable shared runners for new projects')],
      ['maxArtifactsSize', 'number', label('Largest artifacts of a job, in megabytes')],
      ['maxPagesSize', 'number', label('Largest site of a project, in megabytes; no limit when 0')],
      ['defaultArtifactsExpireIn', 'text', label('How long artifacts are kept, such as “30 days”; for ever when 0')],
      ['defaultCiConfigPath', 'text', label('Path of the CI configuration; “.gitlab-ci.yml” when empty')],
      [
        'containerRegistryTokenExpireDelay',
        'number',
        label('Minutes for which tokens of the container registry are valid'),
      ],
      ['allowLocalRequestsFromWebHooksAndServices', 'tick', label('Allow webhooks to private addresses')],
    ],
  },
  {
    name: 'limits',
    title: label('Limits of requests'),
    fields: [
      [
        'throttleUnauthenticatedApiEnabled',
        'tick',
        label('Limit: requests to the API without a sign-in, of each address'),
      ],
      [
        'throttleUnauthenticatedApiRequestsPerPeriod',
        'number',
        label('Requests to the API without a sign-in, of each address: number in a period'),
      ],
      [
        'throttleUnauthenticatedApiPeriodInSeconds',
        'number',
        label('Requests to the API without a sign-in, of each address: seconds of the period'),
      ],
      ['throttleUnauthenticatedEnabled', 'tick', label('Limit: requests for pages without a sign-in, of each address')],
      [
        'throttleUnauthenticatedRequestsPerPeriod',
        'number',
        label('Requests for pages without a sign-in, of each address: number in a period'),
      ],
      [
        'throttleUnauthenticatedPeriodInSeconds',
        'number',
        label('Requests for pages without a sign-in, of each address: seconds of the period'),
      ],
      ['throttleAuthenticatedApiEnabled', 'tick', label('Limit: requests to the API of each user')],
      [
        'throttleAuthenticatedApiRequestsPerPeriod',
        'number',
        label('Requests to the API of each user: number in a period'),
      ],
      [
        'throttleAuthenticatedApiPeriodInSeconds',
        'number',
        label('Requests to the API of each user: seconds of the period'),
      ],
      ['throttleAuthenticatedWebEnabled', 'tick', label('Limit: requests for pages of each user')],
      [
        'throttleAuthenticatedWebRequestsPerPeriod',
        'number',
        label('Requests for pages of each user: number in a period'),
      ],
      [
        'throttleAuthenticatedWebPeriodInSeconds',
        'number',
        label('Requests for pages of each user: seconds of the period'),
      ],
      [
        'throttleProtectedPathsEnabled',
        'tick',
        label('Limit: requests for signing in and resetting passwords, of each address'),
      ],
      [
        'throttleProtectedPathsRequestsPerPeriod',
        'number',
        label('Requests for signing in and resetting passwords, of each address: number in a period'),
      ],
      [
        'throttleProtectedPathsPeriodInSeconds',
        'number',
        label('Requests for signing in and resetting passwords, of each address: seconds of the period'),
      ],
    ],
  },
];

/** The values of enums with their words. */
export const CHOICES = {
  Visibility: [
    ['PRIVATE', label('visibility|Private')],
    ['INTERNAL', label('visibility|Internal')],
    ['PUBLIC', label('visibility|Public')],
  ],
  GitAccessProtocol: [
    ['', label('HTTP and SSH')],
    ['HTTP', label('Only HTTP')],
    ['SSH', label('Only SSH')],
  ],
} as const;
