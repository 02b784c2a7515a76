import { text } from '#pages/engine/fields.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import {
  AccountPageDocument,
  SendIdentityDisconnectionDocument,
  SendOtherSessionsEndDocument,
  SendPasskeyRemovalDocument,
  SendPasswordDocument,
  SendRecoveryCodesRenewalDocument,
  SendTwoFactorDocument,
  SendTwoFactorEndDocument,
  SendTwoFactorSetupDocument,
  TwoFactorPageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const HOME = '/profile/account';

const account = page({
  path: HOME,
  operation: AccountPageDocument,
  view: 'account',
  found: ({ viewer, ...beside }) => viewer && { ...beside, user: viewer },
  title: (_found, { t }) => t('Account'),
  show: ({ user, viewerPasskeys, signInProviders }, { needed }) => ({
    user,
    passkeys: viewerPasskeys,
    providers: signInProviders,
    identities: user.identities ?? [],
    hasApp: needed.usesApp,
    recoveryCodes: user.recoveryCodesLeft ?? 0,
    others: (user.activeSessions ?? 1) - 1,
  }),
  signIn: true,
  needs: ['usesApp'],
});

/** What the setup of an authenticator app shows. */
function shownSetup({ secret, uri }: { readonly secret: string; readonly uri: string }) {
  return { uri, secret: secret.replace(/.{4}(?=.)/g, '$& ') };
}

const setup = page({
  path: '/profile/two_factor',
  operation: TwoFactorPageDocument,
  view: 'two_factor_setup',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('Set up two-factor authentication'),
  show: (_found, { needed }) => shownSetup(needed.enrolment),
  needs: ['enrolment'],
  onlyAgain: true,
});

/** The page with new recovery codes; `renewed` says whether the private token was replaced, too. */
function codesPage({ t }: Facts, codes: readonly string[], message: string, renewed: boolean) {
  return { view: 'recovery_codes', title: t('Recovery codes'), values: { codes, message, renewed } };
}

/** Forms of the account, which show it again with what was wrong. */
const OF_ACCOUNT = { isShort: true, again: account, goTo: () => HOME, from: HOME } as const;

/** A code proves who the user is in place of the password. */
const byCode = (given: Facts['given']) => ({ ...given, byCode: String(text(given.code) !== '') });

/** The account of users: password, second factor, passkeys, other accounts and sessions. `src/entrances/web/pages` adds passkeys and accounts. */
export const accounts = [
  account,
  form({
    ...OF_ACCOUNT,
    path: `${HOME}/password`,
    operation: SendPasswordDocument,
    says: label('Your password was changed. You were signed out everywhere else.'),
    check: ({ new_password: password, new_password_again: repeated }): Record<string, string> =>
      text(password) === text(repeated) ? {} : { new_password_again: 'Passwords do not match' },
    checkedBy: 'passwordChange',
    proof: 'current_password',
    renewsSession: true,
  }),
  form({
    ...OF_ACCOUNT,
    path: `${HOME}/sessions`,
    operation: SendOtherSessionsEndDocument,
    says: label('You were signed out everywhere else.'),
    asks: ({ t }) => ({
      heading: t('Sign out everywhere else?'),
      says: [t('All other browsers have to sign in again.')],
      button: t('Sign out everywhere else'),
      back: HOME,
    }),
  }),
  form({
    ...OF_ACCOUNT,
    path: `${HOME}/identities/:provider/disconnect`,
    operation: SendIdentityDisconnectionDocument,
    again: null,
    says: label('The accounts are no longer connected.'),
    asks: ({ t, given }) => ({
      heading: t('Disconnect from {label}?', { label: text(given.provider) }),
      says: [t('You can no longer sign in with that account.')],
      button: t('Disconnect'),
      back: HOME,
    }),
  }),
  form({
    ...OF_ACCOUNT,
    path: '/profile/two_factor/setup',
    operation: SendTwoFactorSetupDocument,
    again: null,
    says: null,
    shows: ({ setUpTwoFactor: made }, { t }) =>
      made && { view: 'two_factor_setup', title: t('Set up two-factor authentication'), values: shownSetup(made) },
  }),
  setup,
  form({
    ...OF_ACCOUNT,
    path: '/profile/two_factor',
    operation: SendTwoFactorDocument,
    again: setup,
    says: null,
    renewsSession: true,
    shows: ({ enableTwoFactor: made }, facts) =>
      made && codesPage(facts, made.recoveryCodes, facts.t('Two-factor authentication is enabled.'), true),
  }),
  form({
    ...OF_ACCOUNT,
    path: '/profile/two_factor/recovery_codes',
    operation: SendRecoveryCodesRenewalDocument,
    variables: byCode,
    says: null,
    shows: (data, facts) => {
      const made = data.byCode ?? data.byPassword;
      return made && codesPage(facts, made.recoveryCodes, facts.t('Your former recovery codes no longer work.'), false);
    },
  }),
  form({
    ...OF_ACCOUNT,
    path: '/profile/two_factor/disable',
    operation: SendTwoFactorEndDocument,
    variables: byCode,
    says: label('Two-factor authentication is disabled.'),
  }),
  form({
    ...OF_ACCOUNT,
    path: '/profile/passkeys/remove',
    operation: SendPasskeyRemovalDocument,
    says: label('The passkey was removed.'),
  }),
];
