import { readFileSync } from 'node:fs';
import path from 'node:path';
import { trimEnds } from '../../base/text.ts';

/** What happens to people who sign in through a provider for the first time. */
export type NewUsers = 'create' | 'approve' | 'refuse';

/** A group of the provider, and the membership that it gives. */
export interface GroupMapping {
  /** Name of the group at the provider; of a directory, also its distinguished name. */
  name: string;
  /** Full path of the group here. */
  group: string;
  /** 10 guest … 50 owner. */
  accessLevel: number;
}

interface Common {
  /** Identifies the provider in URLs, identities and settings. */
  name: string;
  /** What people read. */
  label: string;
  newUsers: NewUsers;
  groups: readonly GroupMapping[];
}

/** An OpenID Connect provider, whose endpoints are found by its issuer. */
export interface OpenIdSettings extends Common {
  type: 'openid';
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  scope: string;
  /** Whether its e-mail addresses count as confirmed even if it does not say so. */
  trustEmail: boolean;
  /** Whether our own second factor is not asked for. */
  trustTwoFactor: boolean;
  groupsClaim: string;
}

/** An LDAP server. */
export interface LdapSettings extends Common {
  type: 'ldap';
  /** `ldap://` or `ldaps://`. */
  url: string;
  startTls: boolean;
  /** Certificates of the authorities to trust, in PEM; those of Node when absent. */
  ca: string | undefined;
  /** The account that searches; anonymous when absent. */
  bindDn: string | undefined;
  bindPassword: string | undefined;
  /** Where people are. */
  base: string;
  /** A filter that people must match. */
  filter: string;
  attributes: { username: string; name: string; email: string };
  /** Where groups are; they are not looked at when absent. */
  groupBase: string | undefined;
}

export type ProviderSettings = OpenIdSettings | LdapSettings;

const LEVELS: Record<string, number> = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 };

/** How many providers and mappings there can be. */
const MAX_ENTRIES = 100;

/**
 * The providers in a JSON file: a list of objects as docs/sign_in.md describes them.
 *
 * @throws Error that names the provider and the key that is wrong
 */
export function readSignInProviders(file: string): ProviderSettings[] {
  const list = listOf(parsed(file), 'the file');
  const providers = list.map((one, at) => {
    const entry = new Entry(objectOf(one, `provider ${at + 1}`), `provider ${at + 1}`);
    return entry.finish(read(entry, path.dirname(file)));
  });
  const names = providers.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Error(`two providers are named ${twice}`);
  return providers;
}

function read(entry: Entry, directory: string): ProviderSettings {
  const type = entry.oneOf('type', ['openid', 'ldap'] as const);
  const name = entry.text('name', /^[a-z0-9][a-z0-9_-]{0,31}$/);
  // Filters tell accounts of directories by it.
  if (name.startsWith('ldap') !== (type === 'ldap'))
    throw entry.wrong('name', 'begins with "ldap" for LDAP servers, and for them alone');
  const common = {
    name,
    label: entry.text('label', /^[^\p{Cc}]{1,100}$/u, name),
    newUsers: entry.oneOf('new_users', ['create', 'approve', 'refuse'] as const, 'approve'),
    groups: entry
      .list('groups')
      .map((one, at) =>
        mapping(new Entry(objectOf(one, `${entry.where}, group ${at + 1}`), `${entry.where}, group ${at + 1}`)),
      ),
  };
  return type === 'openid' ? openId(entry, common) : ldap(entry, common, directory);
}

function openId(entry: Entry, common: Common): OpenIdSettings {
  return {
    type: 'openid',
    ...common,
    issuer: issuerOf(entry),
    clientId: entry.text('client_id'),
    clientSecret: entry.optional('client_secret'),
    scope: entry.text('scope', /^(?=.*\bopenid\b)[\x21-\x7e]+( [\x21-\x7e]+)*$/, 'openid profile email'),
    trustEmail: entry.flag('trust_email'),
    trustTwoFactor: entry.flag('trust_two_factor'),
    groupsClaim: entry.text('groups_claim', undefined, 'groups'),
  };
}

function issuerOf(entry: Entry): string {
  const text = entry.text('issuer');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = url && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && local)) return text;
  throw entry.wrong('issuer', 'is an https URL, or an http URL of this machine');
}

