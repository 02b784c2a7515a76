import { projectSettings } from '#src/domain/gitlab_archives/head.ts';
import { featureSettings } from '#src/domain/gitlab_archives/relations/project.ts';
import { allEntries } from '#src/domain/remote_imports/base/owned.ts';
import { escaped } from '#src/domain/remote_imports/base/rewrite.ts';
import {
  type Provider,
  type RemoteAddress,
  type RemoteProject,
  SourceInvalid,
} from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  listOf,
  objectOf,
  picturesOf,
  textIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';
import { GITLAB_PHASES } from '#src/domain/remote_imports/gitlab/phases.ts';
import { RemoteClient, RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** GitLab, by version 4 of its REST API, and servers that answer as it does. */
export const GITLAB: Provider = {
  name: 'gitlab',
  label: 'GitLab',
  defaultUrl: 'https://gitlab.com',
  parameters: { url: 'url', path: 'path', token: 'access_token' },
  client: ({ url, token }, settings, signal) =>
    new RemoteClient({
      origin: new URL(url).origin,
      credentials: { 'private-token': token },
      headers: { accept: 'application/json' },
      settings,
      signal,
    }),
  async project(client, address) {
    const { body } = await client.json(new URL(`${apiOf(address)}/projects/${encodeURIComponent(address.path)}`));
    return projectOf(objectOf(body, 'a project'), address);
  },
  async owned(client, address) {
    const found = await ownedBy(client, address);
    return found.map((given) => ({ path: projectPath(given), isFork: given.forked_from_project != null }));
  },
  phases: GITLAB_PHASES,
  heads: 'refs/merge-requests/*/head',
  texts: {
    sharesNumbers: false,
    // Phases write each address of a file of the project in this way.
    attachments: (url) =>
      new RegExp(String.raw`${escaped(url)}/-/project/\d{1,15}/uploads/[\da-f]{32}/[\w.~%-]{1,2300}`, 'g'),
  },
};

/** Root of the API of a server. */
export function apiOf({ url }: Pick<RemoteAddress, 'url'>): string {
  return `${url}/api/v4`;
}

/** The projects of a group, or else of a user. */
async function ownedBy(client: RemoteClient, address: RemoteAddress): Promise<Given[]> {
  const [root, owner] = [apiOf(address), encodeURIComponent(address.path)];
  try {
    return await allEntries(
      client,
      `${root}/groups/${owner}/projects?with_shared=false&include_subgroups=false`,
      'per_page',
    );
  } catch (error) {
    if (!(error instanceof RemoteRefused) || error.status !== 404) throw error;
  }
  const { body } = await client.json(new URL(`${root}/users?username=${owner}`));
  const [user] = listOf(body, 'users');
  if (user === undefined) throw new RemoteRefused('The source does not have it.', 404);
  return allEntries(client, `${root}/users/${idIn(user, 'id')}/projects`, 'per_page');
}

function projectOf(given: Given, address: RemoteAddress): RemoteProject {
  const { url } = address;
  const id = idIn(given, 'id');
  const path = projectPath(given);
  const { head } = projectSettings(given, featureSettings(given), null);
  // Servers of before 17.0 have a wiki wherever the switch is on, and say so in their own words since.
  const hasWiki = head.wiki_enabled !== false;
  return {
    id,
    path,
    slug: path.slice(path.lastIndexOf('/') + 1),
    name: titleIn(given, 'name'),
    api: `${apiOf(address)}/projects/${id}`,
    server: url,
    web: `${url}/${path}`,
    settings: { ...head, archived: given.archived === true },
    repository: `${url}/${path}.git`,
    wiki: hasWiki ? `${url}/${path}.wiki.git` : null,
    // Any name goes with a token as password.
    gitUser: 'oauth2',
    // Servers of before 16.9 have it at its web address alone.
    pictures: picturesOf(given, url, `${apiOf(address)}/projects/${id}/avatar`),
  };
}

/** The path of a project, which becomes part of addresses that are asked. Throws SourceInvalid for none. */
function projectPath(given: Given): string {
  const path = textIn(given, 'path_with_namespace', 1_000);
  if (!/^[\w.-]+(?:\/[\w.-]+)+$/.test(path) || path.split('/').some((part) => /^\.+$/.test(part))) {
    throw new SourceInvalid('The source answered with a project whose path_with_namespace is not a path.');
  }
  return path;
}
