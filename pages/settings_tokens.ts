import { type Facts, form, type Shown } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind } from '#pages/place.ts';
import { confirmPage, type Query, type Secret, settingsPage } from '#pages/settings_frame.ts';
import { ROLES, rolesOf } from '#pages/settings_members.ts';
import {
  DeployKeyPageDocument,
  DeployKeysPageDocument,
  GroupAccessTokenPageDocument,
  type GroupAccessTokenPageQuery,
  GroupAccessTokensPageDocument,
  type GroupAccessTokensPageQuery,
  GroupDeployTokenPageDocument,
  type GroupDeployTokenPageQuery,
  GroupDeployTokensPageDocument,
  type GroupDeployTokensPageQuery,
  NewGroupTokenPageDocument,
  type NewGroupTokenPageQuery,
  NewProjectTokenPageDocument,
  type NewProjectTokenPageQuery,
  ProjectAccessTokenPageDocument,
  type ProjectAccessTokenPageQuery,
  ProjectAccessTokensPageDocument,
  type ProjectAccessTokensPageQuery,
  ProjectDeployTokenPageDocument,
  type ProjectDeployTokenPageQuery,
  ProjectDeployTokensPageDocument,
  type ProjectDeployTokensPageQuery,
  SendAccessTokenRevocationDocument,
  SendAccessTokenRotationDocument,
  type SendAccessTokenRotationMutation,
  SendDeployKeyRemovalDocument,
  SendDeployTokenRevocationDocument,
  SendNewDeployKeyDocument,
  SendNewDeployTokenDocument,
  type SendNewDeployTokenMutation,
  SendNewGroupAccessTokenDocument,
  SendNewProjectAccessTokenDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** What access tokens, and those of service accounts, can be for. */
export const SCOPES = [
  ['api', label('Everything that its role allows, by the API')],
  ['read_api', label('Read everything that its role sees, by the API')],
  ['read_repository', label('Read the repository')],
  ['write_repository', label('Read the repository and push to it')],
  ['read_registry', label('Pull container images')],
  ['write_registry', label('Push container images')],
  ['create_runner', label('Create runners')],
  ['manage_runner', label('Manage runners')],
  ['self_rotate', label('Replace itself by a new token')],
] as const;

/** What deploy tokens can be for. */
const DEPLOY_SCOPES = [
  ['read_repository', label('Read the repository')],
  ['read_registry', label('Pull container images')],
  ['write_registry', label('Push container images')],
  ['read_package_registry', label('Download packages')],
  ['write_package_registry', label('Publish packages')],
] as const;

interface Operations {
  create: Query<NewProjectTokenPageQuery | NewGroupTokenPageQuery>;
  tokens: Query<ProjectAccessTokensPageQuery | GroupAccessTokensPageQuery>;
  token: Query<ProjectAccessTokenPageQuery | GroupAccessTokenPageQuery>;
  deployTokens: Query<ProjectDeployTokensPageQuery | GroupDeployTokensPageQuery>;
  deployToken: Query<ProjectDeployTokenPageQuery | GroupDeployTokenPageQuery>;
}

/** The page that tells a secret once. */
function told(facts: Facts, secret: Omit<Secret, 'back'>, back: Secret['back']): Shown {
  return {
    view: 'settings/secret',
    title: secret.heading,
    values: { secret: { ...secret, back: { ...back, path: inPlace(facts.given, ...back.path.split('/')) } } },
  };
}

function toldToken({ made }: SendAccessTokenRotationMutation, facts: Facts): Shown | null {
  const token = made?.personalAccessToken;
  if (!token?.token) return null;
  const { t } = facts;
  return told(
    facts,
    {
      heading: t('Access token {name}', { name: token.name }),
      secrets: [{ label: t('Token'), value: token.token }],
    },
    { path: 'settings/access_tokens', label: t('All access tokens') },
  );
}

const toldDeployToken =
  (kind: PlaceKind) =>
  ({ createDeployToken: made }: SendNewDeployTokenMutation, facts: Facts): Shown | null => {
    const token = made?.deployToken;
    if (!token?.token) return null;
    const { t } = facts;
    return told(
      facts,
      {
        heading: t('Deploy token {name}', { name: token.name }),
        secrets: [
          { label: t('Username'), value: token.username },
          { label: t('Token'), value: token.token },
        ],
      },
      { path: DEPLOY_TOKENS[kind], label: t('All deploy tokens') },
    );
  };

const DEPLOY_TOKENS = { project: 'settings/deploy_tokens', group: 'settings/repository' } as const;

const toTokens = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'access_tokens');

