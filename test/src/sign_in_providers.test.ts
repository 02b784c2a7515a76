import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '#src/platform/config/config.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { scratch } from '../support/git_program.ts';

const directory = scratch('file');
const load = (content: unknown) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(path.join(directory, 'providers.json'), text);
  return loadConfig({ GANTRY_SIGN_IN_PROVIDERS: 'providers.json' }, directory).signInProviders;
};

const openid = { type: 'openid', name: 'company', issuer: 'https://id.example', client_id: 'gantry' };
const ldap = { type: 'ldap', name: 'ldapmain', url: 'ldap://ldap.example:389', base: 'dc=example' };
const group = { name: 'team', group: '/acme/team/', level: 'maintainer' };

describe('GANTRY_SIGN_IN_PROVIDERS', () => {
  it('is a file like the one in docs/sign_in.md', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(readFileSync(packagePath('docs/sign_in.md'), 'utf8')) ?? [];
    expect(load(example)).toMatchObject([
      {
        name: 'company',
        newUsers: 'create',
        scope: 'openid profile email',
        groups: [{ name: 'engineering', group: 'acme/backend', accessLevel: 30 }],
      },
      { name: 'ldapmain', newUsers: 'approve', attributes: { username: 'uid', name: 'cn', email: 'mail' } },
    ]);
  });

  it('knows several providers of each kind, and trusts none more than it says', () => {
    const all = [
      openid,
      { ...openid, name: 'other', trust_email: true },
      ldap,
      { ...ldap, name: 'ldap2', start_tls: true },
    ];
    expect(load(all)).toMatchObject([
      { label: 'company', trustEmail: false, trustTwoFactor: false, groupsClaim: 'groups', clientSecret: undefined },
      { trustEmail: true, trustTwoFactor: false },
      { startTls: false, filter: '(objectClass=*)' },
      { startTls: true },
    ]);
    expect(load([{ ...openid, groups: [group] }])[0]?.groups).toEqual([
      { name: 'team', group: 'acme/team', accessLevel: 40 },
    ]);
    expect(loadConfig({}, directory).signInProviders).toEqual([]);
  });

  it.each([
    ['{', 'is not JSON'],
    [{}, 'the file is not a list'],
    [[1], 'provider 1 is not an object'],
    [[{ ...openid, type: 'saml' }], 'provider 1: "type" is one of openid, ldap'],
    [[openid, openid], 'two providers are named company'],
    [[openid, { ...openid, name: 'A b' }], 'provider 2: "name"'],
    [[{ ...openid, name: 'ldap1' }], 'begins with "ldap"'],
    [[{ ...ldap, name: 'directory' }], 'begins with "ldap"'],
    [[{ ...openid, issuer: 'http://id.example' }], '"issuer" is an https URL'],
    [[{ ...openid, client_id: undefined }], '"client_id" is missing'],
    [[{ ...openid, client_secret: 7 }], '"client_secret"'],
    [[{ ...openid, scope: 'profile' }], '"scope"'],
    [[{ ...openid, trust_email: 'yes' }], '"trust_email" is true or false'],
    [[{ ...openid, trust_emails: true }], '"trust_emails" is not known'],
    [[{ ...openid, new_users: 'any' }], '"new_users" is one of create, approve, refuse'],
    [[{ ...openid, groups: [{ ...group, level: 'boss' }] }], 'provider 1, group 1: "level" is one of'],
    [[{ ...openid, groups: [{ ...group, more: 1 }] }], '"more" is not known'],
    [[{ ...ldap, url: 'http://ldap.example' }], '"url"'],
    [[{ ...ldap, bind_dn: 'cn=x' }], '"bind_password" is given together'],
    [[{ ...ldap, bind_dn: 'cn=x', bind_password: '' }], '"bind_password"'],
    [[{ ...ldap, url: 'ldaps://ldap.example', start_tls: true }], '"start_tls"'],
    [[{ ...ldap, groups: [group] }], '"group_base" is missing'],
    [[{ ...ldap, attributes: { username: 'u)(' } }], '"username"'],
  ])('is refused with a reason that repeats no secret: %j', (content, problem) => {
    expect(() => load(content)).toThrow(problem);
  });
});
