import type { Given } from '#src/domain/remote_imports/base/values.ts';

/** A checksum of so many hexadecimal digits; null if there is none, or something else. */
export function checksumIn(given: Given, key: string, digits: number): string | null {
  const value = given[key];
  if (typeof value !== 'string' || value.length !== digits || !/^[\da-fA-F]+$/.test(value)) return null;
  return value.toLowerCase();
}

/** A number of bytes; null if there is none. */
export function sizeIn(given: Given, key: string): number | null {
  const value = given[key];
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

/** Names as parts of an address: slashes in them part them further, and none of them leads elsewhere. */
export function parted(...names: string[]): string {
  return names
    .flatMap((name) => name.split('/'))
    .map((part) => (/^\.+$/.test(part) ? '_' : encodeURIComponent(part)))
    .join('/');
}

/**
 * A repository of images of a server where these belong to owners: the full name of one, and what stands behind the path of the project
 * here. That of the project has its name.
 *
 * @param path of the project at the source
 */
export function ownersImage(path: string, given: string): { repository: string; name: string } {
  const [owner = '', slug = ''] = path.toLowerCase().split('/');
  const own = given.toLowerCase();
  const name = own === slug ? '' : own.startsWith(`${slug}/`) ? own.slice(slug.length + 1) : own;
  return { repository: `${owner}/${own}`, name };
}
