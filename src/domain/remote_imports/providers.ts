import type { Provider } from '#src/domain/remote_imports/base/source.ts';
import { GITEA } from '#src/domain/remote_imports/gitea/provider.ts';
import { GITHUB } from '#src/domain/remote_imports/github/provider.ts';
import { GITLAB } from '#src/domain/remote_imports/gitlab/provider.ts';

/** The kinds of servers that projects can be moved in from, by their names. */
export const PROVIDERS = { github: GITHUB, gitea: GITEA, gitlab: GITLAB } as const satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;

/** The provider of a name that the database has. */
export function providerOf(name: string): Provider {
  const found = (PROVIDERS as Record<string, Provider | undefined>)[name];
  if (found === undefined) throw new Error(`There is no provider "${name}"`);
  return found;
}
