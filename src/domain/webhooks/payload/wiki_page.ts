import type { WikiPageChanged } from '#src/domain/changes/change.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import { type Payload, projectRecord, type Surroundings, userRecord } from '#src/domain/webhooks/payload/common.ts';
import type { ProjectFacts, UserFacts } from '#src/domain/webhooks/payload/facts.ts';
import { sshUrl } from '#src/platform/config/ssh_address.ts';

interface OfProject {
  project: ProjectFacts;
  group?: undefined;
}

interface OfGroup {
  project?: undefined;
  group: { id: number; name: string; path: string; fullPath: string };
}

type WikiPageFacts = (OfProject | OfGroup) & { page: WikiPageChanged['page']; user: UserFacts };

/** The payload for a page of the wiki of a project, or of a group, that was created, changed or deleted. */
export function wikiPagePayload({ page, user, ...owner }: WikiPageFacts, around: Surroundings): Payload {
  const { title, content, format, message, slug, action, commit } = page;
  const { fullPath } = owner.project ?? owner.group;
  const place = owner.project ? fullPath : `groups/${fullPath}`;
  const pageOf = (name: string) =>
    around.baseUrl + pagePath(place, 'wikis', name.split('/').map(encodeURIComponent).join('/'));
  return {
    object_kind: 'wiki_page',
    user: userRecord(user, around),
    ...(owner.project ? { project: projectRecord(owner.project, around) } : { group: groupRecord(owner.group) }),
    wiki: {
      web_url: pageOf('home'),
      git_ssh_url: sshUrl(`${fullPath}.wiki`, around.baseUrl, around.ssh),
      git_http_url: `${around.baseUrl}/${fullPath}.wiki.git`,
      path_with_namespace: `${fullPath}.wiki`,
      default_branch: owner.project?.defaultBranch ?? 'master',
    },
    object_attributes: { title, content, format, message, slug, url: pageOf(slug), action, version_id: commit },
  };
}

function groupRecord({ id, name, path, fullPath }: OfGroup['group']) {
  return { group_id: id, group_name: name, group_path: path, full_path: fullPath };
}