function ldap(entry: Entry, common: Common, directory: string): LdapSettings {
  const caFile = entry.optional('ca_file');
  const attributes = new Entry(
    objectOf(entry.value('attributes') ?? {}, `${entry.where}, attributes`),
    `${entry.where}, attributes`,
  );
  const attribute = /^[A-Za-z][A-Za-z0-9;.-]{0,63}$/;
  const settings: LdapSettings = {
    type: 'ldap',
    ...common,
    url: entry.text('url', /^ldaps?:\/\/[^\s/?#@]+\/?$/),
    startTls: entry.flag('start_tls'),
    ca: caFile === undefined ? undefined : readFileSync(path.resolve(directory, caFile), 'utf8'),
    bindDn: entry.optional('bind_dn'),
    bindPassword: entry.optional('bind_password'),
    base: entry.text('base'),
    filter: entry.text('filter', /^\(.+\)$/s, '(objectClass=*)'),
    attributes: attributes.finish({
      username: attributes.text('username', attribute, 'uid'),
      name: attributes.text('name', attribute, 'cn'),
      email: attributes.text('email', attribute, 'mail'),
    }),
    groupBase: entry.optional('group_base'),
  };
  // Servers take a name without a password for an anonymous bind, which succeeds.
  if ((settings.bindDn === undefined) !== (settings.bindPassword === undefined))
    throw entry.wrong('bind_password', 'is given together with "bind_dn"');
  if (settings.startTls && settings.url.startsWith('ldaps:')) throw entry.wrong('start_tls', 'is for ldap:// URLs');
  if (settings.groups.length > 0 && settings.groupBase === undefined)
    throw entry.wrong('group_base', 'is missing beside "groups"');
  return settings;
}

function mapping(entry: Entry): GroupMapping {
  const level = entry.oneOf('level', Object.keys(LEVELS), 'developer');
  const group = trimEnds(entry.text('group'), '/');
  return entry.finish({ name: entry.text('name'), group, accessLevel: LEVELS[level] ?? 0 });
}

/** Reads the keys of an object, and finds those that nobody reads. */
class Entry {
  readonly where: string;
  readonly #values: Record<string, unknown>;
  readonly #known = new Set<string>();

  constructor(values: Record<string, unknown>, where: string) {
    this.#values = values;
    this.where = where;
  }

  value(key: string): unknown {
    this.#known.add(key);
    return this.#values[key] ?? undefined;
  }

  text(key: string, form: RegExp = /^[^\0]{1,2000}$/s, usual?: string): string {
    const value = this.value(key) ?? usual;
    if (value === undefined) throw this.wrong(key, 'is missing');
    if (typeof value === 'string' && form.test(value)) return value;
    throw this.wrong(key, 'is not as it should be');
  }

  optional(key: string): string | undefined {
    return this.value(key) === undefined ? undefined : this.text(key);
  }

  flag(key: string): boolean {
    const value = this.value(key) ?? false;
    if (typeof value === 'boolean') return value;
    throw this.wrong(key, 'is true or false');
  }

  oneOf<const Word extends string>(key: string, words: readonly Word[], usual?: Word): Word {
    const value = this.value(key) ?? usual;
    const word = words.find((one) => one === value);
    if (word !== undefined) return word;
    throw this.wrong(key, `is one of ${words.join(', ')}`);
  }

  list(key: string): unknown[] {
    return listOf(this.value(key) ?? [], `${this.where}, "${key}"`);
  }

  /** Returns what was read, if that is all there is. */
  finish<Result>(result: Result): Result {
    const odd = Object.keys(this.#values).find((key) => !this.#known.has(key));
    if (odd !== undefined) throw this.wrong(odd, 'is not known');
    return result;
  }

  wrong(key: string, why: string): Error {
    return new Error(`${this.where}: "${key}" ${why}`);
  }
}

function listOf(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where} is not a list`);
  if (value.length > MAX_ENTRIES) throw new Error(`${where} has more than ${MAX_ENTRIES} entries`);
  return value;
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${where} is not an object`);
}

/** Does not repeat what is in the file: it holds passwords. */
function parsed(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file} is not JSON`);
  }
}
