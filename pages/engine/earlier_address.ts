/** What follows a project in addresses, with `/-/` between them; without it in earlier ones, which clients still build. */
const RESOURCES = [
  'archive',
  'blame',
  'blob',
  'boards',
  'branches',
  'commit',
  'commits',
  'compare',
  'edit',
  'environments',
  'find_file',
  'issues',
  'jobs',
  'labels',
  'merge_requests',
  'milestones',
  'new',
  'pipelines',
  'project_members',
  'raw',
  'releases',
  'snippets',
  'tags',
  'tree',
];

/** The address of today for `/group/project/issues/1`, which is `/group/project/-/issues/1`; null for all others. */
export function earlierAddress(path: string): string | null {
  if (/^\/snippets\/\d+$/.test(path)) return `/-${path}`;
  const parts = path.split('/');
  if (parts.includes('-')) return null;
  const at = parts.findIndex((part, index) => index >= 3 && RESOURCES.includes(part));
  return at < 0 ? null : [...parts.slice(0, at), '-', ...parts.slice(at)].join('/');
}
