import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';

/** The record of an import from another server. */
const imported = { spread: 'project', omitNull: ['import_error'] } as const;

/** What v4 calls the values of an import from a server, whose address has a name for each kind. */
const named = (url: string) => ({
  token: 'personal_access_token',
  path: 'repo_id',
  name: 'new_name',
  namespace: 'target_namespace',
  url,
});

export const remoteImports: Route[] = [
  {
    method: 'POST',
    path: '/import/github',
    ...mutation('ImportFromGithub', 'importProjectFromServer.project.import', '...RemoteImport'),
    preset: { provider: 'GITHUB' },
    names: named('github_hostname'),
    required: ['target_namespace'],
    hidden: ['parts'],
    description:
      'Imports a repository from GitHub, or GitHub Enterprise Server, in the background, with its issues, pull requests, reviews and releases.',
    ...imported,
  },
  {
    method: 'POST',
    path: '/import/gitea',
    ...mutation('ImportFromGitea', 'importProjectFromServer.project.import', '...RemoteImport'),
    preset: { provider: 'GITEA' },
    names: named('gitea_host_url'),
    required: ['target_namespace', 'gitea_host_url'],
    hidden: ['parts'],
    description:
      'Imports a repository from Gitea or Forgejo in the background, with its issues, pull requests, reviews and releases.',
    ...imported,
  },
  {
    method: 'POST',
    path: '/import/github/cancel',
    ...mutation('CancelGithubImport', 'cancelProjectImport.project.import', '...RemoteImport'),
    names: { project: 'project_id' },
    status: 200,
    description: 'Cancels an import from GitHub that is not finished. For masters of the project.',
    ...imported,
  },
];
