import { allEntries } from '#src/domain/remote_imports/base/owned.ts';
import { descriptionWith, repositoryPath } from '#src/domain/remote_imports/base/records.ts';
import { escaped } from '#src/domain/remote_imports/base/rewrite.ts';
import type { Provider, RemoteAddress, RemoteProject } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, objectOf, textIn } from '#src/domain/remote_imports/base/values.ts';
import { GITHUB_PHASES } from '#src/domain/remote_imports/github/phases.ts';
import { RemoteClient } from '#src/platform/outbound/remote_client.ts';

const WEB = 'https://github.com';
const API = 'https://api.github.com';

/** GitHub, and GitHub Enterprise Server, by their REST API of version 2022-11-28. */
export const GITHUB: Provider = {
  name: 'github',
  label: 'GitHub',
  defaultUrl: WEB,
  parameters: { url: 'github_hostname', path: 'repo_id', token: 'personal_access_token' },
  client: ({ url, token }, settings, signal) =>
    new RemoteClient({
      origin: new URL(apiOf(url)).origin,
      credentials: { authorization: `Bearer ${token}` },
      headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
      settings,
      signal,
    }),
  async project(client, address) {
    const at = /^\d+$/.test(address.path) ? `/repositories/${address.path}` : `/repos/${address.path}`;
    const { body } = await client.json(new URL(`${apiOf(address.url)}${at}`));
    return projectOf(objectOf(body, 'a repository'), address);
  },
  async owned(client, address) {
    const found = await allEntries(client, `${apiOf(address.url)}${await listOfOwner(client, address)}`, 'per_page');
    return found.map((given) => ({ path: repositoryPath(given), isFork: given.fork === true }));
  },
  phases: GITHUB_PHASES,
  heads: 'refs/pull/*/head',
  texts: {
    sharesNumbers: true,
    attachments: (url) =>
      new RegExp(
        String.raw`https://user-images\.githubusercontent\.com/[\w./%-]+|${escaped(url)}/(?:user-attachments/(?:assets|files)/[\w./%-]+|[\w.-]+/[\w.-]+/(?:assets|files)/\d+/[\w.%-]+)`,
        'g',
      ),
  },
};

/** The list of the repositories of an owner: of an organization, of the user whose token it is, or what others show. */
async function listOfOwner(client: RemoteClient, { url, path }: RemoteAddress): Promise<string> {
  const { body } = await client.json(new URL(`${apiOf(url)}/users/${path}`));
  const given = objectOf(body, 'a user');
  if (given.type === 'Organization') return `/orgs/${path}/repos?type=all`;
  const { body: own } = await client.json(new URL(`${apiOf(url)}/user`));
  const isOwn = objectOf(own, 'a user').id === given.id;
  return isOwn ? '/user/repos?affiliation=owner' : `/users/${path}/repos?type=owner`;
}

/** Root of the API of a server by its web address. */
export function apiOf(url: string): string {
  return url === WEB ? API : `${url}/api/v3`;
}

function projectOf(given: Given, { url }: RemoteAddress): RemoteProject {
  const path = repositoryPath(given);
  const slug = path.slice(path.indexOf('/') + 1);
  const topics = Array.isArray(given.topics) ? given.topics : [];
  return {
    id: idIn(given, 'id'),
    path,
    slug,
    name: slug,
    api: `${apiOf(url)}/repos/${path}`,
    server: url,
    web: `${url}/${path}`,
    settings: {
      description: descriptionWith(given, 'homepage'),
      visibility: given.private === false ? 'public' : 'private',
      archived: given.archived === true,
      default_branch: textIn(given, 'default_branch', 255) || null,
      issues_enabled: given.has_issues !== false,
      wiki_enabled: given.has_wiki !== false,
      remove_source_branch_after_merge: given.delete_branch_on_merge === true,
      tag_list: topics.filter((topic): topic is string => typeof topic === 'string' && /^[a-z\d-]{1,50}$/.test(topic)),
    },
    repository: `${url}/${path}.git`,
    wiki: given.has_wiki === true ? `${url}/${path}.wiki.git` : null,
    gitUser: 'x-access-token',
    // Repositories have none: that of the owner is not theirs.
    pictures: [],
  };
}
