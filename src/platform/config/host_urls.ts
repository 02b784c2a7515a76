/**
 * The URLs of one host each that a URL of several stands for, in its order: `postgresql://a:1,b:2/db` names two. A URL of
 * one host is itself.
 */
export function hostUrls(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  return hosts.split(',').map((host) => before + host + after);
}
