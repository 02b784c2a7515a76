import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { afterAll } from 'vitest';
import type { LdapSettings } from '#src/platform/config/sign_in_providers.ts';
import { freePort } from './own_postgres.ts';

const BASE = 'dc=company,dc=example';
const ADMIN = { dn: `cn=admin,${BASE}`, password: 'secret of the directory' };

/** The password of everybody in it. */
export const DIRECTORY_PASSWORD = 'known there';

/** Debian's slapd with a directory of a company, of its own for a test file. */
export class Slapd {
  readonly url: string;
  readonly secureUrl: string;
  /** Certificate of the server, in PEM. */
  readonly certificate: string;
  #client: Client;

  constructor(port: number, securePort: number, certificate: string) {
    this.url = `ldap://127.0.0.1:${port}`;
    this.secureUrl = `ldaps://127.0.0.1:${securePort}`;
    this.certificate = certificate;
    this.#client = new Client({ url: this.url });
  }

  settings(changes: Partial<LdapSettings> = {}): LdapSettings {
    return {
      type: 'ldap',
      name: 'ldapmain',
      label: 'Directory',
      url: this.url,
      startTls: false,
      ca: undefined,
      bindDn: ADMIN.dn,
      bindPassword: ADMIN.password,
      base: `ou=people,${BASE}`,
      filter: '(objectClass=inetOrgPerson)',
      attributes: { username: 'uid', name: 'cn', email: 'mail' },
      newUsers: 'create',
      groupBase: undefined,
      groups: [],
      ...changes,
    };
  }

  async connect(): Promise<void> {
    await this.#client.bind(ADMIN.dn, ADMIN.password);
    await this.#client.add(BASE, { objectClass: ['dcObject', 'organization'], dc: 'company', o: 'Company' });
    for (const ou of ['people', 'groups']) {
      await this.#client.add(`ou=${ou},${BASE}`, { objectClass: 'organizationalUnit', ou });
    }
  }

  async close(): Promise<void> {
    await this.#client.unbind();
  }

  /** Adds somebody; returns their distinguished name. */
  async person(uid: string, more: Record<string, string> = {}): Promise<string> {
    const dn = `uid=${uid},ou=people,${BASE}`;
    await this.#client.add(dn, {
      objectClass: ['inetOrgPerson', 'accountControl'],
      uid,
      cn: `Name of ${uid}`,
      sn: uid,
      mail: `${uid}@company.example`,
      userPassword: DIRECTORY_PASSWORD,
      ...more,
    });
    return dn;
  }

  async group(cn: string, members: string[]): Promise<string> {
    const dn = `cn=${cn},ou=groups,${BASE}`;
    await this.#client.add(dn, { objectClass: 'groupOfNames', cn, member: members });
    return dn;
  }

  async replace(dn: string, type: string, values: string[]): Promise<void> {
    await this.#client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values }) }));
  }

  async remove(dn: string): Promise<void> {
    await this.#client.del(dn);
  }
}

/** What Active Directory says of accounts, which the schemas of slapd do not have. */
const SCHEMA = `
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.99999.1 NAME 'accountControl' SUP top AUXILIARY MAY ( userAccountControl ) )
`;

/** Starts slapd in a directory of its own on free ports; it ends after the last test of the file. */
export async function startSlapd(): Promise<Slapd> {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-slapd-'));
  const file = (name: string) => path.join(directory, name);
  const [port, securePort] = [await freePort(), await freePort()];
  mkdirSync(file('data'));
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', file('key.pem'), '-out', file('certificate.pem')],
    ],
    { stdio: 'ignore' },
  );
  writeFileSync(file('own.schema'), SCHEMA);
  const schemas = ['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`);
  const lines = [
    ...schemas,
    `include ${file('own.schema')}`,
    `pidfile ${file('pid')}`,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    `TLSCertificateFile ${file('certificate.pem')}`,
    `TLSCertificateKeyFile ${file('key.pem')}`,
    // As many servers do, and as the protocol has it.
    'allow bind_anon_cred bind_anon_dn',
    'database mdb',
    'maxsize 16777216',
    `suffix "${BASE}"`,
    `rootdn "${ADMIN.dn}"`,
    `rootpw "${ADMIN.password}"`,
    `directory ${file('data')}`,
  ];
  writeFileSync(file('slapd.conf'), `${lines.join('\n')}\n`);
  const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${securePort}/`;
  const args = ['-d', '0', '-f', file('slapd.conf'), '-h', urls];
  const child = spawn('slapd', args, {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (part) => {
    output += part;
  });
  const slapd = new Slapd(port, securePort, readFileSync(file('certificate.pem'), 'utf8'));
  const patience = Date.now() + 30_000;
  for (;;) {
    try {
      await slapd.connect();
      break;
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`slapd has ended: ${output}`);
      if (Date.now() > patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  afterAll(async () => {
    await slapd.close();
    const ended = once(child, 'exit');
    child.kill();
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  return slapd;
}
