import type { Directory } from '#src/access/sign_in/providers/directory.ts';
import type { OpenIdProvider } from '#src/access/sign_in/providers/openid.ts';
import type { Person } from '#src/access/sign_in/providers/person.ts';
import { originalOf } from '#src/platform/database/copies.ts';
import type { Db } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** The providers of identities that this process knows. */
export interface Providers {
  readonly openId: readonly OpenIdProvider[];
  readonly directories: readonly Directory[];
  /**
   * The account of a person whose password a directory has accepted; opened with the first sign-in, where that is allowed. Throws
   * Unauthenticated, saying why there is none.
   */
  readonly accountOf: (directory: Directory, person: Person, clientAddress: string | null) => Promise<number>;
}

const NONE: Providers = {
  openId: [],
  directories: [],
  accountOf: () => Promise.reject(new Error('There are no directories')),
};

const known = new WeakMap<object, Providers>();

/** Says where else the accounts of that database sign in; called at the start. */
export function registerProviders(db: Db, providers: Providers): void {
  known.set(db, providers);
}

/** All providers, those that are disabled included. */
export function allProviders(db: Db): Providers {
  return known.get(originalOf(db)) ?? NONE;
}

/** The providers that the settings let people sign in with. */
export async function enabledProviders(db: Db): Promise<Providers> {
  const all = known.get(originalOf(db));
  if (!all) return NONE;
  const { disabledOauthSignInSources: disabled } = await currentSettings(db);
  const isEnabled = ({ settings }: { settings: { name: string } }) => !disabled.includes(settings.name);
  return { ...all, openId: all.openId.filter(isEnabled), directories: all.directories.filter(isEnabled) };
}

/** The OpenID Connect provider of that name. Throws NotFound, also for disabled ones. */
export async function openIdProvider(db: Db, name: string): Promise<OpenIdProvider> {
  const { openId } = await enabledProviders(db);
  const found = openId.find(({ settings }) => settings.name === name);
  if (!found) throw new NotFound('Provider');
  return found;
}

/** What people are shown of a provider. */
export interface OfferedProvider {
  name: string;
  label: string;
  /** Whether people enter their username and password here, rather than at the provider. */
  takesPassword: boolean;
}

/** The providers that people can sign in with, in the order of the configuration. */
export async function offeredProviders(db: Db): Promise<OfferedProvider[]> {
  const { openId, directories } = await enabledProviders(db);
  const offered = (takesPassword: boolean) => {
    return ({ settings: { name, label } }: { settings: { name: string; label: string } }) => ({
      name,
      label,
      takesPassword,
    });
  };
  return [...openId.map(offered(false)), ...directories.map(offered(true))];
}
