import type { Settings } from '#src/platform/settings/current.ts';

/**
 * Why nobody may create an account for themselves with that address; empty when nothing is against it. The whitelist decides
 * where there is one, else the blacklist where it is enabled. In both, `*` stands for anything. Administrators are free.
 */
export function domainErrors(
  { domainWhitelist, domainBlacklist, domainBlacklistEnabled }: Settings,
  email: string,
): string[] {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (domainWhitelist && domainWhitelist.length > 0) {
    return matches(domainWhitelist, domain) ? [] : ['domain is not authorized for sign-up'];
  }
  const black = domainBlacklistEnabled && matches(domainBlacklist ?? [], domain);
  return black ? ['is not from an allowed domain.'] : [];
}

function matches(patterns: readonly string[], domain: string): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 'i').test(domain);
  });
}
