import type { Settings } from '#src/platform/settings/current.ts';

/**
 * Why users may not sign up with that address; empty if they may. The whitelist decides if there is one, else the blacklist if it
 * is enabled. In both, `*` matches anything. Does not apply to administrators.
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