/** A day stands for its beginning, in UTC. */
function untilDay(given: Facts['given']): Facts['given'] {
  const day = String(given.expiresAt ?? '');
  return { ...given, expiresAt: /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T00:00:00Z` : given.expiresAt };
}

/** Access tokens and deploy tokens of projects and of groups alike. */
function tokensOf(kind: PlaceKind, operations: Operations) {
  const at = 'settings/access_tokens';
  const common = { kind, section: 'access_tokens' };
  const list = settingsPage({
    ...{ ...common, at, operation: operations.tokens, view: 'access_tokens' },
    may: (place) => place.viewerCanManageAccessTokens,
    title: (_place, { t }) => t('Access tokens'),
    show: ({ accessTokens }, { given }) => ({ tokens: accessTokens, roles: ROLES, state: given.state ?? 'active' }),
  });
  const create = settingsPage({
    ...{ ...common, at: `${at}/new`, operation: operations.create, view: 'access_token_new' },
    may: (place) => place.viewerCanManageAccessTokens,
    title: (_place, { t }) => t('New access token'),
    show: () => ({ scopes: SCOPES, roles: rolesOf('group'), before: { accessLevel: 'developer' } }),
  });
  const rotation = confirmPage({
    ...{ ...common, at: `${at}/:id/rotate`, operation: operations.token },
    may: (place) => place.viewerCanManageAccessTokens && place.accessToken?.active,
    ask: ({ accessToken }, { t }) => ({
      heading: t('Rotate {name}?', { name: accessToken?.name }),
      says: [t('The token stops working at once. A new one with the same rights is shown, once.')],
      button: t('Rotate token'),
      ...{ action: `${at}/${accessToken?.databaseId}/rotate`, back: at, isDangerous: true },
      fields: [
        {
          name: 'expiresAt',
          label: t('New token ends on'),
          hint: t('In a week, when empty.'),
          type: 'date',
          optional: true,
        },
      ],
    }),
  });
  const revocation = confirmPage({
    ...{ ...common, at: `${at}/:id/revoke`, operation: operations.token },
    may: (place) => place.viewerCanManageAccessTokens && place.accessToken?.active,
    ask: ({ accessToken }, { t }) => ({
      heading: t('Revoke {name}?', { name: accessToken?.name }),
      says: [t('Programs that use it lose their access at once. This cannot be undone.')],
      button: t('Revoke token'),
      ...{ action: `${at}/${accessToken?.databaseId}/revoke`, back: at, isDangerous: true },
    }),
  });
  const deployAt = DEPLOY_TOKENS[kind];
  const deploy = settingsPage({
    ...{ kind, section: 'deploy_tokens', at: deployAt, operation: operations.deployTokens, view: 'deploy_tokens' },
    may: (place) => place.viewerCanManageDeployTokens,
    title: (_place, { t }) => t('Deploy tokens'),
    show: ({ deployTokens }) => ({ tokens: deployTokens, where: deployAt }),
  });
  const newDeploy = settingsPage({
    ...{
      kind,
      section: 'deploy_tokens',
      at: `${deployAt}/new`,
      operation: operations.create,
      view: 'deploy_token_new',
    },
    may: (place) => place.viewerCanManageDeployTokens,
    title: (_place, { t }) => t('New deploy token'),
    show: () => ({ scopes: DEPLOY_SCOPES, where: deployAt, before: {} }),
  });
  const revokeDeploy = confirmPage({
    ...{ kind, section: 'deploy_tokens', at: `${deployAt}/:id/revoke`, operation: operations.deployToken },
    may: (place) => place.viewerCanManageDeployTokens && place.deployToken && !place.deployToken.revoked,
    ask: ({ deployToken }, { t }) => ({
      heading: t('Revoke {name}?', { name: deployToken?.name }),
      says: [t('Programs that use it lose their access at once. This cannot be undone.')],
      button: t('Revoke token'),
      ...{ action: `${deployAt}/${deployToken?.databaseId}/revoke`, back: deployAt, isDangerous: true },
    }),
  });
  const toDeploy = (_data: unknown, { given }: Facts) => inPlace(given, ...deployAt.split('/'));
  const path = (end: string) => `${PLACES[kind]}/${end}`;
  const rows = [
    list,
    create,
    rotation,
    form({
      path: path(`${at}/:id/rotate`),
      operation: SendAccessTokenRotationDocument,
      says: label('The token was replaced.'),
      goTo: toTokens,
      shows: toldToken,
      asks: rotation,
    }),
    revocation,
    form({
      path: path(`${at}/:id/revoke`),
      operation: SendAccessTokenRevocationDocument,
      says: label('The token was revoked.'),
      goTo: toTokens,
      asks: revocation,
    }),
    deploy,
    newDeploy,
    form({
      path: path(`${deployAt}/new`),
      operation: SendNewDeployTokenDocument,
      says: label('The token was created.'),
      variables: untilDay,
      goTo: toDeploy,
      shows: toldDeployToken(kind),
      again: newDeploy,
    }),
    revokeDeploy,
    form({
      path: path(`${deployAt}/:id/revoke`),
      operation: SendDeployTokenRevocationDocument,
      says: label('The token was revoked.'),
      goTo: toDeploy,
      asks: revokeDeploy,
    }),
  ];
  return { rows, create };
}

const ofProject = tokensOf('project', {
  create: NewProjectTokenPageDocument,
  tokens: ProjectAccessTokensPageDocument as Query<ProjectAccessTokensPageQuery>,
  token: ProjectAccessTokenPageDocument,
  deployTokens: ProjectDeployTokensPageDocument,
  deployToken: ProjectDeployTokenPageDocument,
});
const ofGroup = tokensOf('group', {
  create: NewGroupTokenPageDocument,
  tokens: GroupAccessTokensPageDocument as Query<GroupAccessTokensPageQuery>,
  token: GroupAccessTokenPageDocument,
  deployTokens: GroupDeployTokensPageDocument,
  deployToken: GroupDeployTokenPageDocument,
});

const keysAt = 'settings/deploy_keys';
const toKeys = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'deploy_keys');
const ofKeys = { kind: 'project', section: 'deploy_keys' } as const;

const newKey = settingsPage({
  ...{ ...ofKeys, at: `${keysAt}/new`, operation: NewProjectTokenPageDocument, view: 'deploy_key_new' },
  may: (place) => place.viewerCanManageDeployKeys,
  title: (_place, { t }) => t('New deploy key'),
  show: () => ({ before: {} }),
});

const keyRemoval = confirmPage({
  ...{ ...ofKeys, at: `${keysAt}/:id/remove`, operation: DeployKeyPageDocument },
  may: (place) => place.viewerCanManageDeployKeys && place.deployKey,
  ask: ({ deployKey }, { t }) => ({
    heading: t('Remove {name}?', { name: deployKey?.title }),
    says: [
      t('Machines that use the key lose their access to this project at once. Other projects that have it keep it.'),
    ],
    button: t('Remove key'),
    ...{ action: `${keysAt}/${deployKey?.databaseId}/remove`, back: keysAt, isDangerous: true },
  }),
});

/** Access tokens, deploy tokens and deploy keys. */
export const settingsTokens = [
  ...ofProject.rows,
  form({
    path: `${PLACES.project}/settings/access_tokens/new`,
    operation: SendNewProjectAccessTokenDocument,
    required: ['accessLevel'],
    says: label('The token was created.'),
    goTo: toTokens,
    shows: toldToken,
    again: ofProject.create,
  }),
  ...ofGroup.rows,
  form({
    path: `${PLACES.group}/settings/access_tokens/new`,
    operation: SendNewGroupAccessTokenDocument,
    required: ['accessLevel'],
    says: label('The token was created.'),
    goTo: toTokens,
    shows: toldToken,
    again: ofGroup.create,
  }),
  settingsPage({
    ...{ ...ofKeys, at: keysAt, operation: DeployKeysPageDocument, view: 'deploy_keys' },
    may: (place) => place.viewerCanManageDeployKeys,
    title: (_place, { t }) => t('Deploy keys'),
    show: ({ deployKeys }) => ({ keys: deployKeys }),
  }),
  newKey,
  form({
    path: `${PLACES.project}/${keysAt}/new`,
    operation: SendNewDeployKeyDocument,
    says: label('The deploy key was added.'),
    goTo: toKeys,
    again: newKey,
  }),
  keyRemoval,
  form({
    path: `${PLACES.project}/${keysAt}/:id/remove`,
    operation: SendDeployKeyRemovalDocument,
    says: label('The deploy key was removed.'),
    goTo: toKeys,
    asks: keyRemoval,
  }),
];
