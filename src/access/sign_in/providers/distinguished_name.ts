/** A distinguished name as identities have it: in lower case and without spaces around its separators. */
export function normalDn(dn: string): string {
  return dn
    .trim()
    .toLowerCase()
    .replace(/(?<!\s)\s*(?<!\\)([,=+])\s*/g, '$1');
}

/** What the providers of directories begin with. */
export const DIRECTORY_PREFIX = 'ldap';

/** The ID of somebody at a provider, as identities have it. */
export function normalExternUid(provider: string, externUid: string): string {
  return provider.startsWith(DIRECTORY_PREFIX) ? normalDn(externUid) : externUid;
}
