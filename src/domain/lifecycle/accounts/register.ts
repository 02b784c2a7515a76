import type { Context } from '#src/access/permissions/actor.ts';
import { Directory } from '#src/access/sign_in/providers/directory.ts';
import { OpenIdProvider } from '#src/access/sign_in/providers/openid.ts';
import { registerProviders } from '#src/access/sign_in/providers/registry.ts';
import { enterFromDirectory } from '#src/domain/lifecycle/accounts/sign_in.ts';
import type { LdapSettings, OpenIdSettings, ProviderSettings } from '#src/platform/config/sign_in_providers.ts';

/** Lets the accounts of this process sign in with these providers. */
export function useProviders(
  stores: Pick<Context, 'db' | 'secret' | 'jobs'>,
  settings: readonly ProviderSettings[],
  report: (error: unknown) => void,
): void {
  const openId = settings.filter((one): one is OpenIdSettings => one.type === 'openid');
  const directories = settings.filter((one): one is LdapSettings => one.type === 'ldap');
  registerProviders(stores.db, {
    openId: openId.map((one) => new OpenIdProvider(one, report)),
    directories: directories.map((one) => new Directory(one, report)),
    accountOf: ({ settings: directory }, person, clientAddress) =>
      enterFromDirectory({ ...stores, clientAddress }, directory, person),
  });
}
