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
  'graphs',
  'issues',
  'jobs',
  'labels',
  'merge_requests',
  'milestones',
  'network',
  'new',
  'pipelines',
  'project_members',
  'raw',
  'releases',
  'snippets',
  'tags',
  'tree',
];

/** The settings of users, which elsewhere are below `/-/user_settings` and `/-/profile`: programs open them, and instructions name them. */
const OF_USERS = new Map([
  ['personal_access_tokens', '/profile/personal_access_tokens'],
  ['ssh_keys', '/profile/keys'],
  ['keys', '/profile/keys'],
  ['gpg_keys', '/profile/keys'],
  ['active_sessions', '/profile/sessions'],
  ['notifications', '/profile/notifications'],
  ['preferences', '/profile/preferences'],
  ['account', '/profile/account'],
  ['applications', '/profile/applications'],
  ['profile', '/profile'],
]);

/** The address of today for `/group/project/issues/1`, which is `/group/project/-/issues/1`; null for all others. */
export function earlierAddress(path: string): string | null {
  if (/^\/snippets\/\d+$/.test(path)) return `/-${path}`;
  const [, of] = /^\/-\/(?:user_settings|profile)\/(\w+)\/?$/.exec(path) ?? [];
  if (of !== undefined) return OF_USERS.get(of) ?? null;
  const parts = path.split('/');
  // No user or group is named `profile`.
  if (parts.includes('-') || parts[1] === 'profile') return null;
  const at = parts.findIndex((part, index) => index >= 3 && RESOURCES.includes(part));
  return at < 0 ? null : [...parts.slice(0, at), '-', ...parts.slice(at)].join('/');
}
