import { label } from '#src/platform/texts/texts.ts';

/** What a scope gives access to, and which credentials may have it. */
interface ScopeFacts {
  /** As users see it when they choose or allow the scope. */
  readonly words: string;
  /** Of personal access tokens: those of everyone, or only those of administrators. */
  readonly personal?: 'everyone' | 'administrators';
  /** Whether deploy tokens can have it. */
  readonly deploy?: true;
  /** Whether nothing here needs it: tools ask for it by habit. */
  readonly unused?: true;
  /** Whether applications may request it. */
  readonly oauth?: true;
}

const UNUSED = label('Accepted for tools that ask for it; gives access to nothing here');

/** The scopes (people-and-projects.md, Rules 2). */
const FACTS = {
  api: {
    words: label('Do everything that you can do here: read and change your projects, groups, issues and settings'),
    personal: 'everyone',
    oauth: true,
  },
  read_api: {
    words: label('Read everything that you can see here, without changing anything'),
    personal: 'everyone',
    oauth: true,
  },
  read_user: { words: label('Read your profile and the profiles that you can see'), personal: 'everyone', oauth: true },
  read_repository: {
    words: label('Read the repositories that you can read, with git and as files'),
    personal: 'everyone',
    oauth: true,
    deploy: true,
  },
  write_repository: {
    words: label('Read and push to the repositories that you can push to, with git'),
    personal: 'everyone',
    oauth: true,
  },
  read_registry: {
    words: label('Pull images that you can read from the container registry'),
    personal: 'everyone',
    deploy: true,
  },
  write_registry: {
    words: label('Push images where you can to the container registry'),
    personal: 'everyone',
    deploy: true,
  },
  read_package_registry: { words: label('Download packages'), deploy: true },
  write_package_registry: { words: label('Publish packages'), deploy: true },
  create_runner: { words: label('Create runners where you can'), personal: 'everyone', oauth: true },
  manage_runner: {
    words: label('Read, change and remove the runners that you administer'),
    personal: 'everyone',
    oauth: true,
  },
  self_rotate: { words: label('Replace this token by a new one'), personal: 'everyone' },
  sudo: {
    words: label('Do what the other scopes allow as any other user, if you are an administrator'),
    personal: 'administrators',
    oauth: true,
  },
  read_metrics: { words: label('Read the metrics of this server, for monitoring'), personal: 'administrators' },
  admin_mode: { words: UNUSED, personal: 'administrators', unused: true },
  ai_features: { words: UNUSED, personal: 'everyone', unused: true },
  k8s_proxy: { words: UNUSED, personal: 'everyone', unused: true },
  read_service_ping: { words: UNUSED, personal: 'administrators', unused: true },
  read_virtual_registry: { words: UNUSED, personal: 'everyone', unused: true },
  write_virtual_registry: { words: UNUSED, personal: 'everyone', unused: true },
  openid: { words: label('Know who you are'), oauth: true },
  profile: { words: label('Read your name and the public parts of your profile'), oauth: true },
  email: { words: label('Read your email address'), oauth: true },
} as const satisfies Record<string, ScopeFacts>;

type Known = keyof typeof FACTS;

/** A scope that an application may request. */
export type Scope = { [Name in Known]: (typeof FACTS)[Name] extends { oauth: true } ? Name : never }[Known];

/** A scope of a personal access token. */
export type TokenScope = { [Name in Known]: (typeof FACTS)[Name] extends { personal: string } ? Name : never }[Known];

const facts: Readonly<Record<string, ScopeFacts>> = FACTS;

/** The scopes that an application may request. */
export const SCOPE_NAMES = Object.keys(facts).filter((name) => facts[name]?.oauth) as Scope[];

/** The scopes of personal access tokens. */
export const TOKEN_SCOPES = Object.keys(facts).filter((name) => facts[name]?.personal) as TokenScope[];

/** A scope of a deploy token. */
export type DeployScope = { [Name in Known]: (typeof FACTS)[Name] extends { deploy: true } ? Name : never }[Known];

/** The scopes of deploy tokens. */
export const DEPLOY_SCOPES = Object.keys(facts).filter((name) => facts[name]?.deploy) as DeployScope[];

/** The scopes that a token of this user may have. */
export function tokenScopesOf({ admin }: { admin: boolean }): TokenScope[] {
  return TOKEN_SCOPES.filter((name) => admin || facts[name]?.personal === 'everyone');
}

/** The scopes that a user has reason to choose for a token. */
export function offeredScopes(user: { admin: boolean }): { name: TokenScope; words: string }[] {
  return tokenScopesOf(user)
    .filter((name) => !facts[name]?.unused)
    .map((name) => ({ name, words: inWords(name) }));
}

/** The scope of a request that names none: everything, or as much as the application may have. */
export function defaultScope(allowed: readonly string[]): string {
  return allowed.includes('api') ? 'api' : allowed.join(' ');
}

/** The description of a scope; the scope itself if it has none. */
export function inWords(scope: string): string {
  return Object.hasOwn(facts, scope) ? (facts[scope]?.words ?? scope) : scope;
}
