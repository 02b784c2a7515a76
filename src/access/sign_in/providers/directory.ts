import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Client, Entry, Filter } from 'ldapts';
import { normalDn } from '#src/access/sign_in/providers/distinguished_name.ts';
import type { Person } from '#src/access/sign_in/providers/person.ts';
import type { LdapSettings } from '#src/platform/config/sign_in_providers.ts';
import { Unavailable } from '#src/platform/errors.ts';

/** Milliseconds that a server has for a connection, and for each answer. */
const TIMEOUT = 10_000;
/** How many groups of a person count. */
const MAX_GROUPS = 1000;

/** What a look at a directory finds: the person, or null if they are not there, or disabled. */
export type Lookup = (dn: string) => Promise<Person | null>;

/** An LDAP server, whose people sign in here with their passwords there. */
export class Directory {
  readonly settings: LdapSettings;
  readonly #report: (error: unknown) => void;

  constructor(settings: LdapSettings, report: (error: unknown) => void) {
    this.settings = settings;
    this.#report = report;
  }

  /**
   * Who has that username or e-mail address, and that password; null for wrong ones, for people who are disabled, and for names
   * that more than one has. Throws Unavailable.
   */
  async authenticate(login: string, password: string): Promise<Person | null> {
    const { attributes } = this.settings;
    if (login === '' || login.includes('\0')) return null;
    const { EqualityFilter, OrFilter } = await import('ldapts');
    // Built of parts rather than text: the login cannot be anything but a value.
    const equals = (attribute: string) => new EqualityFilter({ attribute, value: login });
    const byName = equals(attributes.username);
    const filter = login.includes('@') ? new OrFilter({ filters: [byName, equals(attributes.email)] }) : byName;
    return this.#verify(password, (client) => this.#search(client, this.settings.base, 'sub', filter));
  }

  /** Like authenticate, for the person of an identity. */
  authenticateDn(dn: string, password: string): Promise<Person | null> {
    return this.#verify(password, (client) => this.#search(client, dn, 'base'));
  }

