import { allEntries } from '#src/domain/remote_imports/base/owned.ts';
import { descriptionWith, repositoryPath } from '#src/domain/remote_imports/base/records.ts';
import { escaped } from '#src/domain/remote_imports/base/rewrite.ts';
import type { Provider, RemoteAddress, RemoteProject } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, isGiven, objectOf, picturesOf, textIn } from '#src/domain/remote_imports/base/values.ts';
import { GITEA_PHASES } from '#src/domain/remote_imports/gitea/phases.ts';
import { RemoteClient, RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Gitea and Forgejo, by version 1 of their REST API. */
export const GITEA: Provider = {
  name: 'gitea',
  label: 'Gitea',
  defaultUrl: null,
  parameters: { url: 'gitea_host_url', path: 'repo_id', token: 'personal_access_token' },
  client: ({ url, token }, settings, signal) =>
    new RemoteClient({
      origin: new URL(url).origin,
      credentials: { authorization: `token ${token}` },
      headers: { accept: 'application/json' },
      settings,
      signal,
    }),
  async project(client, address) {
    const root = `${address.url}/api/v1`;
    const at = /^\d+$/.test(address.path) ? `/repositories/${address.path}` : `/repos/${address.path}`;
    const { body } = await client.json(new URL(`${root}${at}`));
    const given = objectOf(body, 'a repository');
    const path = repositoryPath(given);
    return projectOf(given, path, address, await topicsOf(client, `${root}/repos/${path}`));
  },
  async owned(client, { url, path }) {
    const found = await allEntries(client, `${url}/api/v1/orgs/${path}/repos`, 'limit').catch((error) => {
      if (!(error instanceof RemoteRefused) || error.status !== 404) throw error;
      return allEntries(client, `${url}/api/v1/users/${path}/repos`, 'limit');
    });
    return found.map((given) => ({ path: repositoryPath(given), isFork: given.fork === true }));
  },
  phases: GITEA_PHASES,
  heads: 'refs/pull/*/head',
  texts: {
    sharesNumbers: true,
    attachments: (url) => new RegExp(String.raw`${escaped(url)}/(?:[\w.-]+/[\w.-]+/)?attachments/[\da-f-]{36}`, 'g'),
  },
};

/** The topics, which servers of before 1.11 do not have. */
async function topicsOf(client: RemoteClient, api: string): Promise<string[]> {
  try {
    const { body } = await client.json(new URL(`${api}/topics?limit=50`));
    const topics = isGiven(body) && Array.isArray(body.topics) ? body.topics : [];
    return topics.filter((topic): topic is string => typeof topic === 'string' && /^[a-z\d.-]{1,50}$/.test(topic));
  } catch (error) {
    if (error instanceof RemoteRefused && error.status !== null) return [];
    throw error;
  }
}

function projectOf(given: Given, path: string, { url }: RemoteAddress, topics: string[]): RemoteProject {
  const slug = path.slice(path.indexOf('/') + 1);
  const hasWiki = given.has_wiki === true && !isGiven(given.external_wiki);
  return {
    id: idIn(given, 'id'),
    path,
    slug,
    name: slug,
    api: `${url}/api/v1/repos/${path}`,
    server: url,
    web: `${url}/${path}`,
    settings: {
      description: descriptionWith(given, 'website'),
      visibility: given.private === false ? (given.internal === true ? 'internal' : 'public') : 'private',
      archived: given.archived === true,
      default_branch: textIn(given, 'default_branch', 255) || null,
      issues_enabled: given.has_issues !== false,
      wiki_enabled: given.has_wiki !== false,
      remove_source_branch_after_merge: given.default_delete_branch_after_merge === true,
      tag_list: topics,
    },
    repository: `${url}/${path}.git`,
    wiki: hasWiki ? `${url}/${path}.wiki.git` : null,
    // Any name goes with a token as password.
    gitUser: 'oauth2',
    pictures: picturesOf(given, url),
  };
}
