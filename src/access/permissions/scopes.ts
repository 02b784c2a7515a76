/** The scopes that an application may request, with the text that users see. */
export const SCOPES = {
  api: 'Do everything that you can do here: read and change your projects, groups, issues and settings',
  read_api: 'Read everything that you can see here, without changing anything',
  read_user: 'Read your profile and the profiles that you can see',
  read_repository: 'Read the repositories that you can read, with git and as files',
  write_repository: 'Read and push to the repositories that you can push to, with git',
  openid: 'Know who you are',
  profile: 'Read your name and the public parts of your profile',
  email: 'Read your email address',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** The scope of a request that names none: everything, or as much as the application may have. */
export function defaultScope(allowed: readonly string[]): string {
  return allowed.includes('api') ? 'api' : allowed.join(' ');
}

/** The description of a scope; the scope itself if it has none. */
export function inWords(scope: string): string {
  return Object.hasOwn(SCOPES, scope) ? SCOPES[scope as Scope] : scope;
}