  /** Lets `work` look people up over one connection. Throws Unavailable, also if there is no base to look in. */
  async lookUp<Result>(work: (find: Lookup) => Promise<Result>): Promise<Result> {
    return this.#connected(async (client) => {
      // An empty or misnamed directory must not look as if everybody had left.
      const { searchEntries } = await client.search(this.settings.base, { scope: 'base', attributes: ['1.1'] });
      if (searchEntries.length === 0) throw new Error(`There is nothing at ${this.settings.base}`);
      return work(async (dn) => {
        const entry = await this.#search(client, dn, 'base');
        return entry === null || isDisabled(entry) ? null : this.#personOf(client, entry);
      });
    });
  }

  /** Connects, signs in as the account that searches, and looks at where people are; says what it found. Throws what went wrong. */
  async test(): Promise<string> {
    const { base, bindDn } = this.settings;
    return this.#withClient(async (client) => {
      const { searchEntries } = await client.search(base, { scope: 'base', attributes: ['1.1'] });
      if (searchEntries.length === 0) throw new Error(`There is nothing at ${base}`);
      return `The directory accepts ${bindDn === undefined ? 'anonymous searches' : 'the account that searches'}, and has ${base}.`;
    });
  }

  async #verify(password: string, find: (client: Client) => Promise<Entry | null>): Promise<Person | null> {
    // A name with an empty password is an anonymous bind, which servers accept.
    if (password === '') return null;
    return this.#connected(async (client) => {
      const entry = await find(client);
      if (entry === null || isDisabled(entry)) return null;
      const person = await this.#personOf(client, entry);
      const { ResultCodeError } = await import('ldapts');
      try {
        await client.bind(entry.dn, password);
        return person;
      } catch (error) {
        if (error instanceof ResultCodeError) return null;
        throw error;
      }
    });
  }

  /** The one entry that is found; null for none, and for several. */
  async #search(client: Client, base: string, scope: 'base' | 'sub', filter?: Filter): Promise<Entry | null> {
    const { AndFilter, FilterParser, InvalidDNSyntaxError, NoSuchObjectError, SizeLimitExceededError } = await import(
      'ldapts'
    );
    const { username, name, email } = this.settings.attributes;
    const people = FilterParser.parseString(this.settings.filter);
    try {
      const { searchEntries } = await client.search(base, {
        scope,
        filter: filter === undefined ? people : new AndFilter({ filters: [filter, people] }),
        attributes: [username, name, email, ...DISABLING],
        sizeLimit: 2,
        derefAliases: 'never',
      });
      return searchEntries.length === 1 ? (searchEntries[0] ?? null) : null;
    } catch (error) {
      const isNone = [NoSuchObjectError, InvalidDNSyntaxError, SizeLimitExceededError].some(
        (kind) => error instanceof kind,
      );
      if (isNone) return null;
      throw error;
    }
  }

  async #personOf(client: Client, entry: Entry): Promise<Person> {
    const { name, attributes } = this.settings;
    const username = firstOf(entry, attributes.username) ?? '';
    return {
      provider: name,
      externUid: normalDn(entry.dn),
      username,
      name: firstOf(entry, attributes.name) ?? username,
      email: firstOf(entry, attributes.email),
      emailConfirmed: true,
      groups: await this.#groupsOf(client, entry.dn, username),
    };
  }

  /** The groups of a person, each by its name and by its distinguished name. */
  async #groupsOf(client: Client, dn: string, username: string): Promise<string[]> {
    const { groupBase, groups } = this.settings;
    if (groupBase === undefined || groups.length === 0) return [];
    const { EqualityFilter, OrFilter } = await import('ldapts');
    const filters = [
      new EqualityFilter({ attribute: 'member', value: dn }),
      new EqualityFilter({ attribute: 'uniqueMember', value: dn }),
      ...(username === '' ? [] : [new EqualityFilter({ attribute: 'memberUid', value: username })]),
    ];
    const { searchEntries } = await client.search(groupBase, {
      scope: 'sub',
      filter: new OrFilter({ filters }),
      attributes: ['cn'],
      sizeLimit: MAX_GROUPS,
    });
    return searchEntries.flatMap((entry) => [
      entry.dn,
      ...(firstOf(entry, 'cn') === null ? [] : [String(firstOf(entry, 'cn'))]),
    ]);
  }

  /** Works with a connection. Throws Unavailable, having reported why. */
  async #connected<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    try {
      return await this.#withClient(work);
    } catch (error) {
      this.#report(error);
      throw new Unavailable(`${this.settings.label} cannot be reached at the moment. Try again later.`, 30);
    }
  }

  /** Connects, signs in as the account that searches, and disconnects in the end. */
  async #withClient<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const { url, startTls, ca, bindDn, bindPassword } = this.settings;
    const { Client: LdapClient } = await import('ldapts');
    const host = new URL(url).hostname;
    const tls: ConnectionOptions = { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) };
    const client = new LdapClient({
      url,
      timeout: TIMEOUT,
      connectTimeout: TIMEOUT,
      ...(url.startsWith('ldaps:') ? { tlsOptions: tls } : {}),
    });
    try {
      if (startTls) await client.startTLS({ ...tls, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
      if (bindDn !== undefined && bindPassword) await client.bind(bindDn, bindPassword);
      return await work(client);
    } finally {
      await client.unbind().catch(() => {});
    }
  }
}

/** What says of somebody that they are disabled, by the maker of the server. */
const DISABLING = ['userAccountControl', 'pwdAccountLockedTime', 'nsAccountLock'];

/** ACCOUNTDISABLE in Active Directory. */
const DISABLED_BIT = 2;
/** Locked by an administrator, until one unlocks it (draft-behera-ldap-password-policy). */
const LOCKED_FOR_GOOD = '000001010000Z';

function isDisabled(entry: Entry): boolean {
  const control = Number(firstOf(entry, 'userAccountControl') ?? 0);
  if ((control & DISABLED_BIT) !== 0) return true;
  return (
    firstOf(entry, 'pwdAccountLockedTime') === LOCKED_FOR_GOOD || /^true$/i.test(firstOf(entry, 'nsAccountLock') ?? '')
  );
}

/** The first value of an attribute, whose name may be in any case; null without one. */
function firstOf(entry: Entry, attribute: string): string | null {
  const [, values] = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase()) ?? [];
  const first = Array.isArray(values) ? values[0] : values;
  const text = typeof first === 'string' ? first.trim() : '';
  return text === '' || text.includes('\0') ? null : text.slice(0, 255);
}
