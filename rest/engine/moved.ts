import type { Endpoint } from '#rest/engine/compile.ts';

/** The URL of the request, with the new full path in place of the value of `:id`. */
export function movedUrl({ route }: Endpoint, old: string, movedTo: string, url: string): string {
  const collection = route.path.split('/').at(route.path.split('/').indexOf(':id') - 1);
  const target = new URL(url);
  const parts = target.pathname.split('/');
  const named = (part: string) => decodeURIComponent(part) === old;
  const at = parts.findIndex((part, index) => named(part) && parts.slice(0, index).findLast(Boolean) === collection);
  if (at >= 0) parts[at] = encodeURIComponent(movedTo);
  target.pathname = parts.join('/');
  for (const secret of ['private_token', 'access_token', 'bearer_token', 'sudo']) target.searchParams.delete(secret);
  return target.href;
}
